/*
 * interval.h - medians with intervals, and histograms, as JSON.
 */
#ifndef TWBENCH_INTERVAL_H
#define TWBENCH_INTERVAL_H

#include "harness/measure/stats/histogram.h"
#include "harness/measure/stats/summary.h"

#include <cjson/cJSON.h>

/* Median, low, high, confidence and count; what is NaN becomes null. */
cJSON *interval_of_summary(const struct summary *summary);

/* Median, low, high and confidence of the samples, each divided by `divisor`; the samples behind them if wanted.  null
 * without samples, and for a divisor of 0. */
cJSON *interval_of_samples(const double *samples, size_t count, double divisor, bool with_samples);

/* ---- Writes a histogram of durations as JSON (latency.c). ------------------------------------- */

/* Percentiles, maximum, mean, count and bins, in ns; null when nothing is in the histogram. */
cJSON *latency_make(const struct histogram *histogram);
/* The percentiles and the maximum alone. */
void latency_add_quantiles(cJSON *object, const struct histogram *histogram);

#endif
