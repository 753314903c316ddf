/*
 * timer_set.c - 64 buckets by the highest differing bit: timer_set of Seastar, a radix heap.
 *
 *     now = 1010 0110 (binary)                  bucket = highest bit in which the deadline differs from now
 *
 *       deadline   1010 0111    1010 110x    1010 111x    1011 xxxx    11xx xxxx    1 xxxx xxxx
 *       bucket     0            3            3            4            6            8
 *
 *     bits of `used`:  ... 0 0 1 0 1 0 1 1 0 0 1                      the lowest one has whoever is due next
 *
 *     When the clock's bit k changes, the buckets below k are due, and the timers of bucket k are dealt out
 *     into buckets below it, or are due too.
 *
 *              average     worst
 *     start    O(1)        O(1)     an exclusive or and a count of zeros
 *     stop     O(1)        O(1)
 *     advance  O(1)        O(1)     per expired timer, which has moved down at most once for each bit of its delay
 *     tick     O(1)        O(n)     nothing is due; where bit k changes, bucket k is dealt out
 *     next     O(1)        O(1)     a bound: the earliest that came into the lowest bucket since it was empty
 *
 * Memory: 16 bytes per id, all taken at open.
 *
 * Invariants, in the order in which timer_set_check tests them (between calls):
 *   1. Each bucket is a ring: forward and back links agree and lead to running timers.
 *   2. Nothing waits to fire.
 *   3. Each timer is due after now, and in the bucket of the highest bit in which its deadline differs from now.
 *   4. A bucket that is not marked as used is empty.
 *   5. Nobody is due before the bound of its bucket.
 *   6. The buckets hold as many timers as run, and no others are marked as running.
 *
 * The source is seastar/core/timer-set.hh, "optimized for timer non-delivery"; the idea is that of Ahuja, Mehlhorn,
 * Orlin & Tarjan, "Faster algorithms for the shortest path problem" (1990), for a heap whose minimum never goes back, as
 * a clock does not.  There are no slots to choose or to step through.  Departures: links are 32-bit indices; each bucket keeps a
 * bound of its own, where Seastar goes through the lowest bucket after each expiry; a mark stays when a stop
 * empties a bucket, and goes when the clock comes to it.
 *
 * It loses where timers fire: one of a delay of 2^k ticks is moved up to k times, where a hierarchy of 64 slots moves
 * it k / 6 times.  The tick on which a high bit changes deals out all that lies behind it.
 */
#include "design.h"
#include "links.h"

#define BUCKETS 64u

TW_NO_SETTINGS(timer_set, TW_DEADLINE_MAX);

struct tw_timers {
    struct link *links; /* timers, then the heads of the buckets and of what waits to fire */
    tw_tick *dues;      /* of running timers */
    tw_tick now;
    tw_tick to;    /* what the advance under way goes to; else now */
    uint64_t used; /* bit by bucket: it may hold something */
    uint32_t capacity, running;
    tw_tick bounds[BUCKETS]; /* of used ones: nobody in it is due before */
    TW_WORK_FIELD
};

#include "wheel.h"

/* That of the list of what waits to fire is number BUCKETS. */
static inline uint32_t head_of(const struct tw_timers *timers, uint32_t bucket)
{
    return timers->capacity + bucket;
}

/* Of two ticks that differ. */
static inline uint32_t bucket_of(tw_tick due, tw_tick now)
{
    return 63 - (uint32_t)__builtin_clzll(due ^ now);
}

/* Links a timer that is in no list into the bucket of its deadline, seen from where the clock goes. */
static inline void timer_place(struct tw_timers *timers, tw_id id, tw_tick due)
{
    uint32_t bucket = BUCKETS;
    TW_COUNT(timers, comparisons, 1);
    if (due > timers->to) {
        bucket = bucket_of(due, timers->to);
        bool is_first = !(timers->used >> bucket & 1) || due < timers->bounds[bucket];
        timers->bounds[bucket] = is_first ? due : timers->bounds[bucket];
        timers->used |= UINT64_C(1) << bucket;
    }
    links_append(timers->links, head_of(timers, bucket), id);
    TW_COUNT(timers, link_writes, LINKS_APPEND_WRITES);
}

static inline void timer_enter(struct tw_timers *timers, tw_id id, tw_tick due)
{
    timers->dues[id] = due;
    timer_place(timers, id, due);
}

/* Fires what waits; a callback may stop any of it, and what it starts for a tick by `to` waits behind the rest. */
static void due_fire(struct tw_timers *timers, tw_expire_fn *expire, void *ctx)
{
    struct link *links = timers->links;
    uint32_t head = head_of(timers, BUCKETS);
    for (uint32_t id; (id = links[head].next) != head;) {
        links_remove(links, id);
        links_set_idle(links, id);
        __builtin_prefetch(&links[links[head].next]);
        TW_COUNT(timers, link_writes, LINKS_REMOVE_WRITES + 1);
        timers->running--;
        timers->now = timers->dues[id];
        expire(ctx, id, timers->now);
    }
}

/* Deals out a bucket below whose bit the clock has come. */
static void bucket_deal(struct tw_timers *timers, uint32_t bucket)
{
    struct link *links = timers->links;
    uint32_t head = head_of(timers, bucket), id = links[head].next;
    TW_COUNT(timers, cascades, id != head);
    links_clear(links, head);
    for (uint32_t next; id != head; id = next) {
        next = links[id].next;
        __builtin_prefetch(&links[next]);
        TW_COUNT(timers, visits, 1);
        TW_COUNT(timers, moves, 1);
        timer_place(timers, id, timers->dues[id]);
    }
}

/* Empties the buckets `passed`, the highest of which is that of the bit that changed.  Out of line, so that a tick on which no
 * bucket in use is reached saves no registers. */
__attribute__((noinline)) static void buckets_pass(struct tw_timers *timers, uint64_t passed,
                                                   uint32_t top, tw_expire_fn *expire, void *ctx)
{
    timers->used &= ~passed;
    for (; passed != 0; passed &= passed - 1) {
        uint32_t bucket = (uint32_t)__builtin_ctzll(passed);
        if (bucket == top)
            bucket_deal(timers, bucket);
        else if (!links_is_empty(timers->links, head_of(timers, bucket)))
            links_splice(timers->links, head_of(timers, bucket), head_of(timers, BUCKETS));
    }
    due_fire(timers, expire, ctx);
}

static void timer_set_advance(struct tw_timers *timers, tw_tick to, tw_expire_fn *expire, void *ctx)
{
    if (to <= timers->now)
        return;
    uint32_t top = bucket_of(to, timers->now);
    uint64_t passed = timers->used & (UINT64_MAX >> (63 - top));
    TW_COUNT(timers, comparisons, 1);
    timers->to = to;
    if (passed != 0)
        buckets_pass(timers, passed, top, expire, ctx);
    timers->now = to;
}

LINKS_AND_DUES(timer_set, timers->capacity, BUCKETS + 1);

static int timer_set_open(struct tw_timers **out, const struct tw_config *config,
                          struct tw_error *error)
{
    struct tw_timers *timers;
    int status = open_begin(&timers, sizeof *timers, timer_set_params, config, error);
    if (status != TW_OK)
        return status;
    timers->capacity = config->capacity;
    timers->now = timers->to = config->now;
    return open_end(out, timers, timer_set_allocate(timers), timer_set_footprint, timer_set_close,
                    error);
}

/* Each lower bucket is due before all of a higher one.  Buckets that stops have emptied are passed over. */
static tw_tick timer_set_next(const struct tw_timers *timers)
{
    for (uint64_t used = timers->used; used != 0; used &= used - 1) {
        uint32_t bucket = (uint32_t)__builtin_ctzll(used);
        if (!links_is_empty(timers->links, head_of(timers, bucket)))
            return timers->bounds[bucket];
    }
    return TW_NEVER;
}

static void timer_set_visit(const struct tw_timers *timers, tw_visit_fn *visit, void *ctx)
{
    for (uint32_t bucket = 0; bucket < BUCKETS; bucket++) {
        uint32_t head = head_of(timers, bucket);
        for (uint32_t id = timers->links[head].next; id != head; id = timers->links[id].next) {
            struct tw_view view = {.id = id, .deadline = timers->dues[id], .slot = bucket};
            visit(ctx, &view);
        }
    }
}

/* Invariants 3 to 5 of a bucket that is a sound ring. */
static const char *bucket_check(const struct tw_timers *timers, uint32_t head)
{
    uint32_t bucket = head - head_of(timers, 0);
    for (uint32_t id = timers->links[head].next; id != head; id = timers->links[id].next) {
        tw_tick due = timers->dues[id];
        if (due <= timers->now || bucket_of(due, timers->now) != bucket)
            return "a timer is due on a processed tick, or not in the bucket of its deadline";
        if (!(timers->used >> bucket & 1))
            return "a bucket that is not marked as used holds a timer";
        if (due < timers->bounds[bucket])
            return "a timer is due before the bound of its bucket";
    }
    return NULL;
}

static const char *timer_set_check(const struct tw_timers *timers)
{
    uint64_t held = 0;
    if (!links_is_empty(timers->links, head_of(timers, BUCKETS)))
        return "a timer still waits to fire";
    const char *broken =
        links_check_lists(timers->links, timers->capacity, timers->capacity,
                          head_of(timers, BUCKETS + 1), &held, timers, bucket_check);
    return links_check_held(timers->links, timers->capacity, held, timers->running, broken);
}

TW_TELL_WORK(timer_set);
LINKS_SPOT(timer_set, timers->capacity, head_of(timers, BUCKETS), bucket_check);
const struct tw_spot TW_SPOT(timer_set) = {timer_set_spot};
const struct tw_backend TW_BACKEND(timer_set) = {
    .abi_version = TW_ABI_VERSION,
    .name = "timer-set",
    .summary = "64 buckets by the highest differing bit, a radix heap (Seastar)",
    .traits = {.flags = TW_TICKLESS,
               .start = {TW_O_1, TW_O_1},
               .stop = {TW_O_1, TW_O_1},
               .expire = {TW_O_1, TW_O_1},
               .tick = {TW_O_1, TW_O_N}},
    TW_HOOKS(timer_set, wheel),
};
