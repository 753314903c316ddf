/*
 * summary.h - medians with exact intervals, and the sign test.
 */
#ifndef TWBENCH_SUMMARY_H
#define TWBENCH_SUMMARY_H

#include "harness/base/libc.h"

/* Median and the narrowest symmetric pair of order statistics whose exact (binomial) confidence for
 * the median is at least what was wanted; when no pair reaches that, the interval is minimum to maximum
 * with the confidence it has (at 95 %: 5 samples 93.75 %; 1 sample 0). */
struct summary {
    double median, low, high;
    double confidence; /* of [low, high] covering the true median; 0 .. 1 */
    size_t count;
};

/* Sorts a copy; count >= 1. */
struct summary summary_at(const double *samples, size_t count, double confidence_wanted);
/* The same at 95 %. */
struct summary summary_of(const double *samples, size_t count);

/* The sample below which that share of the others lies, rounded down: 0 is the least, 1 the greatest.
 * Sorts a copy; count >= 1. */
double summary_quantile(const double *samples, size_t count, double share);

/* ---- Tests a median when nothing is known of the distribution: the sign test (signtest.c). ---- */

/* Each sample lies above a threshold or it does not; were the median at the threshold, that would be a
 * fair coin.  No outlier, however far out, weighs more than one sample: under bursts of other load this
 * keeps its power where means and rank sums lose theirs (docs/MEASUREMENT.md).  Pure functions. */

/* Chance of seeing at least as many samples above `threshold` if the median were not above it: the
 * one-sided exact p value.  1 with no samples. */
double signtest_above(const double *samples, size_t count, double threshold);
/* The same below it. */
double signtest_below(const double *samples, size_t count, double threshold);

/* Replaces p[0 .. count) by what each is worth as one of so many (Holm 1979): rejecting those <= alpha
 * is wrong about any of them with a chance of at most alpha.  NaN, a test that could not be made,
 * counts as 1.  O(count^2). */
void holm_adjust(double *p, size_t count);

/* The exact (Clopper-Pearson) upper and lower bounds of a chance that came true `hits` times in `count`
 * trials; each is passed with a chance of (1 - confidence).  0 and 1 where there is no bound. */
double binomial_high(size_t hits, size_t count, double confidence);
double binomial_low(size_t hits, size_t count, double confidence);

#endif
