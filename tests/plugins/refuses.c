// Rule: start answers TW_OK, TW_REARMED or TW_REFUSED_... as due
// Found: answered -1, expected 0
#include "wrong.h"

/* describe names a span without an end. */
static int wrong_start(struct tw_timers *timers, tw_id id, tw_tick deadline)
{
    if (deadline > timers->now + 5000)
        return TW_REFUSED_RANGE;
    return skeleton_start(timers, id, deadline);
}

WRONG("refuses", .start = wrong_start);
