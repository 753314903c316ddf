/* glommio-44.c - next looks at the lowest level first, though an earlier timer may still wait for its cascade above. */
#define LISTS 512
#include "museum.h"

static void place(struct tw_timers *timers, tw_id id)
{
    tw_tick due = timers->nodes[id].due;
    node_link(timers, id, (uint32_t)(due - timers->now < 256 ? due % 256 : 256 + (due >> 8) % 256));
}

static int start(struct tw_timers *timers, tw_id id, tw_tick deadline)
{
    return placed_start(timers, id, deadline, place);
}

static void advance(struct tw_timers *timers, tw_tick to, tw_expire_fn *expire, void *ctx)
{
    while (timers->now < to) {
        tw_tick tick = ++timers->now;
        if (tick % 256 == 0)
            slot_replace(timers, 256 + (uint32_t)((tick >> 8) % 256), place);
        fire_list(timers, tick % 256, tick, expire, ctx);
    }
}

static tw_tick next(const struct tw_timers *timers)
{
    for (tw_tick tick = timers->now + 1; tick < timers->now + 256; tick++)
        if (timers->heads[tick % 256] != NOBODY)
            return MISTAKE(tick, museum_next(timers)); /* the level above may have one earlier */
    return museum_next(timers);
}

EXHIBIT("glommio-44", TW_NEXT_EXACT, .start = start, .advance = advance, .next = next);
