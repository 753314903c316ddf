// Rule: footprint is what was taken at open, plus what pending timers need
// Found: bytes are held
#include "wrong.h"

/* A pointer for each timer is counted that was there once. */
static struct tw_footprint wrong_footprint(const struct tw_timers *timers)
{
    struct tw_footprint footprint = skeleton_footprint(timers);
    footprint.capacity_bytes += timers->capacity * sizeof(void *);
    return footprint;
}

WRONG("tells-more", .footprint = wrong_footprint);
