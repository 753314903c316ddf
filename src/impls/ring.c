/*
 * ring.c - ring of sets for idle timeouts: a slot for each tick up to the timeout and one more,
 * each with the set of the ids that expire on its tick, and a map from id to slot.  Traffic moves
 * an id to the slot just behind the pointer, where the pointer comes last.
 *
 *     slot = due mod (timeout + 1)                now = 10, timeout = 7
 *
 *       0        1        2        3        4        5        6        7
 *     +----+   +----+   +----+   +----+   +----+   +----+   +----+   +----+
 *     |{}  |   |{5} |   |{}  |   |{3} |   |{}  |   |{0,8}   |{}  |   |{2} |
 *     +----+   +--^-+   +-^--+   +-|--+   +----+   +----+   +----+   +----+
 *                 |       |        |
 *                 |  the pointer   |        map    id    0  2  3  5  8
 *                 +----------------+               slot  5  7  3  1  5
 *                  traffic of id 3, else expired at tick 11
 *
 *              average     worst
 *     start    O(1)        O(1)     nothing at all when the id is in that set already
 *     stop     O(1)        O(1)
 *     tick     O(1)        O(1)     and O(1) for each that fires
 *     advance  the ticks of the jump, but no more than `timeout` of them for nothing
 *     next     O(timeout)  O(timeout) set by set, until one is not empty
 *     memory   12 bytes a timer, 8 bytes a slot; nothing is allocated after open
 *
 * Invariants, tested by check in this order (between calls):
 *  1. Every set is a ring: forward and back links agree and lead to timers below the capacity.
 *  2. The map has each id of a set in the slot of that set.
 *  3. The pointer is at the slot of now.
 *  4. The set of the pointer is empty.
 *  5. The ids in the sets are as many as run, and the map has no others.
 *
 * It is scheme 4, the simple wheel of simple.c, in other words.  The slot more keeps the pointer's
 * set apart from where its callbacks start, so that it is emptied in place.  The map tells traffic
 * that comes twice within one tick from the rest at the cost of one read; it costs 4 bytes a timer,
 * and a write whenever the id does move.  Where an id hardly ever has traffic twice in a tick, as
 * in the keepalive workload, it does not pay: 1.0 to 1.4 times the cost of simple.c with 1e5
 * timers, 1.7 times with 1e6, measured side by side on a busy machine.  A delay shorter than the
 * timeout is honoured exactly, so this is more than a ring for one constant; a longer one is
 * refused.
 *
 * Departures from the idea as published, which takes a hash set.  The sets are lists linked through
 * the ids.  Compact arrays - chunks of 15 ids, the gap of a removed id filled by the last - were
 * built and measured in the same way: 2.7 to 4.3 times the cost of simple.c with 1e5 timers, 5.6
 * times with 1e6, and 36 bytes a timer at three ids a set, because a removal waits for the last id
 * of its set to be read, where a list only writes.  Ties have no order, because an id that is in
 * its set already keeps its place.
 *
 * It loses where delays differ much and are long against the tick, like every wheel with a slot for
 * each of them.
 */
#include "design.h"
#include "links.h"

/* More slots would leave no room for as many timers in a 32-bit index space. */
#define TIMEOUT_MAX ((UINT64_C(1) << 30) - 1)
/* Up to here, 128 MiB, the horizon is taken at its word; what is beyond is refused at start, unless
 * the timeout is given. */
#define TIMEOUT_DEFAULT_MAX (UINT64_C(1) << 24)
/* Without a horizon: some seconds at a tick of a millisecond, 32 KiB. */
#define TIMEOUT_DEFAULT (UINT64_C(1) << 12)
/* Ticks between the prefetch of a set and its turn: about one memory latency at the few nanoseconds
 * that a tick takes. */
#define PREFETCH_TICKS 8

/* In the map: idle. */
#define SLOT_NONE UINT32_MAX

static const struct tw_param ring_params[] = {
    {"timeout",
     "idle timeout and longest delay in ticks; the ring has one slot more (default: the horizon, "
     "at most 2^24; 4096 when it is unknown)",
     1, TIMEOUT_MAX, 1},
    {NULL, NULL, 0, 0, 0},
};

struct tw_timers {
    struct link *links; /* timers, then the sets of the slots */
    uint32_t *slots_of; /* the map: by id, its slot or SLOT_NONE */
    tw_tick now;        /* the tick being processed */
    uint32_t slots;     /* timeout + 1 */
    uint32_t pointer;   /* the slot of now */
    uint32_t set_heads; /* index of the set of slot 0: the capacity */
    uint32_t running;
    TW_WORK_FIELD
};

static inline uint32_t set_head(const struct tw_timers *timers, uint32_t slot)
{
    return timers->set_heads + slot;
}

static inline void set_add(struct tw_timers *timers, uint32_t slot, tw_id id)
{
    timers->slots_of[id] = slot;
    links_append(timers->links, set_head(timers, slot), id);
    TW_COUNT(timers, link_writes, LINKS_APPEND_WRITES + 1);
}

/* Takes an id out of its set; the map is the caller's. */
static inline void set_remove(struct tw_timers *timers, tw_id id)
{
    links_remove(timers->links, id);
    TW_COUNT(timers, link_writes, LINKS_REMOVE_WRITES);
}

/* Takes an id out of its set and out of the map. */
static inline void timer_end(struct tw_timers *timers, tw_id id)
{
    set_remove(timers, id);
    timers->slots_of[id] = SLOT_NONE;
    TW_COUNT(timers, link_writes, 1);
    timers->running--;
}

/* The slot whose turn comes in `ticks`, 1 .. slots - 1. */
static inline uint32_t slot_ahead(const struct tw_timers *timers, uint32_t ticks)
{
    uint32_t slot = timers->pointer + ticks;
    return slot - (slot >= timers->slots ? timers->slots : 0);
}

/* Not across the end of the array, so that it costs no more than a branch that is foreseen. */
__attribute__((always_inline)) static inline void set_prefetch(const struct tw_timers *timers)
{
    uint32_t slot = timers->pointer + PREFETCH_TICKS;
    if (slot < timers->slots)
        __builtin_prefetch(&timers->links[timers->links[set_head(timers, slot)].next]);
}

/* Fires a set that is not empty: the pointer's, which no callback can start into.  For each it
 * takes a step along the coming set, so that the cache misses of that walk are under way together
 * with those of the callbacks. */
__attribute__((noinline)) static void set_fire(struct tw_timers *timers, uint32_t head,
                                               tw_expire_fn *expire, void *ctx)
{
    const struct link *links = timers->links;
    uint32_t coming = links[set_head(timers, slot_ahead(timers, 1))].next;
    for (uint32_t id; (id = links[head].next) != head;) {
        timer_end(timers, id);
        TW_COUNT(timers, visits, 1);
        if (coming < timers->set_heads)
            coming = links[coming].next;
        expire(ctx, id, timers->now);
    }
}

static inline void clock_step(struct tw_timers *timers, tw_expire_fn *expire, void *ctx)
{
    timers->pointer = slot_ahead(timers, 1);
    timers->now++;
    TW_COUNT(timers, pointer_moves, 1);
    set_prefetch(timers);
    uint32_t head = set_head(timers, timers->pointer);
    if (links_is_empty(timers->links, head))
        TW_COUNT(timers, empty_ticks, 1);
    else
        set_fire(timers, head, expire, ctx);
}

/* Any advance but a single step.  While something runs it is less than a revolution away; when
 * nothing does any more, the rest of the way is arithmetic. */
__attribute__((noinline)) static void clock_move(struct tw_timers *timers, tw_tick to,
                                                 tw_expire_fn *expire, void *ctx)
{
    while (timers->now < to && timers->running > 0)
        clock_step(timers, expire, ctx);
    if (timers->now >= to)
        return;
    timers->now = to;
    timers->pointer = (uint32_t)(to % timers->slots);
}

static uint64_t timeout_default(const struct tw_config *config)
{
    if (config->horizon == 0)
        return TIMEOUT_DEFAULT;
    return config->horizon < TIMEOUT_DEFAULT_MAX ? config->horizon : TIMEOUT_DEFAULT_MAX;
}

static void ring_close(struct tw_timers *timers)
{
    free(timers->links);
    free(timers->slots_of);
    free(timers);
}

static struct tw_footprint ring_footprint(const struct tw_timers *timers)
{
    const size_t id_bytes = sizeof *timers->links + sizeof *timers->slots_of;
    return (struct tw_footprint){
        .fixed_bytes = sizeof *timers + timers->slots * (uint64_t)sizeof *timers->links,
        .capacity_bytes = timers->set_heads * (uint64_t)id_bytes,
    };
}

/* Both arrays or none of them. */
static bool ring_allocate(struct tw_timers *timers)
{
    size_t map_bytes = timers->set_heads * sizeof *timers->slots_of;
    timers->links = links_new(timers->set_heads, timers->slots);
    timers->slots_of = malloc(map_bytes);
    if (!timers->links || !timers->slots_of)
        return false;
    memset(timers->slots_of, 0xff, map_bytes);
    return true;
}

static int ring_open(struct tw_timers **out, const struct tw_config *config, struct tw_error *error)
{
    struct tw_timers *timers;
    int status = open_begin(&timers, sizeof *timers, ring_params, config, error);
    if (status != TW_OK)
        return status;
    timers->slots = (uint32_t)setting_of(config, "timeout", timeout_default(config)) + 1;
    timers->now = config->now;
    timers->pointer = (uint32_t)(config->now % timers->slots);
    timers->set_heads = config->capacity;
    return open_end(out, timers, ring_allocate(timers), ring_footprint, ring_close, error);
}

static int ring_start(struct tw_timers *timers, tw_id id, tw_tick deadline)
{
    if (__builtin_expect(deadline <= timers->now, 0)) {
        if (timers->now >= TW_DEADLINE_MAX)
            return TW_REFUSED_RANGE;
        deadline = timers->now + 1;
    }
    if (deadline - timers->now >= timers->slots)
        return TW_REFUSED_RANGE;
    uint32_t slot = slot_ahead(timers, (uint32_t)(deadline - timers->now));
    uint32_t before = timers->slots_of[id];
    if (before == slot)
        return TW_REARMED;
    if (before == SLOT_NONE)
        timers->running++;
    else
        set_remove(timers, id);
    set_add(timers, slot, id);
    return before == SLOT_NONE ? TW_OK : TW_REARMED;
}

static int ring_stop(struct tw_timers *timers, tw_id id)
{
    if (timers->slots_of[id] == SLOT_NONE)
        return TW_IDLE;
    timer_end(timers, id);
    return TW_OK;
}

static void ring_advance(struct tw_timers *timers, tw_tick to, tw_expire_fn *expire, void *ctx)
{
    if (to > timers->now && to - timers->now == 1)
        clock_step(timers, expire, ctx);
    else
        clock_move(timers, to, expire, ctx);
}

static tw_tick ring_next(const struct tw_timers *timers)
{
    if (timers->running == 0)
        return TW_NEVER;
    uint32_t ticks = 1;
    while (links_is_empty(timers->links, set_head(timers, slot_ahead(timers, ticks))))
        ticks++;
    return timers->now + ticks;
}

static void ring_visit(const struct tw_timers *timers, tw_visit_fn *visit, void *ctx)
{
    uint32_t seen = 0;
    for (uint32_t ticks = 1; seen < timers->running; ticks++) {
        uint32_t slot = slot_ahead(timers, ticks), head = set_head(timers, slot);
        for (uint32_t id = timers->links[head].next; id != head; id = timers->links[id].next) {
            seen++;
            visit(ctx, &(struct tw_view){.id = id, .deadline = timers->now + ticks, .slot = slot});
        }
    }
}

/* Invariants 1 and 2, for one slot; adds the length of its set. */
static const char *set_check(const struct tw_timers *timers, uint32_t slot, uint64_t *held)
{
    uint32_t head = set_head(timers, slot);
    const char *broken = links_check(timers->links, timers->set_heads, head, held);
    if (broken)
        return broken;
    for (uint32_t id = timers->links[head].next; id != head; id = timers->links[id].next)
        if (timers->slots_of[id] != slot)
            return "the map has an id elsewhere than in its set";
    return NULL;
}

static const char *ring_check(const struct tw_timers *timers)
{
    uint64_t held = 0, mapped = 0;
    for (uint32_t slot = 0; slot < timers->slots; slot++) {
        const char *broken = set_check(timers, slot, &held);
        if (broken)
            return broken;
    }
    if (timers->pointer >= timers->slots || timers->pointer != timers->now % timers->slots)
        return "the pointer is not at the slot of now";
    if (!links_is_empty(timers->links, set_head(timers, timers->pointer)))
        return "the set of the pointer is not empty";
    for (tw_id id = 0; id < timers->set_heads; id++)
        mapped += timers->slots_of[id] != SLOT_NONE;
    if (held != timers->running || mapped != held)
        return "the sets do not hold exactly the running timers";
    return NULL;
}

static void ring_describe(const struct tw_timers *timers, struct tw_description *out)
{
    describe_one(out, timers->slots - 1, "timeout", timers->slots - 1);
}

TW_TELL_WORK(ring);
const struct tw_backend TW_BACKEND(ring) = {
    .abi_version = TW_ABI_VERSION,
    .name = "ring",
    .summary = "ring of sets for one idle timeout: a map from id to slot, one slot for each tick",
    .traits = {.flags = TW_ORDERED | TW_NEXT_EXACT,
               .start = {TW_O_1, TW_O_1},
               .stop = {TW_O_1, TW_O_1},
               .expire = {TW_O_1, TW_O_1},
               .tick = {TW_O_1, TW_O_1}},
    TW_HOOKS(ring, ring),
};
