// Rule: close gives all memory back
// Found: taken in start
#include "wrong.h"

static int wrong_start(struct tw_timers *timers, tw_id id, tw_tick deadline)
{
    void *volatile lost = malloc(40);
    (void)lost;
    return skeleton_start(timers, id, deadline);
}

WRONG("leaks", .start = wrong_start, TRAITS(TW_ALLOCATES));
