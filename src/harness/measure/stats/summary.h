/* summary.h - turns a few samples into a median with an honest interval.  Pure functions. */
#ifndef TWBENCH_SUMMARY_H
#define TWBENCH_SUMMARY_H

#include <stddef.h>

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

#endif
