/* binary_heap.h - for exhibits: a binary heap of ids.  nodes[i].next is the id at place i, nodes[id].previous its place. */
#define LISTS 1
#include "museum.h"

static tw_tick due_at(const struct tw_timers *timers, uint32_t place)
{
    return timers->nodes[timers->nodes[place].next].due;
}

/* `extra`, where an exhibit sets it, breaks ties. */
static bool is_earlier(const struct tw_timers *timers, uint32_t a, uint32_t b)
{
    tw_tick one = due_at(timers, a), other = due_at(timers, b);
    return one < other || (one == other && timers->nodes[timers->nodes[a].next].extra <
                                               timers->nodes[timers->nodes[b].next].extra);
}

static void put(struct tw_timers *timers, uint32_t place, tw_id id)
{
    timers->nodes[place].next = id;
    timers->nodes[id].previous = place;
}

static void swap(struct tw_timers *timers, uint32_t a, uint32_t b)
{
    tw_id id = timers->nodes[a].next;
    put(timers, a, timers->nodes[b].next);
    put(timers, b, id);
}

static void sift_up(struct tw_timers *timers, uint32_t at)
{
    for (; at > 0 && is_earlier(timers, at, (at - 1) / 2); at = (at - 1) / 2)
        swap(timers, at, (at - 1) / 2);
}

static void sift_down(struct tw_timers *timers, uint32_t at)
{
    for (uint32_t child; (child = 2 * at + 1) < timers->running; at = child) {
        if (child + 1 < timers->running && is_earlier(timers, child + 1, child))
            child++;
        if (!is_earlier(timers, child, at))
            return;
        swap(timers, at, child);
    }
}

static void heap_restore(struct tw_timers *timers, uint32_t place);

static int heap_stop(struct tw_timers *timers, tw_id id)
{
    if (timers->nodes[id].list == IDLE)
        return TW_IDLE;
    uint32_t place = timers->nodes[id].previous, last = (uint32_t)--timers->running;
    timers->nodes[id].list = IDLE;
    if (place != last) {
        put(timers, place, timers->nodes[last].next);
        heap_restore(timers, place);
    }
    return TW_OK;
}

static int heap_start(struct tw_timers *timers, tw_id id, tw_tick deadline)
{
    if (timers->now >= TW_DEADLINE_MAX)
        return TW_REFUSED_RANGE;
    if (timers->nodes[id].list == IDLE && timers->running >= timers->limit)
        return TW_REFUSED_FULL;
    bool was_running = heap_stop(timers, id) == TW_OK;
    timers->nodes[id].due = deadline > timers->now ? deadline : timers->now + 1;
    timers->nodes[id].list = 0;
    put(timers, (uint32_t)timers->running++, id);
    sift_up(timers, (uint32_t)timers->running - 1);
    return was_running ? TW_REARMED : TW_OK;
}

static void heap_advance(struct tw_timers *timers, tw_tick to, tw_expire_fn *expire, void *ctx)
{
    while (timers->running > 0 && due_at(timers, 0) <= to) {
        tw_id id = timers->nodes[0].next;
        timers->now = timers->nodes[id].due;
        heap_stop(timers, id);
        expire(ctx, id, timers->now);
    }
    if (to > timers->now)
        timers->now = to;
}
