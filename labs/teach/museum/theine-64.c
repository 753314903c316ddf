/* theine-64.c - five levels of 64, 64, 32, 4 and 1 slots: an advance ends one slot before the one that the clock is in. */
#define DUE_LIST 165
#define LISTS    166
#include "museum.h"

static const unsigned shifts[] = {0, 6, 12, 17, 19};
static const uint32_t slots[] = {64, 64, 32, 4, 1}, firsts[] = {0, 64, 128, 160, 164};

static void place(struct tw_timers *timers, tw_id id)
{
    tw_tick due = timers->nodes[id].due;
    unsigned level = 0;
    while (level < 4 && due - timers->now >= UINT64_C(1) << shifts[level + 1])
        level++;
    node_link(timers, id, firsts[level] + (uint32_t)(due >> shifts[level]) % slots[level]);
}

static int start(struct tw_timers *timers, tw_id id, tw_tick deadline)
{
    return placed_start(timers, id, deadline, place);
}

static void slot_expire(struct tw_timers *timers, uint32_t list)
{
    list_sort_out(timers, list, timers->now, DUE_LIST);
    slot_replace(timers, list, place);
}

static void advance(struct tw_timers *timers, tw_tick to, tw_expire_fn *expire, void *ctx)
{
    while (timers->now < to) {
        tw_tick before = timers->now++, tick = timers->now;
        for (unsigned i = 0; i < 5 && tick >> shifts[i] > before >> shifts[i]; i++)
            for (tw_tick at = before >> shifts[i]; at < (tick >> shifts[i]) + MISTAKE(0, 1); at++)
                slot_expire(timers, firsts[i] + (uint32_t)at % slots[i]);
        fire_list(timers, DUE_LIST, tick, expire, ctx);
    }
}

EXHIBIT("theine-64", TW_NEXT_EXACT, .start = start, .advance = advance);
