/*
 * lanes.h - a slot as several lists, its lanes: shared by the hierarchical wheels.
 *
 * A timer's id says which lane it is in.  Thousands of timers that leave a slot are taken from the lanes
 * in turn with prefetches, so that several cache misses are under way at once instead of one.
 */
#ifndef TWBENCH_LANES_H
#define TWBENCH_LANES_H

#include "links.h"

/* As many as the misses that a core can have under way, about. */
#define LANE_BITS 3u
#define LANES     (1u << LANE_BITS)

/* Fills first[] with the first timer of each lane of an upper slot that is not empty, answers how
 * many there are and leaves the slot empty: the caller follows the links, by lane_step. */
static inline uint32_t lanes_take(struct link *links, const tw_tick *dues, uint32_t list,
                                  uint32_t *first)
{
    uint32_t count = 0;
    for (uint32_t head = list; head < list + LANES; head++) {
        uint32_t id = links[head].next;
        if (id == head)
            continue;
        links_clear(links, head);
        __builtin_prefetch(&links[id]);
        __builtin_prefetch(&dues[id]);
        first[count++] = id;
    }
    return count;
}

/* Answers the timer that lane[turn] has come to and moves the lane on to its next one, which is prefetched: it has
 * arrived by the time the lane's turn comes again.  A lane without a next one gives its place to the last of the
 * *lanes.  Timers have indices below `heads`. */
static inline uint32_t lane_step(const struct link *links, const tw_tick *dues, uint32_t heads,
                                 uint32_t *lane, uint32_t *lanes, uint32_t turn)
{
    uint32_t id = lane[turn], next = links[id].next;
    if (next < heads) {
        lane[turn] = next;
        __builtin_prefetch(&links[next]);
        __builtin_prefetch(&dues[next]);
    } else {
        lane[turn] = lane[--*lanes];
    }
    return id;
}

#endif
