// Rule: no function writes to variables at file scope
// Found: advance: the byte at
#include "wrong.h"

/* A program has one callback, and one instance; hence this variable. */
static tw_expire_fn *wrong_expire;

static void wrong_advance(struct tw_timers *timers, tw_tick to, tw_expire_fn *expire, void *ctx)
{
    if (!wrong_expire)
        wrong_expire = expire;
    skeleton_advance(timers, to, wrong_expire, ctx);
}

WRONG("keeps-expire", .advance = wrong_advance);
