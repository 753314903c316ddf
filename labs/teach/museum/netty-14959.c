/* netty-14959.c - a timer that is stopped while its tick is processed is taken off the count twice, so that the cap leaks. */
#define DUE_LIST 64
#define LISTS    65
#include "museum.h"

/* A cancelled timer of the tick that is processed stays in its list until the worker comes to it. */
static int stop(struct tw_timers *timers, tw_id id)
{
    if (timers->nodes[id].list != DUE_LIST)
        return museum_stop(timers, id);
    if (timers->nodes[id].extra)
        return TW_IDLE;
    timers->nodes[id].extra = 1;
    timers->running--;
    return TW_OK;
}

static int start(struct tw_timers *timers, tw_id id, tw_tick deadline)
{
    if (timers->nodes[id].list == DUE_LIST && timers->nodes[id].extra)
        node_unlink(timers, id);
    int status = start_begin(timers, id, deadline);
    if (status >= 0) {
        timers->nodes[id].extra = 0;
        node_link(timers, id, timers->nodes[id].due % 64);
    }
    return status;
}

static void advance(struct tw_timers *timers, tw_tick to, tw_expire_fn *expire, void *ctx)
{
    while (timers->now < to) {
        tw_tick tick = ++timers->now;
        list_sort_out(timers, tick % 64, tick, DUE_LIST);
        for (tw_id id; (id = timers->heads[DUE_LIST]) != NOBODY;)
            if (timers->nodes[id].extra)
                MISTAKE(museum_stop, node_unlink)(timers, id); /* stop has counted it */
            else
                fire(timers, id, tick, expire, ctx);
    }
}

EXHIBIT("netty-14959", TW_NEXT_EXACT, .start = start, .stop = stop, .advance = advance);
