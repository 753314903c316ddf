/* csv.c - one table says which column comes from where. */
#include "harness/report/csv.h"

#include "harness/report/view.h"
#include "harness/result/json.h"

#include <string.h>

enum source { CELL, PHASE };

static const struct column {
    const char *title, *path;
    enum source source;
} columns[] = {
    {"impl", "impl", CELL},
    {"params", "params", CELL},
    {"workload", "workload", CELL},
    {"tasks", "tasks", CELL},
    {"tick_ns", "tick_ns", CELL},
    {"seed", "seed", CELL},
    {"status", "status", CELL},
    {"reason", "reason", CELL},
    {"phase", "name", PHASE},
    {"starts", "operations.start", PHASE},
    {"stops", "operations.stop", PHASE},
    {"expires", "operations.expire", PHASE},
    {"advances", "operations.advance", PHASE},
    {"ticks", "operations.ticks", PHASE},
    {"ns_per_op", "ns_per_op.median", PHASE},
    {"ns_per_op_low", "ns_per_op.low", PHASE},
    {"ns_per_op_high", "ns_per_op.high", PHASE},
    {"confidence", "ns_per_op.confidence", PHASE},
    {"cpu_ns_per_op", "cpu_ns_per_op", PHASE},
    {"ns_per_advance", "ns_per_advance.median", PHASE},
    {"start_p50_ns", "latency_ns.start.p50", PHASE},
    {"start_p99_ns", "latency_ns.start.p99", PHASE},
    {"start_max_ns", "latency_ns.start.max", PHASE},
    {"stop_p50_ns", "latency_ns.stop.p50", PHASE},
    {"stop_p99_ns", "latency_ns.stop.p99", PHASE},
    {"stop_max_ns", "latency_ns.stop.max", PHASE},
    {"advance_p50_ns", "latency_ns.advance.p50", PHASE},
    {"advance_p90_ns", "latency_ns.advance.p90", PHASE},
    {"advance_p99_ns", "latency_ns.advance.p99", PHASE},
    {"advance_p99_9_ns", "latency_ns.advance.p99_9", PHASE},
    {"advance_p99_99_ns", "latency_ns.advance.p99_99", PHASE},
    {"advance_max_ns", "latency_ns.advance.max", PHASE},
    {"comparisons", "work.comparisons", PHASE},
    {"visits", "work.visits", PHASE},
    {"moves", "work.moves", PHASE},
    {"link_writes", "work.link_writes", PHASE},
    {"cascades", "work.cascades", PHASE},
    {"empty_ticks", "work.empty_ticks", PHASE},
    {"allocations", "work.allocations", PHASE},
    {"pointer_moves", "work.pointer_moves", PHASE},
    {"system_calls", "work.system_calls", PHASE},
    {"clock_reads", "work.clock_reads", PHASE},
    {"advance_work_p99", "advance_work.p99", PHASE},
    {"advance_work_max", "advance_work.max", PHASE},
    {"useful_wakeups", "wakeups.useful", PHASE},
    {"moment_wakeups", "wakeups.to_moment", PHASE},
    {"next_calls", "wakeups.next_calls", PHASE},
    {"next_p50_ns", "latency_ns.next.p50", PHASE},
    {"next_p99_ns", "latency_ns.next.p99", PHASE},
    {"next_max_ns", "latency_ns.next.max", PHASE},
    {"harness_ns_per_op", "harness_ns_per_op", CELL},
    {"bytes_per_task", "memory.bytes_per_task", CELL},
    {"fixed_bytes", "memory.fixed_bytes", CELL},
    {"peak_bytes", "memory.peak_bytes", CELL},
    {"retained_bytes", "memory.retained_bytes", CELL},
    {"fired", "fired", CELL},
    {"expected_fired", "stream.expected_fired", CELL},
    {"early", "early", CELL},
    {"late_max_ticks", "late_max_ticks", CELL},
    {"late_mean_ns", "precision.late_mean_ns", CELL},
    {"late_max_ns", "precision.late_max_ns", CELL},
    {"below_tick", "precision.below_tick", CELL},
    {"digest", "digest", CELL},
    {"stream_hash", "stream.hash", CELL},
};
#define COLUMN_COUNT (sizeof columns / sizeof *columns)

void csv_text(FILE *out, const char *text)
{
    if (!strpbrk(text, ",\"\r\n")) {
        fputs(text, out);
        return;
    }
    fputc('"', out);
    for (; *text; text++)
        fprintf(out, *text == '"' ? "\"\"" : "%c", *text);
    fputc('"', out);
}

void csv_value(FILE *out, const cJSON *item)
{
    char params[512];
    if (cJSON_IsNumber(item)) {
        fprintf(out, "%.15g", item->valuedouble);
    } else if (cJSON_IsRaw(item)) {
        fputs(item->valuestring, out);
    } else if (cJSON_IsBool(item)) {
        fputs(cJSON_IsTrue(item) ? "true" : "false", out);
    } else if (cJSON_IsString(item)) {
        csv_text(out, item->valuestring);
    } else if (cJSON_IsObject(item)) {
        json_format_params(params, sizeof params, item);
        csv_text(out, params);
    }
}

/* `phase` is NULL for a cell that has none. */
static void write_row(FILE *out, const cJSON *cell, const cJSON *phase)
{
    for (size_t i = 0; i < COLUMN_COUNT; i++) {
        fputs(i ? "," : "", out);
        csv_value(out, json_get(columns[i].source == CELL ? cell : phase, columns[i].path));
    }
    fputs("\r\n", out);
}

void csv_write(FILE *out, const struct result_document *document)
{
    const cJSON *cell, *phase;
    for (size_t i = 0; i < COLUMN_COUNT; i++)
        fprintf(out, "%s%s", i ? "," : "", columns[i].title);
    fputs("\r\n", out);
    cJSON_ArrayForEach(cell, json_get(result_json(document), "cells"))
    {
        const cJSON *phases = json_get(cell, "phases");
        if (cJSON_GetArraySize(phases) == 0)
            write_row(out, cell, NULL);
        cJSON_ArrayForEach(phase, phases)
        {
            write_row(out, cell, phase);
        }
    }
}
