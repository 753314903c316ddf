/*
 * batches.h - batch operations of designs with links.h and due ticks: single calls, with the nodes of the ids to come
 * prefetched in two steps.
 *
 *     ids       i        ..        i + NEAR        ..        i + FAR
 *               start              its neighbours             its links and due tick
 *
 * A re-arm at 1e7 timers misses the caches three times: for its own node, then for the two neighbours that it
 * names.  Single calls wait for both in turn.  Here the misses of FAR ids are under way at once.
 *
 * A design includes it behind its struct tw_timers, which has among its members links, dues and running, and
 * passes its own start and stop, which are inlined.
 */
#ifndef TWBENCH_BATCHES_H
#define TWBENCH_BATCHES_H

#include "links.h"

/* Of about the misses that a core can have under way, and half of it. */
#define BATCH_FAR  32u
#define BATCH_NEAR 16u

static inline void batch_prefetch(const struct tw_timers *timers, const tw_id *ids, uint32_t count,
                                  uint32_t i)
{
    if (i + BATCH_FAR < count) {
        __builtin_prefetch(&timers->links[ids[i + BATCH_FAR]], 1);
        __builtin_prefetch(&timers->dues[ids[i + BATCH_FAR]], 1);
    }
    if (i + BATCH_NEAR < count && !links_is_idle(timers->links, ids[i + BATCH_NEAR])) {
        struct link link = timers->links[ids[i + BATCH_NEAR]];
        __builtin_prefetch(&timers->links[link.prev], 1);
        __builtin_prefetch(&timers->links[link.next], 1);
    }
}

/* The nodes of the first ids, for which no earlier id was there to ask. */
static inline void batch_begin(const struct tw_timers *timers, const tw_id *ids, uint32_t count)
{
    for (uint32_t i = 0; i < count && i < BATCH_FAR; i++) {
        __builtin_prefetch(&timers->links[ids[i]], 1);
        __builtin_prefetch(&timers->dues[ids[i]], 1);
    }
}

__attribute__((always_inline)) static inline uint32_t batch_start(
    struct tw_timers *timers, const tw_id *ids, const tw_tick *deadlines, uint32_t count,
    int8_t *statuses, int (*start)(struct tw_timers *timers, tw_id id, tw_tick deadline))
{
    uint32_t refused = 0;
    batch_begin(timers, ids, count);
    for (uint32_t i = 0; i < count; i++) {
        batch_prefetch(timers, ids, count, i);
        int status = start(timers, ids[i], deadlines[i]);
        statuses[i] = (int8_t)status;
        refused += status < 0;
    }
    return refused;
}

__attribute__((always_inline)) static inline void batch_stop(
    struct tw_timers *timers, const tw_id *ids, uint32_t count, int8_t *statuses,
    int (*stop)(struct tw_timers *timers, tw_id id))
{
    batch_begin(timers, ids, count);
    for (uint32_t i = 0; i < count; i++) {
        batch_prefetch(timers, ids, count, i);
        statuses[i] = (int8_t)stop(timers, ids[i]);
    }
}

/* DESIGN_start_many and DESIGN_stop_many, of STARTER_start and STARTER_stop. */
#define BATCH_HOOKS(design, starter)                                                               \
    static uint32_t design##_start_many(struct tw_timers *timers, const tw_id *ids,                \
                                        const tw_tick *deadlines, uint32_t count,                  \
                                        int8_t *statuses)                                          \
    {                                                                                              \
        return batch_start(timers, ids, deadlines, count, statuses, starter##_start);              \
    }                                                                                              \
    static void design##_stop_many(struct tw_timers *timers, const tw_id *ids, uint32_t count,     \
                                   int8_t *statuses)                                               \
    {                                                                                              \
        batch_stop(timers, ids, count, statuses, starter##_stop);                                  \
    }                                                                                              \
    struct tw_timers

#endif
