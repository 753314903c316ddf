/* chronos-342.c - the walk over all timers goes from the current bucket to the end of the array, as if it were no ring. */
#define DUE_LIST 64
#define LISTS    65
#include "museum.h"

static void advance(struct tw_timers *timers, tw_tick to, tw_expire_fn *expire, void *ctx)
{
    while (timers->now < to) {
        tw_tick tick = ++timers->now;
        list_sort_out(timers, tick % 64, tick, DUE_LIST);
        fire_list(timers, DUE_LIST, tick, expire, ctx);
    }
}

static void visit_all(const struct tw_timers *timers, tw_visit_fn *visit, void *ctx)
{
    for (uint32_t slot = MISTAKE(timers->now % 64, 0); slot < 64; slot++)
        for (tw_id id = timers->heads[slot]; id != NOBODY; id = timers->nodes[id].next)
            visit(ctx,
                  &(struct tw_view){.id = id, .deadline = timers->nodes[id].due, .slot = slot});
}

EXHIBIT("chronos-342", TW_NEXT_EXACT, .start = wheel_start, .advance = advance, .visit = visit_all);
