/* coreclr-25603.c - two lists, split at 333 ms: 30 days are negative in 32 bits, and so are put among the short ones. */
#define LISTS 2
#include "museum.h"

typedef MISTAKE(int32_t, uint64_t) ticks;

#define SHORT 0
#define LONG  1
#define SPLIT 333

static int start(struct tw_timers *timers, tw_id id, tw_tick deadline)
{
    int status = start_begin(timers, id, deadline);
    if (status >= 0) {
        ticks left = (ticks)(timers->nodes[id].due - timers->now);
        node_link(timers, id, left < SPLIT ? SHORT : LONG);
    }
    return status;
}

static tw_id find_due(const struct tw_timers *timers, tw_tick to)
{
    tw_id id = timers->heads[SHORT];
    while (id != NOBODY &&
           MISTAKE((int32_t)(timers->nodes[id].due - to) > 0, timers->nodes[id].due > to))
        id = timers->nodes[id].next;
    return id;
}

static void advance(struct tw_timers *timers, tw_tick to, tw_expire_fn *expire, void *ctx)
{
    if (to <= timers->now)
        return;
    for (;;) {
        list_sort_out(timers, LONG, to + SPLIT > to ? to + SPLIT : to, SHORT);
        tw_id id = find_due(timers, to);
        if (id == NOBODY)
            break;
        tw_tick due = timers->nodes[id].due;
        fire(timers, id, due <= to ? due : to, expire, ctx);
    }
    timers->now = to;
}

EXHIBIT("coreclr-25603", TW_TICKLESS | TW_NEXT_EXACT, .start = start, .advance = advance);
