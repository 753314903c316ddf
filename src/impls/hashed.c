/*
 * hashed.c - hashed wheel with unsorted buckets: scheme 6 of Varghese & Lauck, in the variant that
 * stores the absolute deadline and compares it (section 6.1.2; the callout wheel of 4.4BSD).
 *
 *     slot = due mod slots                       now = 10, slots = 8
 *
 *       0        1        2        3        4        5        6        7
 *     +----+   +----+   +----+   +----+   +----+   +----+   +----+   +----+
 *     |    |   |    |   |    |   | 19 |   | 12 |   |    |   |    |   | 15 |
 *     +----+   +----+   +-^--+   | 11 |   +----+   +----+   +----+   +----+
 *                         |      +----+
 *                   slot of now    ^ visited next, at tick 11: 11 fires, 19 is looked at and stays
 *
 *              average                       worst
 *     start    O(1)                          O(1)
 *     stop     O(1)                          O(1)
 *     tick     O(1 + n / slots)              O(n), when all share a slot
 *     advance  one tick after another; O(slots + n) for any jump beyond one revolution
 *     next     O(slots / n)                  O(slots + n), when nothing is due in this revolution
 *     memory   16 bytes a timer, 8 bytes a slot; nothing is allocated after open
 *
 * Invariants, tested by check in this order (between calls):
 *  1. Every list is a ring: forward and back links agree and lead to running timers only.
 *  2. Nothing is on the list of the due, and no jump is under way.
 *  3. A timer is in the slot of its due tick.
 *  4. Every due tick is later than now.
 *  5. The timers in the slots are as many as run, and all others are idle.
 *
 * Departures from the paper.  The due timers of a slot first move to a list of their own and then
 * fire from its head, so that a callback may stop or restart anything, also into the slot that was
 * just visited, without the walk noticing.  A jump of more than one revolution does not turn the
 * wheel: it visits every slot once and takes everything due by the end of the jump; what callbacks
 * start within the jumped span joins the list of the due directly.  The first timer of a slot is
 * prefetched some ticks before its turn, and the others while the timers of the slot before it
 * fire, which hides most of the cache misses.
 *
 * It loses when slots are few against the timers and the delays long: then each tick looks at
 * n / slots timers, one cache miss after another, most of which stay.  And it steps through empty
 * slots: nothing tells it where the next timer is.
 */
#include "design.h"
#include "links.h"

struct tw_timers {
    struct link *links;  /* timers, then the slots, then the list of the due */
    tw_tick *dues;       /* of running timers */
    tw_tick now;         /* the tick being processed; during a jump that of the timer that fires */
    tw_tick swept;       /* slots hold nothing due up to here: now, or the end of the jump */
    uint32_t mask;       /* slots - 1 */
    uint32_t slot_heads; /* index of slot 0: the capacity */
    uint32_t due_head;   /* index of the list of the due */
    uint32_t running;
    bool is_bitmap_given; /* the setting, whatever its value */
    uint64_t *used;       /* used_slots.h; NULL without the bitmap */
    TW_WORK_FIELD
};

#include "batches.h"
#include "due_slots.h"
#include "wheel.h"

static inline void timer_enter(struct tw_timers *timers, tw_id id, tw_tick due)
{
    timers->dues[id] = due;
    slot_mark(timers, due);
    links_append(timers->links, list_of(timers, due), id);
    TW_COUNT(timers, link_writes, LINKS_APPEND_WRITES);
}

__attribute__((always_inline)) static inline void slot_prefetch(const struct tw_timers *timers,
                                                                tw_tick tick)
{
    uint32_t first = timers->links[slot_head(timers, tick)].next;
    __builtin_prefetch(&timers->links[first]);
    if (first < timers->slot_heads)
        __builtin_prefetch(&timers->dues[first]);
}

/* Fires the list of the due.  For each it takes a step along the list of the coming slot, so that
 * the cache misses of that walk are under way together with those of the callbacks. */
static void due_fire(struct tw_timers *timers, tw_expire_fn *expire, void *ctx)
{
    struct link *links = timers->links;
    uint32_t coming = links[slot_head(timers, timers->now + 1)].next;
    for (uint32_t id; (id = links[timers->due_head].next) != timers->due_head;) {
        links_remove(links, id);
        links_set_idle(links, id);
        TW_COUNT(timers, link_writes, LINKS_REMOVE_WRITES + 1);
        timers->running--;
        timers->now = timers->dues[id];
        if (coming < timers->slot_heads) {
            __builtin_prefetch(&timers->dues[coming]);
            coming = links[coming].next;
        }
        expire(ctx, id, timers->now);
    }
}

/* Fires what is due in the slot of now.  Kept out of line, so that the step over an empty slot, by
 * far the most frequent call, saves no registers. */
__attribute__((noinline)) static void slot_fire(struct tw_timers *timers, uint32_t head,
                                                tw_expire_fn *expire, void *ctx)
{
    slot_collect(timers, head);
    TW_COUNT(timers, empty_ticks, links_is_empty(timers->links, timers->due_head));
    due_fire(timers, expire, ctx);
}

static inline void clock_step(struct tw_timers *timers, tw_expire_fn *expire, void *ctx)
{
    tw_tick now = timers->now + 1;
    uint32_t head = slot_head(timers, now);
    timers->now = timers->swept = now;
    TW_COUNT(timers, pointer_moves, 1);
    slot_prefetch(timers, now + PREFETCH_TICKS);
    if (links_is_empty(timers->links, head))
        TW_COUNT(timers, empty_ticks, 1);
    else
        slot_fire(timers, head, expire, ctx);
}

/* A jump over every slot at least once: one visit of each is enough. */
static void clock_jump(struct tw_timers *timers, tw_tick to, tw_expire_fn *expire, void *ctx)
{
    timers->swept = to;
    for (uint64_t i = turn_from(timers, 1); i <= slot_count(timers); i = turn_from(timers, i + 1)) {
        slot_prefetch(timers, timers->now + i + PREFETCH_TICKS);
        TW_COUNT(timers, pointer_moves, 1);
        slot_collect(timers, slot_head(timers, timers->now + i));
        slot_leave(timers, slot_head(timers, timers->now + i));
    }
    due_fire(timers, expire, ctx);
    timers->now = to;
}

BATCH_HOOKS(hashed, wheel);
const struct tw_batch TW_BATCH(hashed) = {hashed_start_many, hashed_stop_many};

TW_TELL_WORK(hashed);
LINKS_SPOT(hashed, timers->slot_heads, timers->due_head, slot_check);
const struct tw_spot TW_SPOT(hashed) = {hashed_spot};
const struct tw_backend TW_BACKEND(hashed) = {
    .abi_version = TW_ABI_VERSION,
    .name = "hashed",
    .summary = "hashed wheel, unsorted buckets, absolute deadline compared (scheme 6)",
    .traits = {.flags = TW_FIFO | TW_NEXT_EXACT,
               .start = {TW_O_1, TW_O_1},
               .stop = {TW_O_1, TW_O_1},
               .expire = {TW_O_1, TW_O_N},
               .tick = {TW_O_1, TW_O_N}},
    USED_SLOTS_HOOKS(hashed, due_slots, due_slots, wheel),
};
