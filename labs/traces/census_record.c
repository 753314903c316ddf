/* census_record.c - writes a trace's census as JSON. */
#include "labs/traces/traces.h"

#include "harness/base/json.h"

#include <math.h>

/* Tenths of decades from a nanosecond on; the last takes what is longer. */
enum { COMMONEST = 20, DECADE_BINS = 10, BINS = 21 * DECADE_BINS };

static double ratio(double part, double whole)
{
    return whole > 0 ? part / whole : 0;
}

/* Delays can be below 0. */
static void add_ticks(cJSON *object, const char *key, int64_t ticks)
{
    if (ticks >= 0)
        json_add_integer(object, key, (uint64_t)ticks);
    else
        json_add(object, key, cJSON_CreateNumber((double)ticks));
}

static cJSON *operations_json(const struct census *census)
{
    cJSON *object = cJSON_CreateObject();
    double all = (double)census->operations;
    json_add_integer(object, "all", census->operations);
    json_add_integer(object, "new", census->starts_new);
    json_add_integer(object, "rearms", census->ended[CENSUS_REARMED]);
    json_add_integer(object, "cancels", census->ended[CENSUS_CANCELLED]);
    json_add_measure(object, "refresh_share", ratio((double)census->ended[CENSUS_REARMED], all));
    json_add_measure(object, "per_second",
                     ratio(all, (double)census->end * (double)census->unit_ns / 1e9));
    json_add_integer(object, "active_ticks", census->pass_count);
    json_add_measure(object, "per_active_tick", ratio(all, (double)census->pass_count));
    json_add_integer(object, "tick_max", census->operations_tick_max);
    return object;
}

static cJSON *ends_json(const uint64_t ended[CENSUS_ENDS])
{
    cJSON *object = cJSON_CreateObject();
    for (int i = 0; i < CENSUS_ENDS; i++)
        json_add_integer(object, census_end_names[i], ended[i]);
    return object;
}

static cJSON *armed_json(const struct census *census)
{
    cJSON *object = cJSON_CreateObject(), *means = cJSON_CreateArray(), *most = cJSON_CreateArray();
    json_add_measure(object, "mean", census->mean_armed);
    json_add_integer(object, "max", census->max_armed);
    for (int i = 0; i < CENSUS_BINS; i++) {
        cJSON_AddItemToArray(means, json_measure(census->bin_mean[i]));
        cJSON_AddItemToArray(most, json_integer(census->bin_max[i]));
    }
    json_add(object, "over_time_mean", means);
    json_add(object, "over_time_max", most);
    return object;
}

static cJSON *percentiles_json(const struct census *census, bool in_ns)
{
    cJSON *object = cJSON_CreateObject();
    int64_t ticks[CENSUS_PERCENTILES];
    census_percentiles(census, ticks);
    for (int i = 0; i < CENSUS_PERCENTILES; i++)
        if (in_ns)
            json_add_measure(object, census_percentile_names[i],
                             (double)ticks[i] * (double)census->unit_ns);
        else
            add_ticks(object, census_percentile_names[i], ticks[i]);
    return object;
}

/* ---- Histogram. ------------------------------------------------------------------------------ */

static double bin_edge_ns(int bin)
{
    return pow(10, (double)bin / DECADE_BINS);
}

/* 1 ms itself lies in the bin from 1 ms; -1: a delay of 0 or less. */
static int bin_of(const struct census_delay *delay, double unit_ns)
{
    if (delay->ticks <= 0)
        return -1;
    int bin = (int)floor(log10((double)delay->ticks * unit_ns) * DECADE_BINS + 1e-9);
    return bin < BINS ? bin : BINS - 1;
}

static cJSON *bin_json(int bin, const uint64_t ended[CENSUS_ENDS])
{
    cJSON *item = cJSON_CreateObject();
    json_add_measure(item, "from_ns", bin < 0 ? 0 : bin_edge_ns(bin));
    json_add_measure(item, "to_ns", bin < 0 ? 0 : bin_edge_ns(bin + 1));
    json_add(item, "ended", ends_json(ended));
    return item;
}

/* Delays ascend, and so do the bins. */
static cJSON *histogram_json(const struct census *census)
{
    cJSON *array = cJSON_CreateArray();
    uint64_t ended[CENSUS_ENDS] = {0};
    for (size_t i = 0; i < census->delay_count; i++) {
        const struct census_delay *delay = &census->delays[i];
        int bin = bin_of(delay, (double)census->unit_ns);
        for (int end = 0; end < CENSUS_ENDS; end++)
            ended[end] += delay->ended[end];
        if (i + 1 < census->delay_count && bin_of(delay + 1, (double)census->unit_ns) == bin)
            continue;
        cJSON_AddItemToArray(array, bin_json(bin, ended));
        for (int end = 0; end < CENSUS_ENDS; end++)
            ended[end] = 0;
    }
    return array;
}

/* ---- The document. --------------------------------------------------------------------------- */

static cJSON *delays_json(const struct census *census)
{
    cJSON *object = cJSON_CreateObject(), *array = cJSON_CreateArray();
    size_t indexes[COMMONEST], count = census_commonest(census, indexes, COMMONEST);
    json_add_integer(object, "distinct", census->delay_count);
    json_add(object, "ticks", percentiles_json(census, false));
    json_add(object, "ns", percentiles_json(census, true));
    for (size_t i = 0; i < count; i++) {
        const struct census_delay *delay = &census->delays[indexes[i]];
        cJSON *item = cJSON_CreateObject();
        add_ticks(item, "ticks", delay->ticks);
        json_add_integer(item, "starts", delay->count);
        json_add(item, "ended", ends_json(delay->ended));
        cJSON_AddItemToArray(array, item);
    }
    json_add(object, "commonest", array);
    json_add(object, "histogram", histogram_json(census));
    return object;
}

cJSON *census_record(const char *name, const char *source, const struct census *census)
{
    cJSON *root = cJSON_CreateObject();
    json_add_integer(root, "schema_version", 1);
    json_add_text(root, "kind", "trace");
    json_add_text(root, "trace", name);
    json_add_text(root, "source", source);
    json_put(root, census, unit_ns, ids);
    json_add_integer(root, "end_ticks", census->end);
    json_add(root, "operations", operations_json(census));
    json_add_integer(root, "starts", census_starts(census));
    json_add(root, "ended", ends_json(census->ended));
    json_add(root, "armed", armed_json(census));
    json_add(root, "delays", delays_json(census));
    return root;
}
