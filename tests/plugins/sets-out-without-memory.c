// Rule: without memory open and start answer TW_REFUSED_MEMORY and change nothing
// Found: open set *out
#include "wrong.h"

/* *out is set first, and then looked at. */
static int wrong_open(struct tw_timers **out, const struct tw_config *config,
                      struct tw_error *error)
{
    struct tw_timers *timers = NULL;
    int status = skeleton_open(&timers, config, error);
    if (status != TW_BAD_SETTING)
        *out = timers ? timers : (struct tw_timers *)error;
    return status;
}

WRONG("sets-out-without-memory", .open = wrong_open);
