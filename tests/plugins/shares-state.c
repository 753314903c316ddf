// Rule: start answers TW_OK, TW_REARMED or TW_REFUSED_... as due
// Found: two instances do not meet
#include "wrong.h"

/* A mistake of plugins that were a program before: a variable that all instances share.  One that is
 * open while another one has timers cannot start any. */
static uint32_t instances;

static int wrong_open(struct tw_timers **out, const struct tw_config *config,
                      struct tw_error *error)
{
    int status = skeleton_open(out, config, error);
    instances += status == TW_OK;
    return status;
}

static void wrong_close(struct tw_timers *timers)
{
    instances--;
    skeleton_close(timers);
}

static int wrong_start(struct tw_timers *timers, tw_id id, tw_tick deadline)
{
    return instances > 1 ? TW_REFUSED_FULL : skeleton_start(timers, id, deadline);
}

WRONG("shares-state", .open = wrong_open, .close = wrong_close, .start = wrong_start);
