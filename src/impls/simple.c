/*
 * simple.c - simple timing wheel: scheme 4 of Varghese & Lauck (section 5): one slot for each tick
 * that a timer may wait, and so nothing to compare.
 *
 *     slot = due mod range                        now = 10, range = 8
 *
 *       0        1        2        3        4        5        6        7
 *     +----+   +----+   +----+   +----+   +----+   +----+   +----+   +----+
 *     |    |   |    |   | 18 |   | 11 |   | 12 |   |    |   |    |   | 15 |
 *     +----+   +----+   +-^--+   | 11 |   +----+   +----+   +----+   +----+
 *                         |      +----+
 *                    the pointer   ^ all of them fire at tick 11; 19 could not be started yet
 *
 *              average     worst
 *     start    O(1)        O(1)
 *     stop     O(1)        O(1)
 *     tick     O(1)        O(1)     and O(1) for each that fires
 *     advance  the ticks of the jump, but no more than `range` of them for nothing
 *     next     O(range)    O(range) slot by slot, until one is not empty
 *     memory   8 bytes a timer, 8 bytes a slot; nothing is allocated after open
 *
 * A timer keeps no deadline: the slot it is in says when it is due.  That makes it the smallest of
 * all, two links, and expiry touches nothing else.
 *
 * Invariants, tested by check in this order (between calls):
 *  1. Every list is a ring: forward and back links agree and lead to running timers only.
 *  2. Nothing is on the list of the due.
 *  3. The pointer is at the slot of now.
 *  4. The timers in the slots are as many as run, and all others are idle.
 * A timer in a wrong slot is a right one for another tick: only who started it can tell, by what
 * visit reports.
 *
 * Departures from the paper.  The pointer's slot is emptied to a list of its own before anything
 * fires, so that a callback may start a timer for the whole range, into the slot it came from.  The
 * range need not be a power of two: the slot is counted from the pointer, which takes a comparison
 * where another wheel takes a mask.
 *
 * It loses where delays are long against the tick: it refuses what is beyond its range, and a range
 * for ten days at a second is 864,000 slots, nearly all of them empty, through which the pointer
 * and next have to go one by one, and which leave the cache.
 */
#include "design.h"
#include "links.h"

/* More would leave no room for as many timers and the list of the due in a 32-bit index space. */
#define RANGE_MAX (UINT64_C(1) << 30)
/* Up to here, 128 MiB, the horizon is taken at its word; what is beyond is refused at start, unless
 * the range is given. */
#define RANGE_DEFAULT_MAX (UINT64_C(1) << 24)
/* Without a horizon: some seconds at a tick of a millisecond, 32 KiB. */
#define RANGE_DEFAULT (UINT64_C(1) << 12)
/* Ticks between the prefetch of a slot's first timer and its turn: about one memory latency at the
 * few nanoseconds that a tick takes. */
#define PREFETCH_TICKS 8

static const struct tw_param simple_params[] = {
    {"range",
     "longest delay in ticks, and slots of the wheel (default: the horizon, at most 2^24; 4096 "
     "when it is unknown)",
     1, RANGE_MAX, 1},
    {NULL, NULL, 0, 0, 0},
};

struct tw_timers {
    struct link *links;  /* timers, then the slots, then the list of the due */
    tw_tick now;         /* the tick being processed */
    uint32_t range;      /* ticks, and slots */
    uint32_t pointer;    /* the slot of now */
    uint32_t slot_heads; /* index of slot 0: the capacity */
    uint32_t due_head;   /* index of the list of the due */
    uint32_t running;
    TW_WORK_FIELD
};

#define WHEEL_SPAN(timers) (timers)->range
#include "wheel.h"

/* The list of what is due in `ticks`, 1 .. range. */
static inline uint32_t slot_ahead(const struct tw_timers *timers, uint32_t ticks)
{
    uint32_t slot = timers->pointer + ticks;
    slot -= slot >= timers->range ? timers->range : 0;
    return timers->slot_heads + slot;
}

static inline void timer_enter(struct tw_timers *timers, tw_id id, tw_tick due)
{
    links_append(timers->links, slot_ahead(timers, (uint32_t)(due - timers->now)), id);
    TW_COUNT(timers, link_writes, LINKS_APPEND_WRITES);
}

/* Not across the end of the array, so that it costs no more than a branch that is foreseen. */
__attribute__((always_inline)) static inline void slot_prefetch(const struct tw_timers *timers)
{
    uint32_t slot = timers->pointer + PREFETCH_TICKS;
    if (slot < timers->range)
        __builtin_prefetch(&timers->links[timers->links[timers->slot_heads + slot].next]);
}

/* Fires what is in a slot that is not empty.  For each it takes a step along the list of the coming
 * slot, so that the cache misses of that walk are under way together with those of the callbacks.
 * Kept out of line, so that the step over an empty slot saves no registers. */
__attribute__((noinline)) static void slot_fire(struct tw_timers *timers, uint32_t head,
                                                tw_expire_fn *expire, void *ctx)
{
    struct link *links = timers->links;
    links_take(links, head, timers->due_head);
    TW_COUNT(timers, link_writes, LINKS_TAKE_WRITES);
    uint32_t coming = links[slot_ahead(timers, 1)].next;
    for (uint32_t id; (id = links[timers->due_head].next) != timers->due_head;) {
        links_remove(links, id);
        links_set_idle(links, id);
        TW_COUNT(timers, visits, 1);
        TW_COUNT(timers, link_writes, LINKS_REMOVE_WRITES + 1);
        timers->running--;
        if (coming < timers->slot_heads)
            coming = links[coming].next;
        expire(ctx, id, timers->now);
    }
}

static inline void clock_step(struct tw_timers *timers, tw_expire_fn *expire, void *ctx)
{
    uint32_t head = slot_ahead(timers, 1);
    timers->pointer = head - timers->slot_heads;
    timers->now++;
    TW_COUNT(timers, pointer_moves, 1);
    slot_prefetch(timers);
    if (links_is_empty(timers->links, head))
        TW_COUNT(timers, empty_ticks, 1);
    else
        slot_fire(timers, head, expire, ctx);
}

/* Any advance but a single step.  While something runs it is at most `range` slots away; when
 * nothing does any more, the rest of the way is arithmetic. */
__attribute__((noinline)) static void clock_move(struct tw_timers *timers, tw_tick to,
                                                 tw_expire_fn *expire, void *ctx)
{
    while (timers->now < to && timers->running > 0)
        clock_step(timers, expire, ctx);
    if (timers->now >= to)
        return;
    timers->now = to;
    timers->pointer = (uint32_t)(to % timers->range);
}

/* A tick for every delay that is expected. */
static uint64_t range_default(const struct tw_config *config)
{
    if (config->horizon == 0)
        return RANGE_DEFAULT;
    return config->horizon < RANGE_DEFAULT_MAX ? config->horizon : RANGE_DEFAULT_MAX;
}

static void simple_close(struct tw_timers *timers)
{
    free(timers->links);
    free(timers);
}

static struct tw_footprint simple_footprint(const struct tw_timers *timers)
{
    uint64_t lists = (uint64_t)timers->range + 1;
    return (struct tw_footprint){
        .fixed_bytes = sizeof *timers + lists * sizeof(struct link),
        .capacity_bytes = timers->slot_heads * (uint64_t)sizeof(struct link),
    };
}

static int simple_open(struct tw_timers **out, const struct tw_config *config,
                       struct tw_error *error)
{
    struct tw_timers *timers;
    int status = open_begin(&timers, sizeof *timers, simple_params, config, error);
    if (status != TW_OK)
        return status;
    timers->range = (uint32_t)setting_of(config, "range", range_default(config));
    timers->now = config->now;
    timers->pointer = (uint32_t)(config->now % timers->range);
    timers->slot_heads = config->capacity;
    timers->due_head = config->capacity + timers->range;
    timers->links = links_new(config->capacity, timers->range + 1);
    return open_end(out, timers, timers->links != NULL, simple_footprint, simple_close, error);
}

static void simple_advance(struct tw_timers *timers, tw_tick to, tw_expire_fn *expire, void *ctx)
{
    if (to > timers->now && to - timers->now == 1)
        clock_step(timers, expire, ctx);
    else
        clock_move(timers, to, expire, ctx);
}

static tw_tick simple_next(const struct tw_timers *timers)
{
    if (timers->running == 0)
        return TW_NEVER;
    uint32_t ticks = 1;
    while (links_is_empty(timers->links, slot_ahead(timers, ticks)))
        ticks++;
    return timers->now + ticks;
}

static void simple_visit(const struct tw_timers *timers, tw_visit_fn *visit, void *ctx)
{
    uint32_t seen = 0;
    for (uint32_t ticks = 1; seen < timers->running; ticks++) {
        uint32_t head = slot_ahead(timers, ticks);
        for (uint32_t id = timers->links[head].next; id != head; id = timers->links[id].next) {
            seen++;
            struct tw_view view = {
                .id = id, .deadline = timers->now + ticks, .slot = head - timers->slot_heads};
            visit(ctx, &view);
        }
    }
}

static const char *simple_check(const struct tw_timers *timers)
{
    uint64_t held = 0;
    const char *broken =
        links_check_all(timers->links, timers->slot_heads, timers->due_head + 1, &held);
    if (broken)
        return broken;
    if (!links_is_empty(timers->links, timers->due_head))
        return "a timer was left on the list of the due";
    if (timers->pointer != timers->now % timers->range)
        return "the pointer is not at the slot of now";
    return links_check_held(timers->links, timers->slot_heads, held, timers->running, NULL);
}

static void simple_describe(const struct tw_timers *timers, struct tw_description *out)
{
    describe_one(out, timers->range, "range", timers->range);
}

TW_TELL_WORK(simple);
const struct tw_backend TW_BACKEND(simple) = {
    .abi_version = TW_ABI_VERSION,
    .name = "simple",
    .summary = "simple wheel, one slot for each tick of its range (scheme 4)",
    .traits = {.flags = TW_ORDERED | TW_FIFO | TW_NEXT_EXACT,
               .start = {TW_O_1, TW_O_1},
               .stop = {TW_O_1, TW_O_1},
               .expire = {TW_O_1, TW_O_1},
               .tick = {TW_O_1, TW_O_1}},
    TW_HOOKS(simple, wheel),
};
