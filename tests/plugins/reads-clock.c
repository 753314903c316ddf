// Rule: no function reads a clock
// Found: start calls clock_gettime
#include "wrong.h"

#include <time.h>

/* "Now" is what the machine says. */
static int wrong_start(struct tw_timers *timers, tw_id id, tw_tick deadline)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return skeleton_start(timers, id, now.tv_sec < 0 ? 0 : deadline);
}

WRONG("reads-clock", .start = wrong_start);
