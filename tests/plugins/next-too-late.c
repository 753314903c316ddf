// Rule: next is the earliest due, or a lower bound above now
// Found: next answered
#include "wrong.h"

static tw_tick wrong_next(const struct tw_timers *timers)
{
    tw_tick next = skeleton_next(timers);
    return next < TW_DEADLINE_MAX - 1 ? next + 1 : next;
}

WRONG("next-too-late", .next = wrong_next);
