// Rule: no function crashes
// Found: set buckets
#include "bucket.h"

/* Nobody has ever given another number. */
static void wrong_advance(struct tw_timers *timers, tw_tick to, tw_expire_fn *expire, void *ctx)
{
    if (buckets_of(timers) > 64)
        abort();
    skeleton_advance(timers, to, expire, ctx);
}

WRONG("default-only", BUCKETS, .advance = wrong_advance);
