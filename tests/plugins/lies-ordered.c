// Rule: an ordered design fires in order of due
// Found: its traits say TW_ORDERED
#include "wrong.h"

/* In order of their ids, as far as the clock goes. */
static void wrong_advance(struct tw_timers *timers, tw_tick to, tw_expire_fn *expire, void *ctx)
{
    tw_tick before = timers->now;
    for (tw_id id = 0; to > before && id < timers->capacity; id++)
        while (timers->dues[id] <= to) {
            timers->now = timers->dues[id];
            skeleton_stop(timers, id);
            expire(ctx, id, timers->now);
        }
    timers->now = before;
    skeleton_advance(timers, to, expire, ctx);
}

WRONG("lies-ordered", .advance = wrong_advance);
