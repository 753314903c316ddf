// Rule: no timer fires before its due tick
// Found: 0 fired at tick 1, due 2
#include "wrong.h"

/* A due tick is one too low, wherever there is room for it. */
static int wrong_start(struct tw_timers *timers, tw_id id, tw_tick deadline)
{
    return skeleton_start(timers, id, deadline > timers->now + 1 ? deadline - 1 : deadline);
}

WRONG("fires-early", .start = wrong_start);
