/*
 * gate_time.h - from pairs of samples to a verdict: sign tests, Holm, a margin.
 *
 * Of each pair only the logarithm of the ratio counts, of the pairs only the order.  A cell has
 * regressed when the median ratio is above the margin beyond doubt: the exact interval lies above it,
 * and the sign test against it survives being one of as many tests as there are cells.  It is the same
 * when the interval lies inside the margin on both sides (an equivalence test), or when work, instructions and
 * memory are the same, the interval includes 1 and lies inside the margin of layout.  Pure functions.
 */
#ifndef TWBENCH_GATE_TIME_H
#define TWBENCH_GATE_TIME_H

#include "harness/compare/blocks.h"
#include "harness/compare/comparison.h"

/* Confidence of the intervals, two-sided.  The achieved one, never below it with PAIRS_MIN pairs or more,
 * is in struct timing. */
#define GATE_CONFIDENCE 0.99

/* The share of false alarms that is put up with in one comparison, over all of its cells together and
 * before confirmation; and of a confirmation, which is one test about one cell. */
#define GATE_ALPHA         0.01
#define GATE_CONFIRM_ALPHA 0.05

/* Medians and intervals as ratios, and the p values of this cell alone (not adjusted yet), against a
 * margin given as a share.  No pairs: all NaN, and p values of 1. */
struct timing gate_timing(const struct block_series *series, double margin);

/* The margin that holds for the cell: METRIC_TIME, or METRIC_LAYOUT where that is wider and the two
 * programs did the same work with the same instructions. */
double gate_margin(const struct compared_cell *cell, const struct limits *limits);

/* Would more pairs help?  True when the verdict is inconclusive, but not when layout may explain all of the interval; and when
 * it is `same` by the margin of layout alone.  False when another gate has found that the cell regressed. */
bool gate_needs_pairs(const struct compared_cell *cell, const struct limits *limits);

/* Adjusts the p values of all cells that are timed (time_known) for their number and sets each one's
 * time_verdict, control_moved, layout_may_explain and timing.margin: the margin that a reader checks the verdict with. */
void gate_time_judge(struct compared_cell *cells, size_t count, const struct limits *limits);

/* Does an independent series say again that the cell is slower by more than its margin? */
bool gate_confirms(const struct timing *timing, double margin);

/* Has the control (OLD against a copy of OLD) moved by more than `margin`, either way? */
bool gate_control_moved(const struct timing *control, double margin);

#endif
