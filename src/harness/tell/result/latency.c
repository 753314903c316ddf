/* latency.c - writes a histogram of durations: percentiles, mean and bins. */
#include "harness/tell/result/interval.h"

#include "harness/base/json.h"

static void add_ns(cJSON *object, const char *key, uint64_t value_ps)
{
    json_add(object, key, cJSON_CreateNumber((double)value_ps / 1000));
}

static cJSON *make_bins(const struct histogram *histogram)
{
    cJSON *bins = cJSON_CreateArray();
    for (uint32_t i = 0; i < HISTOGRAM_BINS; i++) {
        if (histogram->bins[i] == 0)
            continue;
        cJSON *pair = cJSON_CreateArray();
        cJSON_AddItemToArray(pair, cJSON_CreateNumber((double)histogram_bin_low_ps(i) / 1000));
        cJSON_AddItemToArray(pair, json_integer(histogram->bins[i]));
        cJSON_AddItemToArray(bins, pair);
    }
    return bins;
}

void latency_add_quantiles(cJSON *object, const struct histogram *histogram)
{
    static const struct {
        const char *key;
        double share;
    } quantiles[] = {
        {"p50", 0.5}, {"p90", 0.9}, {"p99", 0.99}, {"p99_9", 0.999}, {"p99_99", 0.9999},
    };
    for (size_t i = 0; i < sizeof quantiles / sizeof *quantiles; i++)
        add_ns(object, quantiles[i].key, histogram_quantile_ps(histogram, quantiles[i].share));
    add_ns(object, "max", histogram->max_ps);
}

cJSON *latency_make(const struct histogram *histogram)
{
    if (histogram->count == 0)
        return cJSON_CreateNull();
    cJSON *object = cJSON_CreateObject();
    latency_add_quantiles(object, histogram);
    json_add_measure(object, "mean", (double)histogram->sum_ps / (double)histogram->count / 1000);
    json_add_integer(object, "count", histogram->count);
    json_add(object, "bins", make_bins(histogram));
    return object;
}
