/* compare_csv.c - one table says which column comes from where. */
#include "harness/report/compare_csv.h"

#include "harness/report/csv.h"
#include "harness/result/json.h"

static const struct column {
    const char *title, *path;
} columns[] = {
    {"impl", "impl"},
    {"params", "params"},
    {"workload", "workload"},
    {"tasks", "tasks"},
    {"tick_ns", "tick_ns"},
    {"seed", "seed"},
    {"verdict", "verdict"},
    {"reason", "reason"},
    {"failed", "failed"},
    {"work_gate", "gates.work"},
    {"instructions_gate", "gates.instructions"},
    {"time_gate", "gates.time"},
    {"time_decides", "time_decides"},
    {"cpu_ratio", "ratio.median"},
    {"cpu_ratio_low", "ratio.low"},
    {"cpu_ratio_high", "ratio.high"},
    {"margin", "timing.margin"},
    {"wall_ratio", "timing.wall_ratio.median"},
    {"pairs", "timing.pairs"},
    {"control_ratio", "control.cpu_ratio.median"},
    {"control_ratio_low", "control.cpu_ratio.low"},
    {"control_ratio_high", "control.cpu_ratio.high"},
    {"control_moved", "control.moved"},
    {"old_ns_per_op", "ns_per_op.old"},
    {"new_ns_per_op", "ns_per_op.new"},
    {"work_changed", "work_changed"},
    {"work_reason", "work_reason"},
    {"instructions_source", "instructions.source"},
    {"old_instructions", "instructions.old"},
    {"new_instructions", "instructions.new"},
    {"old_bytes_per_task", "memory.old"},
    {"new_bytes_per_task", "memory.new"},
};

void compare_csv_write(FILE *out, const cJSON *comparison)
{
    const size_t count = sizeof columns / sizeof *columns;
    const cJSON *cell;
    for (size_t i = 0; i < count; i++)
        fprintf(out, "%s%s", i ? "," : "", columns[i].title);
    fputs("\r\n", out);
    cJSON_ArrayForEach(cell, json_get(comparison, "cells"))
    {
        for (size_t i = 0; i < count; i++) {
            fputs(i ? "," : "", out);
            csv_value(out, json_get(cell, columns[i].path));
        }
        fputs("\r\n", out);
    }
}
