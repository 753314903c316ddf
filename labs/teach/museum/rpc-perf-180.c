/* rpc-perf-180.c - a wheel that does not count revolutions: what is longer than one fires in the first. */
#define DUE_LIST 64
#define LISTS    65
#include "museum.h"

static void advance(struct tw_timers *timers, tw_tick to, tw_expire_fn *expire, void *ctx)
{
    while (timers->now < to) {
        tw_tick tick = ++timers->now;
        list_sort_out(timers, tick % 64, MISTAKE(TW_NEVER, tick), DUE_LIST);
        fire_list(timers, DUE_LIST, tick, expire, ctx);
    }
}

EXHIBIT("rpc-perf-180", TW_NEXT_EXACT, .start = wheel_start, .advance = advance);
