// Rule: no function writes to variables at file scope
// Found: has changed since it was loaded
#include "bucket.h"

/* The number of buckets that was opened last is that of all instances. */
static uint64_t wrong_buckets;

static int wrong_open(struct tw_timers **out, const struct tw_config *config,
                      struct tw_error *error)
{
    int status = bucket_open(out, config, error);
    if (status == TW_OK)
        wrong_buckets = buckets_of(*out);
    return status;
}

static int wrong_start(struct tw_timers *timers, tw_id id, tw_tick deadline)
{
    tw_tick due = deadline > timers->now ? deadline : timers->now + 1;
    if (due % wrong_buckets != due % buckets_of(timers))
        due += TW_DEADLINE_MAX / 2;
    return skeleton_start(timers, id, due);
}

WRONG("shares-mask", BUCKETS, .open = wrong_open, .start = wrong_start);
