/* gate_time.c - decides the time gate: sign test, Holm, margin. */
#include "harness/compare/gate_time.h"

#include "harness/base/memory.h"

#include "harness/measure/stats/summary.h"

#include <math.h>

static struct interval ratio_interval(const double *logs, size_t count, double *confidence)
{
    if (count == 0)
        return (struct interval){NAN, NAN, NAN};
    struct summary summary = summary_at(logs, count, GATE_CONFIDENCE);
    *confidence = summary.confidence;
    return (struct interval){exp(summary.median), exp(summary.low), exp(summary.high)};
}

/* The logarithm of the lower edge; a margin of 100 % and more leaves nothing below it. */
static double log_low(double margin)
{
    return margin < 1 ? log1p(-margin) : -INFINITY;
}

/* One value for each layout, the mean of its pairs: of few layouts with many pairs, the layouts are what is drawn. */
static size_t average_layouts(const double *logs, const struct block_series *series, double *out)
{
    size_t layouts =
        series->layouts > 1 && series->layouts < series->pairs ? series->layouts : series->pairs;
    for (size_t i = 0; i < layouts; i++) {
        size_t count = 0;
        out[i] = 0;
        for (size_t pair = i; pair < series->pairs; pair += layouts, count++)
            out[i] += logs[pair];
        out[i] /= (double)count;
    }
    return layouts;
}

struct timing gate_timing(const struct block_series *series, double margin)
{
    struct timing timing = {.pairs = series->pairs, .margin = NAN};
    double values[PAIRS_MAX];
    size_t count = average_layouts(series->wall, series, values);
    timing.wall = ratio_interval(values, count, &timing.confidence);
    count = average_layouts(series->cpu, series, values);
    timing.cpu = ratio_interval(values, count, &timing.confidence);
    timing.p_slower = signtest_above(values, count, log1p(margin));
    timing.p_faster = signtest_below(values, count, log_low(margin));
    return timing;
}

double gate_margin(const struct compared_cell *cell, const struct limits *limits)
{
    double margin = limits->of[METRIC_TIME], layout = limits->of[METRIC_LAYOUT];
    return cell->same_program && !cell->layouts_vary && layout > margin ? layout : margin;
}

/* How far two copies of one file lie apart beyond doubt: by their places, or by noise that goes on from pair to pair.
 * Another file of the same may lie as far from the first. */
static double control_shift(const struct timing *control)
{
    return control->pairs > 0 ? fmax(0, fmax(control->cpu.low - 1, 1 - control->cpu.high)) : 0;
}

/* By its middle: the interval of a quiet control is narrow, that of a noisy one says nothing. */
bool gate_control_moved(const struct timing *control, double margin)
{
    return control->pairs > 0 && fabs(control->cpu.median - 1) > margin;
}

static bool is_inside(const struct interval *ratio, double margin)
{
    return ratio->low >= 1 - margin && ratio->high <= 1 + margin;
}

static bool is_outside(const struct interval *ratio, double margin)
{
    return ratio->low > 1 + margin || ratio->high < 1 - margin;
}

static bool includes_one(const struct interval *ratio)
{
    return ratio->low <= 1 && ratio->high >= 1;
}

/* `same` has to be shown: by an interval inside the margin, or by the same work, instructions and memory with an
 * interval that no change need explain.  The margin of layout only keeps what lies beyond the narrower one from being
 * told as a change. */
static enum verdict judge_cell(struct compared_cell *cell, const struct limits *limits)
{
    struct timing *timing = &cell->timing;
    const struct interval *ratio = &timing->cpu;
    double margin = gate_margin(cell, limits), narrow = limits->of[METRIC_TIME];
    double layout = fmax(margin, limits->of[METRIC_LAYOUT]);
    double beyond = margin + control_shift(&cell->control);
    timing->margin = margin;
    cell->layout_may_explain = false;
    if (cell->control_moved)
        return VERDICT_INCONCLUSIVE;
    if (ratio->low > 1 + beyond && timing->p_slower <= GATE_ALPHA)
        return VERDICT_REGRESSED;
    if (ratio->high < 1 - beyond && timing->p_faster <= GATE_ALPHA)
        return VERDICT_IMPROVED;
    if (is_inside(ratio, narrow))
        timing->margin = narrow;
    if (is_inside(ratio, narrow) ||
        (cell->same_program && is_inside(ratio, layout) && includes_one(ratio)))
        return VERDICT_SAME;
    cell->layout_may_explain = margin > narrow && is_outside(ratio, narrow);
    return VERDICT_INCONCLUSIVE;
}

bool gate_needs_pairs(const struct compared_cell *cell, const struct limits *limits)
{
    const struct interval *ratio = &cell->timing.cpu;
    for (int gate = 0; gate < GATE_TIME; gate++) {
        struct gate_answer answer = cell_gate(cell, (enum gate)gate, limits);
        if (answer.asked && answer.verdict == VERDICT_REGRESSED)
            return false;
    }
    if (cell->time_verdict == VERDICT_INCONCLUSIVE)
        return !(cell->layout_may_explain && is_inside(ratio, gate_margin(cell, limits)));
    return cell->time_verdict == VERDICT_SAME && !is_inside(ratio, limits->of[METRIC_TIME]);
}

/* Slower and faster are two families: each is tested once on every cell. */
static void adjust(struct compared_cell *cells, size_t count, bool slower)
{
    double *p = memory_take(count, sizeof *p);
    size_t timed = 0;
    for (size_t i = 0; i < count; i++)
        if (cells[i].time_known)
            p[timed++] = slower ? cells[i].timing.p_slower : cells[i].timing.p_faster;
    holm_adjust(p, timed);
    timed = 0;
    for (size_t i = 0; i < count; i++) {
        double adjusted = cells[i].time_known ? p[timed++] : 1;
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
        struct limits own = limits_for(limits, cell);
        cell->control_moved = gate_control_moved(&cell->control, own.of[METRIC_TIME]);
        cell->time_verdict = judge_cell(cell, &own);
    }
}

bool gate_confirms(const struct timing *timing, double margin)
{
    return timing->cpu.median > 1 + margin && timing->p_slower <= GATE_CONFIRM_ALPHA;
}
