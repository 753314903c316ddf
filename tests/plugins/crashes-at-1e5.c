// Rule: no function crashes
// Found: start crashed: it writes at address 0, a null pointer
#include "wrong.h"

/* The timer that would be number 100001 is one too many. */
static int wrong_start(struct tw_timers *timers, tw_id id, tw_tick deadline)
{
    static int *volatile nowhere;
    if (timers->running >= 100000 && timers->dues[id] == TW_NEVER)
        *nowhere = 1;
    return skeleton_start(timers, id, deadline);
}

WRONG("crashes-at-1e5", .start = wrong_start);
