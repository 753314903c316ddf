// Rule: next is the earliest due, or a lower bound above now
// Found: its traits say TW_NEXT_EXACT
#include "wrong.h"

/* Right, but only a lower bound. */
static tw_tick wrong_next(const struct tw_timers *timers)
{
    tw_tick next = skeleton_next(timers);
    return next != TW_NEVER && next > timers->now + 2 ? next - 1 : next;
}

WRONG("lies-next", .next = wrong_next);
