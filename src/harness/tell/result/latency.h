/*
 * latency.h - writes a histogram of durations as JSON.
 */
#ifndef TWBENCH_LATENCY_H
#define TWBENCH_LATENCY_H

#include "harness/measure/stats/histogram.h"

#include <cjson/cJSON.h>

/* Percentiles, maximum, mean, count and bins, in ns; null when nothing is in the histogram. */
cJSON *latency_make(const struct histogram *histogram);
/* The percentiles and the maximum alone. */
void latency_add_quantiles(cJSON *object, const struct histogram *histogram);

#endif
