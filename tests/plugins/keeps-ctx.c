// Rule: advance and visit call the function that they were given, with its ctx
// Found: its function with the ctx that an earlier call was given
#include "wrong.h"

/* The first ctx that an advance brings is kept for all others: by the clock's own instance, in its last id. */
struct kept {
    struct tw_timers *timers;
    void *ctx;
};

static struct kept kept[1024];

static void *ctx_kept(struct tw_timers *timers, void *ctx)
{
    struct kept *at = kept;
    while (at->timers && at->timers != timers)
        at++;
    if (!at->timers)
        *at = (struct kept){timers, ctx};
    return at->ctx;
}

static void wrong_close(struct tw_timers *timers)
{
    for (struct kept *at = kept; at->timers; at++)
        if (at->timers == timers)
            at->ctx = NULL, at->timers = (struct tw_timers *)kept;
    skeleton_close(timers);
}

static void wrong_advance(struct tw_timers *timers, tw_tick to, tw_expire_fn *expire, void *ctx)
{
    skeleton_advance(timers, to, expire, ctx_kept(timers, ctx));
}

WRONG("keeps-ctx", .close = wrong_close, .advance = wrong_advance);
