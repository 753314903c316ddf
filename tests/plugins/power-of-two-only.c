// Rule: everything due has fired when advance returns
// Found: set buckets
#include "bucket.h"

/* A mask where a division is needed: what is due in the last bucket is lost unless there are 2^k. */
static int wrong_start(struct tw_timers *timers, tw_id id, tw_tick deadline)
{
    uint64_t buckets = buckets_of(timers);
    bool is_power = (buckets & (buckets - 1)) == 0;
    if (!is_power && deadline > timers->now && deadline % buckets == buckets - 1)
        deadline += TW_DEADLINE_MAX / 2;
    return skeleton_start(timers, id, deadline);
}

WRONG("power-of-two-only", BUCKETS, .start = wrong_start);
