/* interval.c - writes a median with its interval as JSON. */
#include "harness/tell/result/interval.h"

#include "harness/base/json.h"

static cJSON *make(const struct summary *summary, double divisor)
{
    cJSON *object = cJSON_CreateObject();
    json_add_measure(object, "median", summary->median / divisor);
    json_add_measure(object, "low", summary->low / divisor);
    json_add_measure(object, "high", summary->high / divisor);
    json_add_measure(object, "confidence", summary->confidence);
    return object;
}

cJSON *interval_of_summary(const struct summary *summary)
{
    cJSON *object = make(summary, 1);
    json_add_integer(object, "count", summary->count);
    return object;
}

cJSON *interval_of_samples(const double *samples, size_t count, double divisor, bool with_samples)
{
    if (count == 0 || divisor == 0)
        return cJSON_CreateNull();
    struct summary summary = summary_of(samples, count);
    cJSON *object = make(&summary, divisor);
    if (!with_samples)
        return object;
    cJSON *list = cJSON_CreateArray();
    for (size_t i = 0; i < count; i++)
        cJSON_AddItemToArray(list, json_measure(samples[i] / divisor));
    json_add(object, "samples", list);
    return object;
}
