// Rule: every function returns
// Found: stop waits for something that does not come
#include "wrong.h"

#include <unistd.h>

static int wrong_stop(struct tw_timers *timers, tw_id id)
{
    while (timers->running == 2)
        pause();
    return skeleton_stop(timers, id);
}

WRONG("waits", .stop = wrong_stop);
