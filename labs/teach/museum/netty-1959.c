/* netty-1959.c - rounds are counted from when the wheel began to turn, not from now: later timers wait revolutions too many. */
#define DUE_LIST 64
#define LISTS    65
#include "museum.h"

static int start(struct tw_timers *timers, tw_id id, tw_tick deadline)
{
    int status = start_begin(timers, id, deadline);
    if (status >= 0) {
        struct node *node = &timers->nodes[id];
        node->extra = (node->due - MISTAKE(timers->born, timers->now) - 1) / 64;
        node_link(timers, id, node->due % 64);
    }
    return status;
}

static void advance(struct tw_timers *timers, tw_tick to, tw_expire_fn *expire, void *ctx)
{
    while (timers->now < to) {
        tw_tick tick = ++timers->now;
        for (tw_id id = timers->heads[tick % 64], next; id != NOBODY; id = next) {
            next = timers->nodes[id].next;
            if (timers->nodes[id].extra-- > 0)
                continue;
            node_unlink(timers, id);
            node_link(timers, id, DUE_LIST);
        }
        fire_list(timers, DUE_LIST, tick, expire, ctx);
    }
}

EXHIBIT("netty-1959", TW_NEXT_EXACT, .start = start, .advance = advance);
