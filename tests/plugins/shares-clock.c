// Rule: visit shows each running timer once, with its due tick
// Found: instances of different sizes, clocks and settings
#include "wrong.h"

/* Where the clock begins is kept once, for the instance that was opened last. */
static tw_tick wrong_begin;

static int wrong_open(struct tw_timers **out, const struct tw_config *config,
                      struct tw_error *error)
{
    int status = skeleton_open(out, config, error);
    if (status == TW_OK)
        wrong_begin = config->now;
    return status;
}

static int wrong_start(struct tw_timers *timers, tw_id id, tw_tick deadline)
{
    return skeleton_start(timers, id, deadline < wrong_begin ? 0 : deadline);
}

WRONG("shares-clock", .open = wrong_open, .start = wrong_start);
