/*
 * callwheel.c - the callout wheel of 4.4BSD and FreeBSD (A. Costello and G. Varghese, "Redesigning
 * the BSD Callout and Timer Facilities", 1995; kern_timeout.c): scheme 6 of Varghese & Lauck with
 * the due tick compared, and a pointer to the next callout to check.
 *
 *     slot = due mod slots                       now = 19, slots = 8
 *
 *       0        1        2        3
 *     +----+   +----+   +----+   +----+
 *     |    |   |    |   |    |   |  A | due 27: looked at, it stays
 *     +----+   +----+   +----+   |  B | due 19: taken out, its callback runs
 *                                |  C | <- next to check: a stop of C moves this to D
 *                                |  D |
 *                                +----+
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
 *  6. No timer is next to check.
 *
 * What differs from hashed.c.  There a slot is gone through twice, first to move what is due to a
 * list of its own, then to fire that list, and prefetches run ahead of the clock.  Here, as in BSD,
 * one walk fires what is due where it lies, which saves each timer a link and an unlink; a stop and
 * a restart pay for it with a comparison with the next to check.
 *
 * Departures from BSD.  Links are 32-bit indices in an array of their own, so a stop, which needs
 * nothing else, finds eight timers to a cache line: with the due ticks beside them it took longer.
 * The lists are rings, without the branch of a TAILQ's remove at the last element.  Deadlines are
 * 64-bit ticks, so none is too far.  BSD steps through all ticks it missed; here a jump of more than
 * one revolution visits every slot once, moves what is due by its end to a list of the due and fires
 * that, and what callbacks start within the jumped span joins that list.
 *
 * How many slots.  BSD's rule, as many as there may be timers, keeps ticks short; beyond the horizon
 * each slot would hold timers of one tick only.  But where the slots no longer fit the cache, each
 * start fetches a slot and its last timer from memory, one after the other: FreeBSD stops at 32768
 * slots, and so cheap a start wants `slots` set.
 *
 * It loses as hashed.c does: when slots are few against the timers and the delays long, each tick
 * looks at n / slots timers, one cache miss after another; and it steps through empty slots.
 */
#include "design.h"
#include "links.h"

struct tw_timers {
    struct link *links;  /* timers, then the slots, then the list of the due */
    tw_tick *dues;       /* of running timers */
    tw_tick now;         /* the tick being processed; during a jump that of the timer that fires */
    tw_tick swept;       /* slots hold nothing due up to here but what the walk has yet to
                              check: now, or the end of the jump */
    uint32_t next_check; /* node that the walk of a slot goes on with; NO_NODE when none walks */
    uint32_t mask;       /* slots - 1 */
    uint32_t slot_heads; /* index of slot 0: the capacity */
    uint32_t due_head;   /* index of the list of the due */
    uint32_t running;
    bool is_bitmap_given; /* the setting, whatever its value */
    uint64_t *used;       /* used_slots.h; NULL without the bitmap */
    TW_WORK_FIELD
};

#define NO_NODE LINKS_IDLE

#include "batches.h"
#include "due_slots.h"

/* Takes a running timer out of its list, and out of the way of a walk that would go on with it. */
static inline void node_remove(struct tw_timers *timers, uint32_t node)
{
    struct link *links = timers->links;
    if (__builtin_expect(node == timers->next_check, 0))
        timers->next_check = links[node].next;
    links_remove(links, node);
    TW_COUNT(timers, link_writes, LINKS_REMOVE_WRITES);
}

/* Fires a timer that is due, from whichever list it is in. */
static inline void node_fire(struct tw_timers *timers, uint32_t node, tw_expire_fn *expire,
                             void *ctx)
{
    struct link *links = timers->links;
    links_remove(links, node);
    links_set_idle(links, node);
    TW_COUNT(timers, link_writes, LINKS_REMOVE_WRITES + 1);
    timers->running--;
    expire(ctx, node, timers->now);
}

/* Goes through the slot of now and fires what is due.  What a callback starts into this slot, a
 * revolution ahead or more, goes behind the end of the walk or is looked at and left there.  Kept
 * out of line, so that the step over an empty slot, by far the most frequent call, saves no
 * registers. */
__attribute__((noinline)) static void slot_walk(struct tw_timers *timers, uint32_t head,
                                                tw_expire_fn *expire, void *ctx)
{
    const struct link *links = timers->links;
    tw_tick now = timers->now;
    bool fired = false;
    for (uint32_t node = links[head].next; node != head;) {
        uint32_t next = links[node].next;
        TW_COUNT(timers, visits, 1);
        TW_COUNT(timers, comparisons, 1);
        if (timers->dues[node] == now) {
            timers->next_check = next;
            fired = true;
            node_fire(timers, node, expire, ctx);
            next = timers->next_check;
        }
        node = next;
    }
    timers->next_check = NO_NODE;
    TW_COUNT(timers, empty_ticks, !fired);
    (void)fired;
}

static inline void clock_step(struct tw_timers *timers, tw_expire_fn *expire, void *ctx)
{
    tw_tick now = timers->now + 1;
    uint32_t head = slot_head(timers, now);
    timers->now = timers->swept = now;
    TW_COUNT(timers, pointer_moves, 1);
    if (links_is_empty(timers->links, head))
        TW_COUNT(timers, empty_ticks, 1);
    else
        slot_walk(timers, head, expire, ctx);
}

/* A jump over every slot at least once: one visit of each is enough. */
static void clock_jump(struct tw_timers *timers, tw_tick to, tw_expire_fn *expire, void *ctx)
{
    const struct link *links = timers->links;
    timers->swept = to;
    for (uint64_t i = turn_from(timers, 1); i <= slot_count(timers); i = turn_from(timers, i + 1)) {
        TW_COUNT(timers, pointer_moves, 1);
        slot_collect(timers, slot_head(timers, timers->now + i));
        slot_leave(timers, slot_head(timers, timers->now + i));
    }
    for (uint32_t node; (node = links[timers->due_head].next) != timers->due_head;) {
        timers->now = timers->dues[node];
        node_fire(timers, node, expire, ctx);
    }
    timers->now = to;
}

static int callwheel_open(struct tw_timers **out, const struct tw_config *config,
                          struct tw_error *error)
{
    int status = due_slots_open(out, config, error);
    if (status == TW_OK)
        (*out)->next_check = NO_NODE;
    return status;
}

static int callwheel_start(struct tw_timers *timers, tw_id id, tw_tick deadline)
{
    if (__builtin_expect(deadline <= timers->now, 0)) {
        if (timers->now >= TW_DEADLINE_MAX)
            return TW_REFUSED_RANGE;
        deadline = timers->now + 1;
    }
    struct link *links = timers->links;
    int status = TW_OK;
    if (links_is_idle(links, id)) {
        timers->running++;
    } else {
        status = TW_REARMED;
        node_remove(timers, id);
    }
    timers->dues[id] = deadline;
    slot_mark(timers, deadline);
    links_append(links, list_of(timers, deadline), id);
    TW_COUNT(timers, link_writes, LINKS_APPEND_WRITES);
    return status;
}

static int callwheel_stop(struct tw_timers *timers, tw_id id)
{
    struct link *links = timers->links;
    if (links_is_idle(links, id))
        return TW_IDLE;
    node_remove(timers, id);
    links_set_idle(links, id);
    TW_COUNT(timers, link_writes, 1);
    timers->running--;
    return TW_OK;
}

static const char *callwheel_check(const struct tw_timers *timers)
{
    const char *broken = due_slots_check(timers);
    if (!broken && timers->next_check != NO_NODE)
        broken = "the walk of a slot has not ended";
    return broken;
}

BATCH_HOOKS(callwheel, callwheel);
const struct tw_batch TW_BATCH(callwheel) = {callwheel_start_many, callwheel_stop_many};

TW_TELL_WORK(callwheel);
LINKS_SPOT(callwheel, timers->slot_heads, timers->due_head, slot_check);
const struct tw_spot TW_SPOT(callwheel) = {callwheel_spot};
const struct tw_backend TW_BACKEND(callwheel) = {
    .abi_version = TW_ABI_VERSION,
    .name = "callwheel",
    .summary = "callout wheel of 4.4BSD: slots walked in place, next to check (scheme 6)",
    .traits = {.flags = TW_FIFO | TW_NEXT_EXACT,
               .start = {TW_O_1, TW_O_1},
               .stop = {TW_O_1, TW_O_1},
               .expire = {TW_O_1, TW_O_N},
               .tick = {TW_O_1, TW_O_N}},
    USED_SLOTS_HOOKS(callwheel, callwheel, due_slots, callwheel),
};
