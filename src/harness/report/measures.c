/* measures.c - lists the measures of the exports. */
#include "harness/report/measures.h"

#include "harness/result/json.h"

#include <math.h>

/* A path leads to something in a phase or in a cell, never in both. */
static const struct row {
    const char *name, *unit, *path;
} rows[] = {
    {"latency", "ns/op", "ns_per_op"},
    {"advance-latency", "ns/advance", "ns_per_advance"},
    {"advance-p99", "ns", "latency_ns.advance.p99"},
    {"instructions", "instructions/op", "counters.instructions_per_op"},
    {"cache-misses", "misses/op", "counters.cache_misses_per_op"},
    {"branch-misses", "misses/op", "counters.branch_misses_per_op"},
    {"comparisons", "count", "work.comparisons"},
    {"visits", "count", "work.visits"},
    {"moves", "count", "work.moves"},
    {"link-writes", "count", "work.link_writes"},
    {"cascades", "count", "work.cascades"},
    {"empty-ticks", "count", "work.empty_ticks"},
    {"allocations", "count", "work.allocations"},
    {"pointer-moves", "count", "work.pointer_moves"},
    {"system-calls", "count", "work.system_calls"},
    {"clock-reads", "count", "work.clock_reads"},
    {"advance-work-max", "count", "advance_work.max"},
    {"wakeups", "count", "wakeups.count"},
    {"next-p99", "ns", "latency_ns.next.p99"},
    {"memory", "bytes/task", "memory.bytes_per_task"},
};
#define ROW_COUNT (sizeof rows / sizeof *rows)

_Static_assert(ROW_COUNT <= MEASURES_MAX, "an item has room for every measure");

/* What has samples behind it is an object with the interval, everything else a number. */
static struct measure measure_of(const struct row *row, const cJSON *source)
{
    const cJSON *figure = json_get(source, row->path);
    struct measure measure = {row->name, row->unit, NAN, NAN, NAN};
    if (cJSON_IsNumber(figure)) {
        measure.value = figure->valuedouble;
    } else if (figure) {
        measure.value = json_get_number(figure, "median");
        measure.low = json_get_number(figure, "low");
        measure.high = json_get_number(figure, "high");
    }
    return measure;
}

size_t measures_of(const struct view_item *item, struct measure *out)
{
    size_t count = 0;
    for (size_t i = 0; i < ROW_COUNT; i++) {
        struct measure measure = measure_of(&rows[i], item->phase ? item->phase : item->cell);
        if (isfinite(measure.value))
            out[count++] = measure;
    }
    return count;
}
