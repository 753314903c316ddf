/* experiment_settings.c - reads the object "settings" of an experiment file. */
#include "labs/teach/claims/experiment_settings.h"

#include <string.h>

static void read_value(struct reader *reader, const struct reader_place *place, const cJSON *item,
                       const struct tw_param *param, struct tw_setting *out)
{
    uint64_t value = reader_count(reader, place, item);
    if (out->count == param->values_max)
        reader_refuse(reader, place, "expected at most %u values", param->values_max);
    else if (value < param->min || value > param->max)
        reader_refuse(reader, place, "expected %llu .. %llu", (unsigned long long)param->min,
                      (unsigned long long)param->max);
    else
        out->values[out->count++] = value;
}

static void read_setting(struct reader *reader, const struct reader_place *place, const cJSON *item,
                         const struct tw_param *param, struct tw_setting *out)
{
    *out = (struct tw_setting){.name = param->name};
    if (!cJSON_IsArray(item)) {
        read_value(reader, place, item, param, out);
        return;
    }
    size_t count = reader_array(reader, place, item, TW_VALUES_MAX);
    for (size_t i = 0; i < count; i++) {
        struct reader_place element = reader_element(place, i);
        read_value(reader, &element, cJSON_GetArrayItem(item, (int)i), param, out);
    }
}

void experiment_settings_read(struct reader *reader, const struct reader_place *outer,
                              const cJSON *object, const struct experiment_settings *out)
{
    struct reader_place place = reader_member(outer, "settings");
    const cJSON *item;
    if (object && !cJSON_IsObject(object)) {
        reader_refuse(reader, &place, "expected an object");
        return;
    }
    cJSON_ArrayForEach(item, object)
    {
        struct reader_place member = reader_member(&place, item->string);
        const struct tw_param *param = out->find(out->ctx, item->string);
        size_t at = 0;
        while (at < *out->count && strcmp(out->settings[at].name, item->string) != 0)
            at++;
        if (!param || at == out->room) {
            reader_refuse(reader, &member, "%s", param ? "too many settings" : out->unknown);
            return;
        }
        read_setting(reader, &member, item, param, &out->settings[at]);
        *out->count += at == *out->count;
    }
}
