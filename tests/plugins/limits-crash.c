// Rule: no function crashes
// Found: set buckets
#include "bucket.h"

/* A size in 16 bits. */
static int wrong_start(struct tw_timers *timers, tw_id id, tw_tick deadline)
{
    if (buckets_of(timers) > UINT16_MAX)
        abort();
    return skeleton_start(timers, id, deadline);
}

WRONG("limits-crash", BUCKETS, .start = wrong_start);
