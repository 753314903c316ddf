/* iotivity-8.c - the next timer is noted before a callback, which may delete it: the loop goes on in freed memory. */
#define LISTS 1
#include "museum.h"

struct cell {
    struct cell *next;
    tw_id id;
};

static struct cell **link_of(const struct tw_timers *timers, tw_id id)
{
    struct cell **link = (struct cell **)(uintptr_t)&timers->mark;
    while ((*link)->id != id)
        link = &(*link)->next;
    return link;
}

static int stop(struct tw_timers *timers, tw_id id)
{
    if (timers->nodes[id].list == IDLE)
        return TW_IDLE;
    struct cell **link = link_of(timers, id), *cell = *link;
    *link = cell->next;
    free(cell);
    return museum_stop(timers, id);
}

static int start(struct tw_timers *timers, tw_id id, tw_tick deadline)
{
    bool was_running = timers->nodes[id].list != IDLE;
    struct cell *cell = was_running ? NULL : malloc(sizeof *cell);
    if (!was_running && timers->now < TW_DEADLINE_MAX && timers->running < timers->limit && !cell)
        return TW_REFUSED_MEMORY;
    int status = start_begin(timers, id, deadline);
    if (status >= 0)
        node_link(timers, id, 0);
    if (status == TW_OK) {
        *cell = (struct cell){(struct cell *)(uintptr_t)timers->mark, id};
        timers->mark = (uint64_t)(uintptr_t)cell;
    } else {
        free(cell);
    }
    return status;
}

static void advance(struct tw_timers *timers, tw_tick to, tw_expire_fn *expire, void *ctx)
{
    struct cell *cell = (struct cell *)(uintptr_t)timers->mark;
    for (struct cell *next; cell && to > timers->now - (timers->now > 0); cell = next) {
        tw_id id = cell->id;
        next = cell->next;
        if (timers->nodes[id].due > to)
            continue;
        timers->now = timers->nodes[id].due;
        stop(timers, id);
        expire(ctx, id, timers->now);
        if (MISTAKE(timers->nodes[id].list == IDLE || timers->nodes[id].due <= to, true))
            next = (struct cell *)(uintptr_t)timers->mark; /* from the head again */
    }
    if (to > timers->now)
        timers->now = to;
}

static void close_all(struct tw_timers *timers)
{
    for (tw_id id = 0; id < timers->capacity; id++)
        stop(timers, id);
    museum_close(timers);
}

static struct tw_footprint footprint(const struct tw_timers *timers)
{
    struct tw_footprint held = museum_footprint(timers);
    held.pending_bytes = (uint64_t)timers->running * sizeof(struct cell);
    return held;
}

EXHIBIT("iotivity-8", TW_ALLOCATES | TW_TICKLESS | TW_NEXT_EXACT, .start = start, .stop = stop,
        .advance = advance, .close = close_all, .footprint = footprint);
