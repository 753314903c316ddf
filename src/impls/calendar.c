/*
 * calendar.c - calendar queue: R. Brown, "Calendar Queues: A Fast O(1) Priority Queue Implementation for the
 * Simulation Event Set Problem" (1988).
 *
 *     4 days a year, 8 ticks a day                              bucket = (due / 8) mod 4
 *
 *       day 0            day 1            day 2            day 3
 *     0 .. 7           8 .. 15          16 .. 23         24 .. 31          this year
 *     32 .. 39         40 .. 47         48 .. 55         56 .. 63          next year, same buckets
 *     +--------+       +--------+       +--------+       +--------+
 *     | 3, 33  |       | 9, 9   |       |        |       | 57     |        each sorted by due
 *     +--^-----+       +--------+       +--------+       +--------+
 *        earliest; when it goes, the next is looked for from its day on, bucket by bucket, for one year
 *
 *             average     worst
 *     start   O(1)        O(n)     a bucket has a few timers while widths fit; now and then all are dealt out anew
 *     stop    O(1)        O(n)     an unlink; one of the earliest looks for the next
 *     advance O(1)        O(n)     per expired timer: the next is in this bucket or a few further, while widths fit
 *     tick    O(1)        O(1)     nothing is due, however long
 *     next    O(1)        O(1)
 *
 * Memory: 16 bytes per id and 8 to 16 bytes for as many buckets as it may come to have, all taken at open.
 *
 * Invariants, in the order in which calendar_check tests them:
 *   1. There are 2^k buckets, from 2 to as many as timers are allowed, and they suit the population: at most two
 *      timers to a bucket, and at least one to two buckets.
 *   2. Every bucket is a ring: forward and back links agree and lead to running timers.
 *   3. Each timer is in the bucket of its day.
 *   4. No timer is due before the one before it in its bucket, on a processed tick, or beyond TW_DEADLINE_MAX.
 *   5. Nobody is due before the cached earliest, which heads its bucket; it is none when nothing runs.
 *   6. As many timers are in buckets as run, and no others are marked as running.
 *
 * As published: buckets double when there are more than two timers to a bucket and halve below one to two; then up
 * to 25 of the earliest are sampled, separations of more than twice their average are left out, and a day is three
 * times the average of the rest.  Departures: the width is that rounded to a power of two, so that a day is a shift;
 * a sample that is all one tick, of which Brown's rule would make days of no length, is followed by a look at all;
 * the earliest is kept and not looked for when asked, so that a tick and `next` compare once; a look through
 * a whole year notes the earliest of all, which makes Brown's direct search; a bucket is searched from its end, where
 * equal deadlines and constant delays belong.
 *
 * It loses where its sample says nothing of the rest: deadlines in a few clusters share buckets or leave most days
 * empty, and widths are only thought over when the population changes by half (Oh & Ahn 1999, and SNOOPy, 2000, go
 * on from there).  A resize is one long call.
 */
#include "arrays.h"
#include "design.h"

#define BUCKETS_LEAST 2u
#define SAMPLE_MOST   25u
/* Timers passed for each that is dealt out, from which on a resize sorts all of them first. */
#define DEAL_PASSES 4u
#define NODE_IDLE   UINT32_MAX /* `next` of a timer that does not run */
#define NONE        UINT32_MAX /* no timer */

/* No setting: the width and the number of buckets are what it finds out by itself. */
TW_NO_SETTINGS(calendar, TW_DEADLINE_MAX);

/* Timers by id, then the heads of buckets, due at tick 0. */
struct node {
    tw_tick due;
    uint32_t prev, next;
};

struct tw_timers {
    struct node *nodes;
    tw_tick now;
    uint32_t capacity; /* also the index of the first head */
    uint32_t most;     /* buckets that there may come to be */
    uint32_t buckets;
    uint32_t shift; /* a day is 2^shift ticks */
    uint32_t running;
    uint32_t earliest; /* NONE when nothing runs */
    TW_WORK_FIELD
};

static inline uint32_t head_of(const struct tw_timers *timers, tw_tick day)
{
    return timers->capacity + (uint32_t)(day & (timers->buckets - 1));
}

static inline bool is_timer(const struct tw_timers *timers, uint32_t node)
{
    return node < timers->capacity;
}

/* Behind all of its bucket that are not due later; answers how many it passed.  The head, due at tick 0, ends the
 * search. */
static uint32_t bucket_add(struct tw_timers *timers, tw_id id, tw_tick due)
{
    struct node *nodes = timers->nodes;
    uint32_t prev = nodes[head_of(timers, due >> timers->shift)].prev, passed = 0;
    while (nodes[prev].due > due) {
        prev = nodes[prev].prev;
        passed++;
    }
    uint32_t next = nodes[prev].next;
    nodes[id] = (struct node){due, prev, next};
    nodes[prev].next = id;
    nodes[next].prev = id;
    TW_COUNT(timers, visits, passed + 1);
    TW_COUNT(timers, comparisons, passed + 1);
    TW_COUNT(timers, link_writes, 4);
    return passed;
}

/* The first in order of those due after `after`, none of whom is due before `day`; NONE when there are none.  It is
 * at the front of its day's bucket, behind what is not due after `after`.  Where a year of days has none, all buckets
 * were seen. */
static uint32_t first_from(struct tw_timers *timers, tw_tick day, tw_tick after)
{
    const struct node *nodes = timers->nodes;
    uint32_t best = NONE;
    for (uint32_t i = 0; i < timers->buckets; i++, day++) {
        uint32_t first = nodes[head_of(timers, day)].next;
        while (is_timer(timers, first) && nodes[first].due <= after)
            first = nodes[first].next;
        TW_COUNT(timers, visits, 1);
        TW_COUNT(timers, comparisons, 1);
        if (!is_timer(timers, first))
            continue;
        if (nodes[first].due >> timers->shift == day)
            return first;
        if (best == NONE || nodes[first].due < nodes[best].due)
            best = first;
    }
    return best;
}

/* The next in order after `node`; NONE after the last. */
static uint32_t following(struct tw_timers *timers, uint32_t node)
{
    const struct node *nodes = timers->nodes;
    tw_tick day = nodes[node].due >> timers->shift;
    uint32_t next = nodes[node].next;
    if (is_timer(timers, next) && nodes[next].due >> timers->shift == day)
        return next;
    return first_from(timers, day + 1, ((day + 1) << timers->shift) - 1);
}

/* ---- Resizes. -------------------------------------------------------------------------------- */

/* The separation of all that run, for a sample that is mostly one tick. */
static tw_tick mean_of_all(const struct tw_timers *timers)
{
    const struct node *nodes = timers->nodes;
    tw_tick earliest = nodes[timers->earliest].due, latest = earliest;
    for (uint32_t head = timers->capacity; head < timers->capacity + timers->buckets; head++)
        if (nodes[nodes[head].prev].due > latest)
            latest = nodes[nodes[head].prev].due;
    return (latest - earliest) / timers->running;
}

/* What a day should be: Brown's rule over a sample of the earliest. */
static uint32_t shift_sampled(struct tw_timers *timers)
{
    tw_tick parts[SAMPLE_MOST], sum = 0, near = 0;
    uint32_t wanted = timers->running <= 5 ? timers->running : 5 + timers->running / 10, count = 0;
    wanted = wanted < SAMPLE_MOST ? wanted : SAMPLE_MOST;
    for (uint32_t node = timers->earliest, next; count + 1 < wanted; node = next) {
        next = following(timers, node);
        parts[count] = timers->nodes[next].due - timers->nodes[node].due;
        sum += parts[count++];
    }
    uint32_t kept = 0;
    for (uint32_t i = 0; i < count; i++) {
        bool is_near = parts[i] / 2 <= sum / count;
        near += is_near ? parts[i] : 0;
        kept += is_near;
    }
    tw_tick mean = near > 0 ? near / kept : mean_of_all(timers);
    if (mean > TW_NEVER / 8)
        return 63;
    tw_tick width = near > 0 ? mean * 3 + near % kept * 3 / kept : mean * 3;
    return width <= 1 ? 0 : 64 - (uint32_t)__builtin_clzll(width - 1);
}

/* Takes all timers out of the buckets into one chain, which begins with the earliest's day and ends with `end`. */
static uint32_t chain_of_all(struct tw_timers *timers, uint32_t end)
{
    struct node *nodes = timers->nodes;
    uint32_t first = end, last = NONE;
    tw_tick day = nodes[timers->earliest].due >> timers->shift;
    for (uint32_t i = 0; i < timers->buckets; i++, day++) {
        uint32_t head = head_of(timers, day);
        if (nodes[head].next == head)
            continue;
        if (last == NONE)
            first = nodes[head].next;
        else
            nodes[last].next = nodes[head].next;
        last = nodes[head].prev;
        nodes[head].prev = nodes[head].next = head;
        nodes[last].next = end;
    }
    return first;
}

/* Puts a chain into the order of deadlines, byte by byte from the lowest; equal ones stay as they are. */
static uint32_t chain_sort(struct tw_timers *timers, uint32_t chain)
{
    struct node *nodes = timers->nodes;
    for (uint32_t bit = 0; bit < 64; bit += 8) {
        uint32_t firsts[256], lasts[256], end = NONE;
        memset(firsts, 0xff, sizeof firsts);
        for (uint32_t node = chain; node != NONE; node = nodes[node].next) {
            uint32_t byte = (uint32_t)(nodes[node].due >> bit) & 255;
            TW_COUNT(timers, visits, 1);
            if (firsts[byte] == NONE)
                firsts[byte] = node;
            else
                nodes[lasts[byte]].next = node;
            lasts[byte] = node;
        }
        for (uint32_t byte = 256; byte-- > 0;) {
            if (firsts[byte] == NONE)
                continue;
            nodes[lasts[byte]].next = end;
            end = firsts[byte];
        }
        chain = end;
    }
    return chain;
}

/* Deals a chain out; answers what is left of it when many had to be passed, else NONE. */
static uint32_t chain_deal(struct tw_timers *timers, uint32_t chain)
{
    uint64_t passed = 0, bearable = DEAL_PASSES * (uint64_t)timers->running;
    while (chain != NONE && passed <= bearable) {
        uint32_t next = timers->nodes[chain].next;
        passed += bucket_add(timers, chain, timers->nodes[chain].due);
        chain = next;
    }
    return chain;
}

/* Deals all timers out into so many buckets, of a width that is sampled first. */
__attribute__((noinline)) static void calendar_resize(struct tw_timers *timers, uint32_t buckets)
{
    struct node *nodes = timers->nodes;
    uint32_t shift = timers->earliest == NONE ? 0 : shift_sampled(timers);
    uint32_t chain = timers->earliest == NONE ? NONE : chain_of_all(timers, NONE);
    for (uint32_t head = timers->capacity; head < timers->capacity + buckets; head++)
        nodes[head] = (struct node){0, head, head};
    timers->buckets = buckets;
    timers->shift = shift;
    TW_COUNT(timers, moves, timers->running);
    uint32_t left = chain_deal(timers, chain);
    while (left != NONE)
        left = chain_deal(timers, chain_sort(timers, chain_of_all(timers, left)));
}

/* ---- Timers. --------------------------------------------------------------------------------- */

static void calendar_add(struct tw_timers *timers, tw_id id, tw_tick due)
{
    bucket_add(timers, id, due);
    if (timers->earliest == NONE || due < timers->nodes[timers->earliest].due)
        timers->earliest = id;
}

static void calendar_unlink(struct tw_timers *timers, tw_id id)
{
    struct node *nodes = timers->nodes, node = nodes[id];
    nodes[node.prev].next = node.next;
    nodes[node.next].prev = node.prev;
    TW_COUNT(timers, link_writes, 2);
    if (id == timers->earliest)
        timers->earliest = first_from(timers, node.due >> timers->shift, node.due - 1);
}

/* The same for good. */
static void calendar_remove(struct tw_timers *timers, tw_id id)
{
    calendar_unlink(timers, id);
    timers->nodes[id].next = NODE_IDLE;
    if (--timers->running < timers->buckets / 2 && timers->buckets > BUCKETS_LEAST)
        calendar_resize(timers, timers->buckets / 2);
}

static void calendar_close(struct tw_timers *timers)
{
    free(timers->nodes);
    free(timers);
}

static struct tw_footprint calendar_footprint(const struct tw_timers *timers)
{
    return (struct tw_footprint){
        .fixed_bytes = sizeof *timers + timers->most * (uint64_t)sizeof *timers->nodes,
        .capacity_bytes = (uint64_t)timers->capacity * sizeof *timers->nodes,
    };
}

static int calendar_open(struct tw_timers **out, const struct tw_config *config,
                         struct tw_error *error)
{
    struct tw_timers *timers;
    int status = open_begin(&timers, sizeof *timers, calendar_params, config, error);
    if (status != TW_OK)
        return status;
    timers->capacity = config->capacity;
    timers->now = config->now;
    timers->earliest = NONE;
    timers->most = (uint32_t)params_power_of_two((config->capacity + UINT64_C(1)) / 2);
    if (timers->most < BUCKETS_LEAST)
        timers->most = BUCKETS_LEAST;
    timers->nodes =
        arrays_raw(((size_t)config->capacity + timers->most) * sizeof *timers->nodes, false);
    bool is_whole = timers->nodes != NULL;
    if (is_whole) {
        for (tw_id id = 0; id < timers->capacity; id++)
            timers->nodes[id].next = NODE_IDLE;
        calendar_resize(timers, BUCKETS_LEAST);
    }
    return open_end(out, timers, is_whole, calendar_footprint, calendar_close, error);
}

static int calendar_start(struct tw_timers *timers, tw_id id, tw_tick deadline)
{
    TW_COUNT(timers, comparisons, 1);
    tw_tick due = deadline > timers->now ? deadline : timers->now + 1;
    if (due > TW_DEADLINE_MAX || due == 0)
        return TW_REFUSED_RANGE; /* or the clock itself is at its end, where no tick follows */
    bool was_running = timers->nodes[id].next != NODE_IDLE;
    if (was_running)
        calendar_unlink(timers, id);
    calendar_add(timers, id, due);
    if (was_running)
        return TW_REARMED;
    if (++timers->running > 2 * timers->buckets)
        calendar_resize(timers, 2 * timers->buckets);
    return TW_OK;
}

static int calendar_stop(struct tw_timers *timers, tw_id id)
{
    if (timers->nodes[id].next == NODE_IDLE)
        return TW_IDLE;
    calendar_remove(timers, id);
    return TW_OK;
}

static tw_tick calendar_next(const struct tw_timers *timers)
{
    return timers->earliest == NONE ? TW_NEVER : timers->nodes[timers->earliest].due;
}

/* Fires what is due by `to`.  Kept out of line, so that a tick on which nothing is due saves no registers. */
__attribute__((noinline)) static void calendar_fire(struct tw_timers *timers, tw_tick to,
                                                    tw_expire_fn *expire, void *ctx)
{
    for (tw_tick due; (due = calendar_next(timers)) <= to;) {
        tw_id id = timers->earliest;
        TW_COUNT(timers, visits, 1);
        TW_COUNT(timers, comparisons, 1);
        calendar_remove(timers, id);
        timers->now = due;
        expire(ctx, id, due);
    }
}

static void calendar_advance(struct tw_timers *timers, tw_tick to, tw_expire_fn *expire, void *ctx)
{
    if (to <= timers->now)
        return;
    to = to < TW_NEVER ? to : TW_DEADLINE_MAX;
    TW_COUNT(timers, visits, 1);
    TW_COUNT(timers, comparisons, 1);
    if (calendar_next(timers) <= to)
        calendar_fire(timers, to, expire, ctx);
    timers->now = to;
}

static void calendar_visit(const struct tw_timers *timers, tw_visit_fn *visit, void *ctx)
{
    for (uint32_t slot = 0; slot < timers->buckets; slot++)
        for (uint32_t id = timers->nodes[timers->capacity + slot].next; is_timer(timers, id);
             id = timers->nodes[id].next) {
            tw_tick due = timers->nodes[id].due;
            visit(ctx, &(struct tw_view){.id = id, .deadline = due, .slot = slot});
        }
}

/* Invariants 2 to 4 of a bucket.  Ends on any input: a timer that is met twice would need two predecessors. */
static const char *bucket_check(const struct tw_timers *timers, uint32_t head, uint32_t *held)
{
    const struct node *nodes = timers->nodes;
    for (uint32_t node = head, next; (next = nodes[node].next) != head; node = next, ++*held) {
        if (!is_timer(timers, next))
            return "a bucket leads to an idle timer or into another bucket";
        if (nodes[next].prev != node)
            return "a back link does not lead to the element before";
        tw_tick due = nodes[next].due;
        if (head_of(timers, due >> timers->shift) != head)
            return "a timer is not in the bucket of its day";
        if (due < nodes[node].due || due <= timers->now || due > TW_DEADLINE_MAX)
            return "a timer is due before the one before it, on a processed tick or never";
    }
    return nodes[nodes[head].prev].next == head ? NULL
                                                : "a back link does not lead to the element before";
}

static const char *calendar_check(const struct tw_timers *timers)
{
    const struct node *nodes = timers->nodes;
    uint32_t held = 0, marked = 0, end = timers->capacity + timers->buckets;
    if (timers->buckets < BUCKETS_LEAST || timers->buckets > timers->most ||
        (timers->buckets & (timers->buckets - 1)) || timers->running > 2 * timers->buckets ||
        (timers->buckets > BUCKETS_LEAST && timers->running < timers->buckets / 2))
        return "the number of buckets does not suit the population";
    for (uint32_t head = timers->capacity; head < end; head++) {
        const char *broken = bucket_check(timers, head, &held);
        if (broken)
            return broken;
    }
    uint32_t first = NONE;
    for (uint32_t head = timers->capacity; head < end; head++)
        if (is_timer(timers, nodes[head].next) &&
            (first == NONE || nodes[nodes[head].next].due < nodes[first].due))
            first = nodes[head].next;
    if (first != timers->earliest)
        return "the cached earliest is not the earliest";
    for (tw_id id = 0; id < timers->capacity; id++)
        marked += nodes[id].next != NODE_IDLE;
    return held == timers->running && marked == held
               ? NULL
               : "the buckets do not hold exactly the running timers";
}

TW_TELL_WORK(calendar);
const struct tw_backend TW_BACKEND(calendar) = {
    .abi_version = TW_ABI_VERSION,
    .name = "calendar",
    .summary = "calendar queue: buckets of a day, as many and as wide as suits the population "
               "(Brown 1988)",
    .traits = {.flags = TW_ORDERED | TW_FIFO | TW_TICKLESS | TW_NEXT_EXACT,
               .start = {TW_O_1, TW_O_N},
               .stop = {TW_O_1, TW_O_N},
               .expire = {TW_O_1, TW_O_N},
               .tick = {TW_O_1, TW_O_1}},
    TW_HOOKS(calendar, calendar),
};
