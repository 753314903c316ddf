// Rule: describe says what open was given, or a default that the caller can live with
// Found: expected 16777216 or more
#include "wrong.h"

struct whole {
    struct tw_timers timers;
    uint32_t reach; /* 0: any */
};

/* The span is the horizon, of which 32 bits are kept. */
static int wrong_open(struct tw_timers **out, const struct tw_config *config,
                      struct tw_error *error)
{
    int status = within_open(out, sizeof(struct whole), config, error);
    if (status == TW_OK)
        ((struct whole *)*out)->reach = config->horizon > 0 ? (uint32_t)config->horizon + 1 : 0;
    return status;
}

static int wrong_start(struct tw_timers *timers, tw_id id, tw_tick deadline)
{
    uint32_t reach = ((struct whole *)timers)->reach;
    bool is_far = reach > 0 && deadline > timers->now && deadline - timers->now > reach;
    return is_far ? TW_REFUSED_RANGE : skeleton_start(timers, id, deadline);
}

static void wrong_describe(const struct tw_timers *timers, struct tw_description *out)
{
    uint32_t reach = ((const struct whole *)timers)->reach;
    skeleton_describe(timers, out);
    out->span = reach > 0 ? reach : TW_DEADLINE_MAX;
}

static struct tw_footprint wrong_footprint(const struct tw_timers *timers)
{
    struct tw_footprint footprint = skeleton_footprint(timers);
    footprint.fixed_bytes = sizeof(struct whole);
    return footprint;
}

WRONG("narrow-horizon", .open = wrong_open, .start = wrong_start, .describe = wrong_describe,
      .footprint = wrong_footprint);
