/*
 * sorted_wheel.c - hashed wheel with sorted buckets: scheme 5 of Varghese & Lauck (section 6.1.1).
 *
 *     slot = due mod slots                       now = 10, slots = 8
 *
 *       0        1        2        3        4        5        6        7
 *     +----+   +----+   +----+   +----+   +----+   +----+   +----+   +----+
 *     | -- |   | -- |   | -- |   | 11 |   | 28 |   | -- |   | -- |   | 15 |   its first, or never
 *     +----+   +----+   +-^--+   +----+   +----+   +----+   +----+   +----+
 *                         |        11       28                         15
 *                   slot of now    19    in order of due; ties in          23
 *                                  19    order of their starts
 *
 *              average                       worst
 *     start    O(1 + n / slots)              O(n), when all share a slot
 *     stop     O(1)                          O(1)
 *     tick     O(1)                          O(1)   and O(1) for each that fires
 *     advance  one tick after another; O(slots) for any jump beyond one revolution
 *     next     O(slots / n)                  O(slots), when nothing is due in this revolution
 *     memory   16 bytes a timer, 16 bytes a slot; nothing is allocated after open
 *
 * Invariants, tested by check in this order (between calls):
 *  1. Every list is a ring: forward and back links agree and lead to running timers only.
 *  2. Nothing is on the list of the due, and no jump is under way.
 *  3. A slot has the due tick of its first timer, or never.
 *  4. No timer of a slot is due before the one before it.
 *  5. A timer is in the slot of its due tick.
 *  6. Every due tick is later than now.
 *  7. The timers in the slots are as many as run.
 *
 * Departures from the paper.  A slot holds a copy of the due tick of its first timer, so that a
 * tick reads the slot and no timer, unless one fires.  The place of a start is searched from both
 * ends of the bucket in turn, as in list.c: equal delays arrive at the end.  As in hashed.c, what
 * is due moves to a list of its own before it fires - here all of it at once, as the front part of
 * the bucket - and a jump of more than one revolution visits every slot once.
 *
 * It wins over hashed.c where the wheel is small against the delays: what is not due is never
 * looked at.  It loses where the wheel is small against the timers and these are started much
 * oftener than they fire, because each start searches its bucket.  And with as many slots as
 * timers, where there is little to sort, a start still has to read what hashed.c only writes: the
 * slot, and often its last timer, and to wait for both.
 */
#include "arrays.h"
#include "design.h"

/* A timer, or the head of a list.  Lists are circular through their heads. */
struct node {
    tw_tick due; /* of a timer, 0 when idle; of a slot that of its first timer, or TW_NEVER */
    uint32_t prev, next;
};

struct tw_timers {
    struct node *nodes;  /* timers, then the slots, then the list of the due */
    tw_tick now;         /* the tick being processed; during a jump that of the timer that fires */
    tw_tick swept;       /* slots hold nothing due up to here: now, or the end of the jump */
    uint32_t mask;       /* slots - 1 */
    uint32_t slot_heads; /* index of slot 0: the capacity */
    uint32_t due_head;   /* index of the list of the due */
    uint32_t running;
    TW_WORK_FIELD
};

#include "one_level.h"

static const struct tw_param sorted_params[] = {ONE_LEVEL_SLOTS, {NULL, NULL, 0, 0, 0}};

static inline bool timer_runs(const struct tw_timers *timers, tw_id id)
{
    return timers->nodes[id].due != 0;
}

/* What a slot has to hold when `first`, a timer or the slot itself, is first in it. */
static inline tw_tick first_due(const struct tw_timers *timers, uint32_t first)
{
    return first < timers->slot_heads ? timers->nodes[first].due : TW_NEVER;
}

/* The first timer of a slot some ticks ahead, if that is its last revolution. */
__attribute__((always_inline)) static inline void slot_prefetch(const struct tw_timers *timers,
                                                                tw_tick tick)
{
    const struct node *slot = &timers->nodes[slot_head(timers, tick)];
    __builtin_prefetch(slot->due <= tick ? &timers->nodes[slot->next] : slot);
}

static inline void timer_link_after(struct tw_timers *timers, uint32_t prev, tw_id id, tw_tick due)
{
    struct node *nodes = timers->nodes;
    uint32_t next = nodes[prev].next;
    nodes[id] = (struct node){due, prev, next};
    nodes[prev].next = id;
    nodes[next].prev = id;
    TW_COUNT(timers, link_writes, 4);
}

static inline void timer_unlink(struct tw_timers *timers, tw_id id)
{
    struct node *nodes = timers->nodes;
    uint32_t prev = nodes[id].prev, next = nodes[id].next;
    nodes[prev].next = next;
    nodes[next].prev = prev;
    if (prev >= timers->slot_heads)
        nodes[prev].due = first_due(timers, next);
    TW_COUNT(timers, link_writes, 2);
}

/* The last of two or more timers of a slot that is not due later than `due`, as the first is. */
static uint32_t place_search(struct tw_timers *timers, uint32_t first, uint32_t last, tw_tick due)
{
    const struct node *nodes = timers->nodes;
    while (first != last) {
        TW_COUNT(timers, visits, 1);
        TW_COUNT(timers, comparisons, 1);
        if (nodes[last].due <= due)
            return last;
        last = nodes[last].prev;
        uint32_t next = nodes[first].next;
        TW_COUNT(timers, visits, 1);
        TW_COUNT(timers, comparisons, 1);
        if (nodes[next].due > due)
            return first;
        first = next;
    }
    return first;
}

/* Links a timer in where its due tick belongs.  In an empty slot, before the first of a slot and
 * behind an only one the place is found without a look at a timer. */
static inline void timer_place(struct tw_timers *timers, tw_id id, tw_tick due)
{
    if (__builtin_expect(due <= timers->swept, 0)) {
        timer_link_after(timers, timers->nodes[timers->due_head].prev, id, due);
        return;
    }
    uint32_t head = slot_head(timers, due), prev = head;
    struct node *slot = &timers->nodes[head];
    TW_COUNT(timers, comparisons, 1);
    if (due < slot->due)
        slot->due = due;
    else if (slot->prev == slot->next)
        prev = slot->next;
    else
        prev = place_search(timers, slot->next, slot->prev, due);
    timer_link_after(timers, prev, id, due);
}

/* Moves the front part of a slot, up to the swept tick and at least one timer, to the end of the
 * list of the due. */
static void slot_collect(struct tw_timers *timers, uint32_t head)
{
    struct node *nodes = timers->nodes;
    uint32_t first = nodes[head].next, last = first, rest;
    for (;;) {
        rest = nodes[last].next;
        TW_COUNT(timers, visits, 1);
        TW_COUNT(timers, comparisons, 1);
        if (first_due(timers, rest) > timers->swept)
            break;
        last = rest;
    }
    uint32_t tail = nodes[timers->due_head].prev;
    nodes[tail].next = first;
    nodes[first].prev = tail;
    nodes[last].next = timers->due_head;
    nodes[timers->due_head].prev = last;
    nodes[rest].prev = head;
    nodes[head].next = rest;
    nodes[head].due = first_due(timers, rest);
    TW_COUNT(timers, link_writes, 6);
}

/* Fires the list of the due.  For each it takes a step along the list of the coming slot, so that
 * the cache misses of that walk are under way together with those of the callbacks. */
static void due_fire(struct tw_timers *timers, tw_expire_fn *expire, void *ctx)
{
    struct node *nodes = timers->nodes;
    uint32_t coming = nodes[slot_head(timers, timers->now + 1)].next;
    for (uint32_t id; (id = nodes[timers->due_head].next) != timers->due_head;) {
        tw_tick due = nodes[id].due;
        timer_unlink(timers, id);
        nodes[id].due = 0;
        timers->running--;
        timers->now = due;
        if (coming < timers->slot_heads)
            coming = nodes[coming].next;
        expire(ctx, id, due);
    }
}

/* Fires what is due in the slot of now.  Kept out of line, so that the step over a slot in which
 * nothing is due, by far the most frequent call, saves no registers. */
__attribute__((noinline)) static void slot_fire(struct tw_timers *timers, uint32_t head,
                                                tw_expire_fn *expire, void *ctx)
{
    slot_collect(timers, head);
    due_fire(timers, expire, ctx);
}

static inline void clock_step(struct tw_timers *timers, tw_expire_fn *expire, void *ctx)
{
    tw_tick now = timers->now + 1;
    uint32_t head = slot_head(timers, now);
    timers->now = timers->swept = now;
    TW_COUNT(timers, pointer_moves, 1);
    TW_COUNT(timers, comparisons, 1);
    slot_prefetch(timers, now + PREFETCH_TICKS);
    if (timers->nodes[head].due > now)
        TW_COUNT(timers, empty_ticks, 1);
    else
        slot_fire(timers, head, expire, ctx);
}

/* A jump over every slot at least once: one visit of each is enough. */
static void clock_jump(struct tw_timers *timers, tw_tick to, tw_expire_fn *expire, void *ctx)
{
    timers->swept = to;
    TW_COUNT(timers, pointer_moves, slot_count(timers));
    TW_COUNT(timers, comparisons, slot_count(timers));
    for (uint32_t head = timers->slot_heads; head < timers->due_head; head++)
        if (timers->nodes[head].due <= to)
            slot_collect(timers, head);
    due_fire(timers, expire, ctx);
    timers->now = to;
}

static void sorted_close(struct tw_timers *timers)
{
    free(timers->nodes);
    free(timers);
}

static struct tw_footprint sorted_footprint(const struct tw_timers *timers)
{
    return (struct tw_footprint){
        .fixed_bytes = sizeof *timers + (slot_count(timers) + 1) * sizeof(struct node),
        .capacity_bytes = timers->slot_heads * (uint64_t)sizeof(struct node),
    };
}

static int sorted_open(struct tw_timers **out, const struct tw_config *config,
                       struct tw_error *error)
{
    struct tw_timers *timers;
    int status = open_begin(&timers, sizeof *timers, sorted_params, config, error);
    if (status != TW_OK)
        return status;
    one_level_lay_out(timers, config);
    timers->nodes = arrays_zeroed((size_t)timers->due_head + 1, sizeof *timers->nodes);
    bool is_whole = timers->nodes != NULL;
    if (is_whole)
        for (uint32_t head = timers->slot_heads; head <= timers->due_head; head++)
            timers->nodes[head] = (struct node){TW_NEVER, head, head};
    return open_end(out, timers, is_whole, sorted_footprint, sorted_close, error);
}

static int sorted_start(struct tw_timers *timers, tw_id id, tw_tick deadline)
{
    if (__builtin_expect(deadline <= timers->now, 0)) {
        if (timers->now >= TW_DEADLINE_MAX)
            return TW_REFUSED_RANGE;
        deadline = timers->now + 1;
    }
    int status = TW_OK;
    if (timer_runs(timers, id)) {
        status = TW_REARMED;
        timer_unlink(timers, id);
    } else {
        timers->running++;
    }
    timer_place(timers, id, deadline);
    return status;
}

static int sorted_stop(struct tw_timers *timers, tw_id id)
{
    if (!timer_runs(timers, id))
        return TW_IDLE;
    timer_unlink(timers, id);
    timers->nodes[id].due = 0;
    timers->running--;
    return TW_OK;
}

static void sorted_advance(struct tw_timers *timers, tw_tick to, tw_expire_fn *expire, void *ctx)
{
    if (to > timers->now && to - timers->now == 1)
        clock_step(timers, expire, ctx);
    else
        clock_move(timers, to, expire, ctx);
}

/* Slots in the order of their turns: nothing is due before the turn of its slot. */
static tw_tick sorted_next(const struct tw_timers *timers)
{
    tw_tick earliest = TW_NEVER;
    for (uint64_t i = 1; i <= slot_count(timers) && earliest - timers->now > i; i++) {
        tw_tick due = timers->nodes[slot_head(timers, timers->now + i)].due;
        earliest = due < earliest ? due : earliest;
    }
    return earliest;
}

static void sorted_visit(const struct tw_timers *timers, tw_visit_fn *visit, void *ctx)
{
    for (uint32_t head = timers->slot_heads; head < timers->due_head; head++)
        for (uint32_t id = timers->nodes[head].next; id != head; id = timers->nodes[id].next) {
            tw_tick due = timers->nodes[id].due;
            struct tw_view view = {
                .id = id,
                .deadline = due,
                .slot = head - timers->slot_heads,
                .rounds = (due - timers->now - 1) / slot_count(timers),
            };
            visit(ctx, &view);
        }
}

/* Invariant 1, for one list; adds its length.  Ends on any input: a timer that is met twice would
 * need two different predecessors. */
static const char *ring_check(const struct tw_timers *timers, uint32_t head, uint64_t *length)
{
    const struct node *nodes = timers->nodes;
    for (uint32_t node = head, next;; node = next, ++*length) {
        next = nodes[node].next;
        if (next != head && (next >= timers->slot_heads || !timer_runs(timers, next)))
            return "a list leads to an idle timer or into another list";
        if (nodes[next].prev != node)
            return "a back link does not lead to the element before";
        if (next == head)
            return NULL;
    }
}

/* Invariants 3 to 6, for one slot whose links are known to be sound. */
static const char *slot_check(const struct tw_timers *timers, uint32_t head)
{
    const struct node *nodes = timers->nodes;
    if (nodes[head].due != first_due(timers, nodes[head].next))
        return "a slot does not know when its first timer is due";
    tw_tick before = 0;
    for (uint32_t id = nodes[head].next; id != head; id = nodes[id].next) {
        if (nodes[id].due < before)
            return "a timer is due before the one before it";
        if (slot_head(timers, nodes[id].due) != head)
            return "a timer is not in the slot of its due tick";
        if (nodes[id].due <= timers->now)
            return "a timer is still held after its due tick";
        before = nodes[id].due;
    }
    return NULL;
}

static const char *sorted_check(const struct tw_timers *timers)
{
    uint64_t held = 0, running = 0;
    if (timers->nodes[timers->due_head].next != timers->due_head || timers->swept != timers->now)
        return "a timer was left on the list of the due";
    for (uint32_t head = timers->slot_heads; head <= timers->due_head; head++) {
        const char *broken = ring_check(timers, head, &held);
        if (!broken && head < timers->due_head)
            broken = slot_check(timers, head);
        if (broken)
            return broken;
    }
    for (tw_id id = 0; id < timers->slot_heads; id++)
        running += timer_runs(timers, id);
    if (held != timers->running || running != held)
        return "the slots do not hold exactly the running timers";
    return NULL;
}

static void sorted_describe(const struct tw_timers *timers, struct tw_description *out)
{
    one_level_describe(timers, out);
}

TW_TELL_WORK(sorted);
const struct tw_backend TW_BACKEND(sorted_wheel) = {
    .abi_version = TW_ABI_VERSION,
    .name = "sorted-wheel",
    .summary = "hashed wheel, buckets sorted by deadline (scheme 5)",
    .traits = {.flags = TW_FIFO | TW_NEXT_EXACT,
               .start = {TW_O_1, TW_O_N},
               .stop = {TW_O_1, TW_O_1},
               .expire = {TW_O_1, TW_O_1},
               .tick = {TW_O_1, TW_O_1}},
    TW_HOOKS(sorted, sorted),
};
