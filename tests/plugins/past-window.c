// Rule: no timer fires later than declared
// Found: its slack ends there
#include "wrong.h"

/* Windows as long again as asked for, used to the end. */
static int wrong_start_within(struct tw_timers *timers, tw_id id, tw_tick deadline, tw_tick slack)
{
    return skeleton_start(timers, id, deadline + 2 * slack);
}

const struct tw_slack tw_plugin_slack = {wrong_start_within};

WRONG("past-window", .check = skeleton_check);
