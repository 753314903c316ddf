/* selftest_table.c - a few sentences with figures, and a line for each size of slowdown. */
#include "harness/report/selftest_table.h"

#include "harness/result/json.h"

#include <math.h>

static double percent(const cJSON *object, const char *path)
{
    return 100 * json_get_number(object, path);
}

static double detail(const cJSON *selftest, const char *key, const cJSON *size)
{
    return json_get_number(json_get(selftest, key), size->string);
}

static void write_sizes(FILE *out, const cJSON *selftest)
{
    const cJSON *size;
    fprintf(out, "\n  injected   measured   comparisons   found   at least   seen at all\n");
    cJSON_ArrayForEach(size, json_get(selftest, "detection"))
    {
        double trials = detail(selftest, "detection_trials", size);
        if (!(trials > 0))
            continue;
        fprintf(out, "  %6s %%  %7.1f %%  %12.0f  %4.0f %%     %4.0f %%        %4.0f %%\n",
                size->string, detail(selftest, "injected_measured_percent", size), trials,
                100 * detail(selftest, "detection", size),
                100 * detail(selftest, "detection_low", size),
                100 * detail(selftest, "seen", size));
    }
    fprintf(out,
            "\n  found: regressed beyond the margin of %.3g %%, and confirmed; seen: slower beyond "
            "doubt, by whatever.\n",
            percent(selftest, "method.margin"));
}

static void write_disturbance(FILE *out, const cJSON *selftest)
{
    double busy = percent(selftest, "disturbance.busy_share");
    double steal = percent(selftest, "disturbance.steal_share");
    if (isfinite(busy) && isfinite(steal))
        fprintf(out, "  Meanwhile others used %.0f %% of all cores, and the host took %.1f %%.\n",
                busy, steal);
}

void selftest_table_write(FILE *out, const cJSON *selftest, const struct report_style *style)
{
    (void)style;
    fprintf(
        out, "This program against itself: %.0f comparisons of a cell, %.0f of all %.0f cells\n",
        json_get_number(selftest, "comparisons"), json_get_number(selftest, "preset_comparisons"),
        json_get_number(selftest, "method.cells"));
    fprintf(out,
            "  False alarms: %.0f (%.2g %%; below %.2g %% with %.0f %% confidence); inconclusive: "
            "%.2g %%\n",
            json_get_number(selftest, "false_alarms"), percent(selftest, "false_alarm_rate"),
            percent(selftest, "false_alarm_high"), percent(selftest, "method.bounds_confidence"),
            percent(selftest, "inconclusive_rate"));
    write_sizes(out, selftest);
    double smallest = percent(selftest, "smallest_reliable_slowdown");
    if (isfinite(smallest))
        fprintf(out, "  Found in 95 of 100 cells here: %.1f %% and more.\n", smallest);
    else
        fprintf(out, "  No slowdown up to 50 %% would be found reliably here.\n");
    fprintf(out, "  Two samples of a pair lie %.2g %% apart (median).\n",
            json_get_number(selftest, "pair_spread_percent"));
    write_disturbance(out, selftest);
    fprintf(out, "  Reading the clock costs %.3g ns, the harness %.3g ns per call.\n",
            json_get_number(selftest, "timer_overhead_ns"),
            json_get_number(selftest, "harness_ns_per_op"));
}
