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
    int status = within_open(out, sizeof(struct whole), config, error);
    if (status == TW_OK)
        ((struct whole *)*out)->config = config;
    return status;
}

static int wrong_start(struct tw_timers *timers, tw_id id, tw_tick deadline)
{
    return id < ((struct whole *)timers)->config->capacity ? skeleton_start(timers, id, deadline)
                                                           : TW_REFUSED_FULL;
}

WRONG("keeps-config", .open = wrong_open, .start = wrong_start);
