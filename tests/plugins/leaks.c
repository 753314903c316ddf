// Rule: footprint is what was taken at open, plus what pending timers need
// Found: bytes are held
#include "wrong.h"

static int wrong_start(struct tw_timers *timers, tw_id id, tw_tick deadline)
{
    void *volatile lost = malloc(40);
    (void)lost;
    return skeleton_start(timers, id, deadline);
}

WRONG("leaks", .start = wrong_start, TRAITS(TW_ALLOCATES));
