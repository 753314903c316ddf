/* measures.c - one table; a figure that becomes worth following is a row. */
#include "harness/report/measures.h"

#include "harness/result/json.h"

#include <math.h>

enum source { PHASE, PHASE_INTERVAL, CELL };

static const struct row {
    enum source source;
    const char *name, *unit, *path;
} rows[] = {
    {PHASE_INTERVAL, "latency", "ns/op", "ns_per_op"},
    {PHASE_INTERVAL, "advance-latency", "ns/advance", "ns_per_advance"},
    {PHASE, "advance-p99", "ns", "latency_ns.advance.p99"},
    {PHASE, "comparisons", "count", "work.comparisons"},
    {PHASE, "visits", "count", "work.visits"},
    {PHASE, "moves", "count", "work.moves"},
    {PHASE, "link-writes", "count", "work.link_writes"},
    {PHASE, "cascades", "count", "work.cascades"},
    {PHASE, "empty-ticks", "count", "work.empty_ticks"},
    {PHASE, "allocations", "count", "work.allocations"},
    {CELL, "memory", "bytes/task", "memory.bytes_per_task"},
};
#define ROW_COUNT (sizeof rows / sizeof *rows)

_Static_assert(ROW_COUNT <= MEASURES_MAX, "an item has room for every measure");

static struct measure measure_of(const struct row *row, const cJSON *source)
{
    struct measure measure = {row->name, row->unit, NAN, NAN, NAN};
    if (row->source == PHASE_INTERVAL) {
        const cJSON *interval = json_get(source, row->path);
        measure.value = json_get_number(interval, "median");
        measure.low = json_get_number(interval, "low");
        measure.high = json_get_number(interval, "high");
    } else {
        measure.value = json_get_number(source, row->path);
    }
    return measure;
}

size_t measures_of(const struct view_item *item, struct measure *out)
{
    size_t count = 0;
    for (size_t i = 0; i < ROW_COUNT; i++) {
        if ((rows[i].source == CELL) != (item->phase == NULL))
            continue;
        struct measure measure = measure_of(&rows[i], item->phase ? item->phase : item->cell);
        if (isfinite(measure.value))
            out[count++] = measure;
    }
    return count;
}
