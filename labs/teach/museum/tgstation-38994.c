/* tgstation-38994.c - 600 buckets and a second queue: a timer goes to the bucket behind its own, the last one to that of now. */
#define SECOND 600
#define LISTS  601
#include "museum.h"

static void place(struct tw_timers *timers, tw_id id)
{
    tw_tick due = timers->nodes[id].due;
    node_link(timers, id,
              due - timers->now < 600 ? (uint32_t)((due + MISTAKE(1, 0)) % 600) : SECOND);
}

static int start(struct tw_timers *timers, tw_id id, tw_tick deadline)
{
    return placed_start(timers, id, deadline, place);
}

static void advance(struct tw_timers *timers, tw_tick to, tw_expire_fn *expire, void *ctx)
{
    while (timers->now < to) {
        tw_tick tick = ++timers->now;
        for (tw_id id = timers->heads[SECOND], next; id != NOBODY; id = next) {
            next = timers->nodes[id].next;
            if (timers->nodes[id].due - tick < 600) {
                node_unlink(timers, id);
                place(timers, id);
            }
        }
        fire_list(timers, (uint32_t)(tick % 600), tick, expire, ctx);
    }
}

EXHIBIT("tgstation-38994", TW_NEXT_EXACT, .start = start, .advance = advance);
