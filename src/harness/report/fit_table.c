/* fit_table.c - prints what a fitted workload keeps of a trace. */
#include "harness/report/fit_table.h"

#include "harness/report/census_table.h"
#include "harness/result/json.h"

enum form { COUNT, SHARE, TIME };

struct line {
    const char *name, *path;
    enum form form;
};

static void format(char *out, size_t size, const cJSON *record, const struct line *line)
{
    double value = json_get_number(record, line->path);
    if (line->form == TIME)
        census_format_time(out, size, value);
    else if (line->form == SHARE)
        snprintf(out, size, "%.1f %%", value / json_get_number(record, "starts") * 100);
    else
        snprintf(out, size, value < 1000 ? "%.4g" : "%.0f", value);
}

void fit_table(FILE *out, const cJSON *trace, const cJSON *fit)
{
    static const struct line lines[] = {
        {"operations", "operations.all", COUNT},
        {"  per active tick", "operations.per_active_tick", COUNT},
        {"starts re-armed", "ended.rearmed", SHARE},
        {"       cancelled", "ended.cancelled", SHARE},
        {"       expired", "ended.expired", SHARE},
        {"       left armed", "ended.left", SHARE},
        {"armed, mean", "armed.mean", COUNT},
        {"       max", "armed.max", COUNT},
        {"delays p1", "delays.ns.p1", TIME},
        {"       p10", "delays.ns.p10", TIME},
        {"       p50", "delays.ns.p50", TIME},
        {"       p90", "delays.ns.p90", TIME},
        {"       p99", "delays.ns.p99", TIME},
        {"       distinct", "delays.distinct", COUNT},
    };
    fprintf(out, "\n%-18s %12s %12s\n", "fitted", "trace", "workload");
    for (size_t i = 0; i < sizeof lines / sizeof *lines; i++) {
        char left[40], right[40];
        format(left, sizeof left, trace, &lines[i]);
        format(right, sizeof right, fit, &lines[i]);
        fprintf(out, "%-18s %12s %12s\n", lines[i].name, left, right);
    }
}
