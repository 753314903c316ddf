// Rule: no function crashes
// Found: stop crashed: signal 6 (Aborted)
#include "wrong.h"

static int wrong_stop(struct tw_timers *timers, tw_id id)
{
    if (timers->running == 3)
        abort();
    return skeleton_stop(timers, id);
}

WRONG("aborts", .stop = wrong_stop);
