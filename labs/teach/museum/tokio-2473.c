/* tokio-2473.c - stop computes the level from now and the due tick, and asserts that they differ; after a cascade they do not. */
#define LISTS (64 * 11)
#include "museum.h"

static unsigned level_for(tw_tick elapsed, tw_tick when)
{
    if (elapsed == when)
        MISTAKE(abort(), return 0); /* it can happen */
    return (63u - (unsigned)__builtin_clzll(elapsed ^ when)) / 6;
}

static void place(struct tw_timers *timers, tw_id id)
{
    tw_tick due = timers->nodes[id].due;
    unsigned level = due == timers->now ? 0 : level_for(timers->now, due);
    node_link(timers, id, level * 64 + (uint32_t)(due >> 6 * level) % 64);
}

/* timers->mark is what the wheel calls elapsed: the tick before, until a slot of the lowest level is done. */
static int stop(struct tw_timers *timers, tw_id id)
{
    if (timers->nodes[id].list != IDLE)
        level_for(timers->mark, timers->nodes[id].due);
    return museum_stop(timers, id);
}

static int start(struct tw_timers *timers, tw_id id, tw_tick deadline)
{
    return placed_start(timers, id, deadline, place);
}

static void advance(struct tw_timers *timers, tw_tick to, tw_expire_fn *expire, void *ctx)
{
    while (timers->now < to) {
        timers->mark = timers->now;
        tw_tick tick = ++timers->now;
        for (unsigned i = 1; i < 11 && tick % (UINT64_C(1) << 6 * i) == 0; i++) {
            slot_replace(timers, i * 64 + (uint32_t)(tick >> 6 * i) % 64, place);
            timers->mark = tick;
        }
        fire_list(timers, tick % 64, tick, expire, ctx);
        timers->mark = tick;
    }
}

EXHIBIT("tokio-2473", TW_NEXT_EXACT, .start = start, .stop = stop, .advance = advance);
