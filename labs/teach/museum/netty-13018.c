/* netty-13018.c - the search of a bucket ends at the first timer of a later round, as if the bucket were sorted. */
#define DUE_LIST 64
#define LISTS    65
#include "museum.h"

static void advance(struct tw_timers *timers, tw_tick to, tw_expire_fn *expire, void *ctx)
{
    while (timers->now < to) {
        tw_tick tick = ++timers->now;
        for (tw_id id = timers->heads[tick % 64], next; id != NOBODY; id = next) {
            next = timers->nodes[id].next;
            if (timers->nodes[id].due / 64 > tick / 64)
                MISTAKE(break, continue); /* those behind it may be due */
            node_unlink(timers, id);
            node_link(timers, id, DUE_LIST);
        }
        fire_list(timers, DUE_LIST, tick, expire, ctx);
    }
}

EXHIBIT("netty-13018", TW_NEXT_EXACT, .start = wheel_start, .advance = advance);
