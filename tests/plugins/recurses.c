// Rule: no function crashes
// Found: its stack is used up
#include "wrong.h"

static int deeper(struct tw_timers *timers, volatile int depth)
{
    return timers->running == 2 ? deeper(timers, depth + 1) + depth : 0;
}

static int wrong_stop(struct tw_timers *timers, tw_id id)
{
    return deeper(timers, 0) == 0 ? skeleton_stop(timers, id) : TW_IDLE;
}

WRONG("recurses", .stop = wrong_stop);
