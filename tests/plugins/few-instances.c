// Rule: open accepts good settings
// Found: hundreds of instances
#include "wrong.h"

static int instances;

/* There are places for 32 instances, in a table that is left out here. */
static int wrong_open(struct tw_timers **out, const struct tw_config *config,
                      struct tw_error *error)
{
    if (instances == 32)
        return params_no_memory(error, 32);
    int status = skeleton_open(out, config, error);
    instances += status == TW_OK;
    return status;
}

static void wrong_close(struct tw_timers *timers)
{
    instances--;
    skeleton_close(timers);
}

WRONG("few-instances", .open = wrong_open, .close = wrong_close);
