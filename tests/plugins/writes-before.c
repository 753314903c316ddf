// Rule: memory is used within the blocks that were allocated
// Found: stop writes 8 bytes before a block of
#include "wrong.h"

static int wrong_stop(struct tw_timers *timers, tw_id id)
{
    tw_tick *volatile dues = timers->dues;
    if (timers->running == 2)
        dues[-1] = id;
    return skeleton_stop(timers, id);
}

WRONG("writes-before", .stop = wrong_stop);
