// Rule: only a running timer fires, once
// Found: it had been stopped inside a callback, at tick
#include "wrong.h"

/* All that is due on a tick is collected before the first callback; a stop inside one says that it is
 * done, and comes too late. */
static void wrong_advance(struct tw_timers *timers, tw_tick to, tw_expire_fn *expire, void *ctx)
{
    while (timers->running > 0 && timers->dues[earliest_find(timers)] <= to) {
        tw_id due[64];
        uint32_t count = 0;
        timers->now = timers->dues[earliest_find(timers)];
        for (tw_id id = 0; id < timers->capacity && count < 64; id++)
            if (timers->dues[id] == timers->now)
                due[count++] = id;
        for (uint32_t i = 0; i < count; i++) {
            skeleton_stop(timers, due[i]);
            expire(ctx, due[i], timers->now);
        }
    }
    if (to > timers->now)
        timers->now = to;
}

WRONG("ignores-stop", .advance = wrong_advance);
