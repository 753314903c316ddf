/*
 * bucket.h - for plugins with a parameter of their own, "buckets", which the skeleton beneath does not have.
 */
#include "wrong.h"

struct whole {
    struct tw_timers timers;
    uint64_t buckets;
};

static uint64_t buckets_of(const struct tw_timers *timers)
{
    return ((const struct whole *)timers)->buckets;
}

static const struct tw_param bucket_params[] = {
    {"buckets", "of the table, any number (default: 64)", 1, 1000000, 1},
    {NULL, NULL, 0, 0, 0},
};

static int bucket_open(struct tw_timers **out, const struct tw_config *config,
                       struct tw_error *error)
{
    struct tw_config plain = {.capacity = config->capacity, .now = config->now};
    const struct tw_setting *buckets = params_find(config, "buckets");
    int status = params_check(bucket_params, config, error);
    if (status == TW_OK)
        status = within_open(out, sizeof(struct whole), &plain, error);
    if (status == TW_OK)
        ((struct whole *)*out)->buckets = buckets ? buckets->values[0] : 64;
    return status;
}

static struct tw_footprint bucket_footprint(const struct tw_timers *timers)
{
    struct tw_footprint footprint = skeleton_footprint(timers);
    footprint.fixed_bytes = sizeof(struct whole);
    return footprint;
}

static void bucket_describe(const struct tw_timers *timers, struct tw_description *out)
{
    *out = (struct tw_description){
        .span = TW_DEADLINE_MAX,
        .setting_count = 1,
        .settings = {{.name = "buckets", .count = 1, .values = {buckets_of(timers)}}},
    };
}

#define BUCKETS                                                                                    \
    .params = bucket_params, .open = bucket_open, .footprint = bucket_footprint,                   \
    .describe = bucket_describe
