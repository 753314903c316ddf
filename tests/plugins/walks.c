// Holds the contract, and is not TW_TICKLESS: its clock walks from tick to tick, however many of them are empty.
#include "wrong.h"

static void walk_advance(struct tw_timers *timers, tw_tick to, tw_expire_fn *expire, void *ctx)
{
    tw_tick due = skeleton_next(timers);
    while (timers->now < to) {
        volatile tw_tick tick = timers->now + 1; /* the compiler is not to add up the steps */
        timers->now = tick;
        for (; due <= timers->now; due = skeleton_next(timers)) {
            tw_id id = earliest_find(timers);
            skeleton_stop(timers, id);
            expire(ctx, id, timers->now);
        }
    }
}

static const struct tw_backend right = {HONEST("walks"), TRAITS(0),
                                        .traits.flags = TW_ORDERED | TW_NEXT_EXACT,
                                        .advance = walk_advance};
TW_PLUGIN(right, right);
