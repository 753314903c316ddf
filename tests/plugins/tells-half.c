// Rule: footprint is what was taken at open, plus what pending timers need
// Found: bytes are held
#include "wrong.h"

/* The deadlines are counted as 32 bits. */
static struct tw_footprint wrong_footprint(const struct tw_timers *timers)
{
    struct tw_footprint footprint = skeleton_footprint(timers);
    footprint.capacity_bytes = timers->capacity * sizeof(uint32_t);
    return footprint;
}

WRONG("tells-half", .footprint = wrong_footprint);
