/* frr-10626.c - a wheel that sleeps until its next slot in use, and is not woken by what is started before that. */
#define DUE_LIST 64
#define LISTS    65
#include "museum.h"

/* timers->mark is the tick until which the driver sleeps. */
static int start(struct tw_timers *timers, tw_id id, tw_tick deadline)
{
    timers->mark = MISTAKE(timers->mark, 0);
    return wheel_start(timers, id, deadline);
}

static void advance(struct tw_timers *timers, tw_tick to, tw_expire_fn *expire, void *ctx)
{
    while (timers->now < to) {
        tw_tick tick = ++timers->now;
        if (tick < timers->mark)
            continue;
        list_sort_out(timers, tick % 64, tick, DUE_LIST);
        fire_list(timers, DUE_LIST, tick, expire, ctx);
        uint32_t skip = 1;
        while (skip < 64 && timers->heads[(tick + skip) % 64] == NOBODY)
            skip++;
        timers->mark = tick + skip;
    }
}

EXHIBIT("frr-10626", TW_NEXT_EXACT, .start = start, .advance = advance);
