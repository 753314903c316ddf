// Rule: every function returns
// Found: advance had not returned after 2 s of processor time without a callback
#include "wrong.h"

static void wrong_advance(struct tw_timers *timers, tw_tick to, tw_expire_fn *expire, void *ctx)
{
    volatile uint64_t turns = 0;
    while (timers->running >= 3)
        turns++;
    skeleton_advance(timers, to, expire, ctx);
}

WRONG("hangs", .advance = wrong_advance);
