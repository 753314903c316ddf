/*
 * wheel.h - start and stop of wheels over the lists of links.h: hashed.c, round.c, round_mod.c, simple.c,
 * multi.c, hier.c, hier_bitmap.c, hier_preheat.c, linux.c, linux26.c, cffs.c, two_lists.c, timer_set.c.
 *
 * A design includes it behind its struct tw_timers, which has among its members
 *
 *     struct link *links;  timers, then the heads of lists
 *     tw_tick now;         the tick being processed
 *     uint32_t running;
 *
 * and defines timer_enter; and before that WHEEL_SPAN(timers), the longest delay that it takes, unless it
 * takes any.
 */
#ifndef TWBENCH_WHEEL_H
#define TWBENCH_WHEEL_H

#include "links.h"

/* Notes when a timer that is in no list is due, later than now, and links it in. */
static inline void timer_enter(struct tw_timers *timers, tw_id id, tw_tick due);

static int wheel_start(struct tw_timers *timers, tw_id id, tw_tick deadline)
{
    if (__builtin_expect(deadline <= timers->now, 0)) {
        if (timers->now >= TW_DEADLINE_MAX)
            return TW_REFUSED_RANGE;
        deadline = timers->now + 1;
    }
#ifdef WHEEL_SPAN
    if (deadline - timers->now > WHEEL_SPAN(timers))
        return TW_REFUSED_RANGE;
#endif
    int status = TW_OK;
    if (links_is_idle(timers->links, id)) {
        timers->running++;
    } else {
        status = TW_REARMED;
        links_remove(timers->links, id);
        TW_COUNT(timers, link_writes, LINKS_REMOVE_WRITES);
    }
    timer_enter(timers, id, deadline);
    return status;
}

static int wheel_stop(struct tw_timers *timers, tw_id id)
{
    if (links_is_idle(timers->links, id))
        return TW_IDLE;
    links_remove(timers->links, id);
    links_set_idle(timers->links, id);
    TW_COUNT(timers, link_writes, LINKS_REMOVE_WRITES + 1);
    timers->running--;
    return TW_OK;
}

#endif
