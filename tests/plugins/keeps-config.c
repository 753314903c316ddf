// Rule: open keeps no pointer to config, settings or error
// Found: reads what open was given, after open has returned
#include "wrong.h"

struct whole {
    struct tw_timers timers;
    const struct tw_config *config;
};

/* The capacity is looked up where the caller had written it. */
static int wrong_open(struct tw_timers **out, const struct tw_config *config,
                      struct tw_error *error)
{
    struct tw_timers *timers;
    int status = skeleton_open(&timers, config, error);
    if (status != TW_OK)
        return status;
    struct whole *whole = realloc(timers, sizeof *whole);
    if (!whole) {
        skeleton_close(timers);
        return params_no_memory(error, sizeof *whole);
    }
    whole->config = config;
    *out = &whole->timers;
    return TW_OK;
}

static int wrong_start(struct tw_timers *timers, tw_id id, tw_tick deadline)
{
    return id < ((struct whole *)timers)->config->capacity ? skeleton_start(timers, id, deadline)
                                                           : TW_REFUSED_FULL;
}

WRONG("keeps-config", .open = wrong_open, .start = wrong_start);
