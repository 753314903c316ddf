// Rule: no function crashes
// Found: start crashed: it writes at address 0, a null pointer
#include "wrong.h"

static int wrong_start(struct tw_timers *timers, tw_id id, tw_tick deadline)
{
    while (timers->running == 1)
        *(volatile char *)malloc(1u << 31) = 1;
    return skeleton_start(timers, id, deadline);
}

WRONG("allocates-without-end", .start = wrong_start, TRAITS(TW_ALLOCATES));
