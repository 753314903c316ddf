// Rule: work is NULL, or counters that begin with 0 and never go back
// Found: a counter went back
#define TW_COUNTED
#include "wrong.h"

/* Counts what runs now instead of what was done. */
static int wrong_stop(struct tw_timers *timers, tw_id id)
{
    int status = skeleton_stop(timers, id);
    if (status == TW_OK)
        timers->work.comparisons = timers->running;
    return status;
}

WRONG("work-goes-back", .stop = wrong_stop);
