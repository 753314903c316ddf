/* gate_time.c - decides the time gate: sign test, Holm, margin. */
#include "harness/compare/gate_time.h"

#include "harness/stats/signtest.h"
#include "harness/stats/summary.h"

#include <math.h>
#include <stdlib.h>

static struct interval ratio_interval(const double *logs, size_t count, double *confidence)
{
    if (count == 0)
        return (struct interval){NAN, NAN, NAN};
    struct summary summary = summary_at(logs, count, GATE_CONFIDENCE);
    *confidence = summary.confidence;
    return (struct interval){exp(summary.median), exp(summary.low), exp(summary.high)};
}

struct timing gate_timing(const struct block_series *series, double margin)
{
    struct timing timing = {.pairs = series->pairs};
    timing.wall = ratio_interval(series->wall, series->pairs, &timing.confidence);
    timing.cpu = ratio_interval(series->cpu, series->pairs, &timing.confidence);
    timing.p_slower = signtest_above(series->cpu, series->pairs, log1p(margin));
    timing.p_faster = signtest_below(series->cpu, series->pairs, -log1p(margin));
    return timing;
}

double gate_margin(const struct compared_cell *cell, const struct limits *limits)
{
    double margin = limits->of[METRIC_TIME], layout = limits->of[METRIC_LAYOUT];
    return cell->same_program && layout > margin ? layout : margin;
}

/* By its middle: the interval of a quiet control is narrow, that of a noisy one says nothing. */
bool gate_control_moved(const struct timing *control, double margin)
{
    return control->pairs > 0 && fabs(log(control->cpu.median)) > log1p(margin);
}

static enum verdict judge_cell(const struct compared_cell *cell, double margin)
{
    const struct timing *timing = &cell->timing;
    double high = 1 + margin, low = 1 / high;
    if (cell->control_moved)
        return VERDICT_INCONCLUSIVE;
    if (timing->cpu.low > high && timing->p_slower <= GATE_ALPHA)
        return VERDICT_REGRESSED;
    if (timing->cpu.high < low && timing->p_faster <= GATE_ALPHA)
        return VERDICT_IMPROVED;
    if (timing->cpu.low >= low && timing->cpu.high <= high)
        return VERDICT_SAME;
    return VERDICT_INCONCLUSIVE;
}

/* Slower and faster are two families: each is tested once on every cell. */
static void adjust(struct compared_cell *cells, size_t count, bool slower)
{
    double *p = calloc(count + 1, sizeof *p);
    size_t timed = 0;
    for (size_t i = 0; i < count && p; i++)
        if (cells[i].time_known)
            p[timed++] = slower ? cells[i].timing.p_slower : cells[i].timing.p_faster;
    if (p)
        holm_adjust(p, timed);
    timed = 0;
    for (size_t i = 0; i < count; i++) {
        /* Without memory nothing is significant: better no verdict than a wrong one. */
        double adjusted = p && cells[i].time_known ? p[timed++] : 1;
        if (slower)
            cells[i].timing.p_slower = adjusted;
        else
            cells[i].timing.p_faster = adjusted;
    }
    free(p);
}

void gate_time_judge(struct compared_cell *cells, size_t count, const struct limits *limits)
{
    adjust(cells, count, true);
    adjust(cells, count, false);
    for (size_t i = 0; i < count; i++) {
        struct compared_cell *cell = &cells[i];
        if (!cell->time_known)
            continue;
        cell->control_moved = gate_control_moved(&cell->control, limits->of[METRIC_TIME]);
        cell->time_verdict = judge_cell(cell, gate_margin(cell, limits));
    }
}

bool gate_confirms(const struct timing *timing, double margin)
{
    return timing->cpu.median > 1 + margin && timing->p_slower <= GATE_CONFIRM_ALPHA;
}
