/*
 * hier_bitmap.c - tickless hierarchical wheel: levels of 64 slots with a bit for each slot that
 * holds something, after W. Ahern's timeout.c (scheme 7 of Varghese & Lauck in binary digits).
 *
 *     level      the highest digit, to the base 64, in which due and now differ
 *     slot       that digit of due
 *
 *     now = 0:01:05 in digits to the base 64       marks, from slot 0 on
 *
 *     level 0    0:01:[05]..63                     .....[ ].......x.......    0:01:13
 *     level 1    0:[01]..63                        .[ ]...................
 *     level 2    [0]..63                           [ ].x..................    2:30:00 and 2:07:41
 *
 *     Marks are only right of now.  The first of the lowest level is the next thing to happen: slot
 *     13 of level 0 fires.  Then slot 2 of level 2 begins: its timers go to where they differ from
 *     the clock.
 *
 *              average                            worst
 *     start    O(1)                               O(1)
 *     stop     O(1)                               O(1)
 *     tick     O(1), cascades spread over ticks   O(n), when the slot that cascades holds all
 *     advance  O(levels) a timer and a slot in use; nothing for empty ones, however long the jump
 *     next     O(levels)                          O(slots), when all were left by stops
 *     exactly  O(levels), and the timers of one slot; stops pay for the slots that they left
 *     memory   16 bytes a timer, 40 KiB of slots; nothing is allocated after open
 *
 * Invariants, tested by check (between calls), level by level:
 *  1. Every list is a ring: forward and back links agree and lead to running timers only.
 *  2. A slot that holds something is marked.
 *  3. Only slots after that of now are marked.
 *  4. Every due tick is later than now.
 *  5. A timer is in the level and slot of its due tick, in the lane of its id.
 *  6. The timers in the slots are as many as run, and all others are idle.
 *
 * Departures from timeout.c.  Levels go by the digits of the absolute due tick, not by the delay,
 * so a mark's place in time follows from the clock, and one look tells what is next.  A cascade
 * moves a timer straight to where it belongs, and walks eight lists at once, so that eight cache
 * misses are under way instead of one (hier.c).  A jump of the clock looks into a slot of few
 * timers, and goes to the first of them instead of to the begin of their slot: a lone timer is
 * moved once, however far away it was.  For the same reason next is the due tick itself where few
 * timers share the slot, and else the begin of the slot, a lower bound.  A stop leaves the mark
 * of a slot alone, and who comes to an empty slot wipes it.
 *
 * It loses when most timers fire after a long delay tick by tick: each is moved up to once per
 * level on its way, and there are more levels than with a first level of 256; and where the tail
 * matters: the tick on which a well-filled slot cascades is long.
 */
#include "design.h"
#include "lanes.h"
#include "links.h"

#define SLOT_BITS 6u /* of a level: its marks are one word */
#define SLOTS     (1u << SLOT_BITS)
#define LEVELS    11u /* these reach the end of the clock */
/* Level 0 has one list per slot, because its timers were linked a moment ago. */
#define LISTS (SLOTS + (LEVELS - 1) * SLOTS * LANES)
/* Timers of a slot that are looked at, at most, to tell more than its begin. */
#define FEW 8u

TW_NO_SETTINGS(hier_bitmap, TW_DEADLINE_MAX);

struct tw_timers {
    struct link *links; /* timers, then the slots level by level */
    tw_tick *dues;      /* of running timers */
    tw_tick now;        /* the tick being processed */
    uint32_t capacity;  /* also the index of the first list of level 0 */
    uint32_t running;
    uint64_t used[LEVELS]; /* bit per slot: it may hold something */
    TW_WORK_FIELD
};

#include "batches.h"
#include "wheel.h"

/* A slot to come, and the tick at which it begins. */
struct coming {
    tw_tick begin;
    uint32_t level, slot;
};

static inline uint32_t level_of(tw_tick due, tw_tick now)
{
    return (63 - (uint32_t)__builtin_clzll((due ^ now) | 1)) / SLOT_BITS;
}

static inline uint32_t slot_of(tw_tick tick, uint32_t level)
{
    return (uint32_t)(tick >> level * SLOT_BITS) % SLOTS;
}

/* The first list of a slot. */
static inline uint32_t slot_list(const struct tw_timers *timers, uint32_t level, uint32_t slot)
{
    uint32_t index = ((level << SLOT_BITS | slot) << LANE_BITS) - SLOTS * (LANES - 1);
    return timers->capacity + (level == 0 ? slot : index);
}

static inline uint32_t lanes_of(uint32_t level)
{
    return level == 0 ? 1 : LANES;
}

static inline void timer_place(struct tw_timers *timers, tw_id id, tw_tick due)
{
    uint32_t level = level_of(due, timers->now), slot = slot_of(due, level);
    uint32_t lane = level == 0 ? 0 : id % LANES;
    timers->used[level] |= UINT64_C(1) << slot;
    links_append(timers->links, slot_list(timers, level, slot) + lane, id);
    TW_COUNT(timers, link_writes, LINKS_APPEND_WRITES);
}

static inline void timer_enter(struct tw_timers *timers, tw_id id, tw_tick due)
{
    timers->dues[id] = due;
    timer_place(timers, id, due);
}

/* Moves all timers of an upper slot that now lies in down.  The lanes take turns, so that the next
 * timer of a lane has arrived in the cache by the time its turn comes. */
static void slot_cascade(struct tw_timers *timers, uint32_t list)
{
    uint32_t lane[LANES];
    uint32_t lanes = lanes_take(timers->links, timers->dues, list, lane);
    TW_COUNT(timers, cascades, lanes != 0);
    while (lanes > 0)
        for (uint32_t i = 0; i < lanes; i++) {
            uint32_t id = lane_step(timers->links, timers->dues, timers->capacity, lane, &lanes, i);
            TW_COUNT(timers, visits, 1);
            TW_COUNT(timers, moves, 1);
            timer_place(timers, id, timers->dues[id]);
        }
}

/* Fires the slot of level 0 that now lies in, from where it is: no start can link into it.  Kept
 * out of line, so that the step over an empty slot, by far the most frequent call, saves no
 * registers. */
__attribute__((noinline)) static void slot_fire(struct tw_timers *timers, tw_expire_fn *expire,
                                                void *ctx)
{
    struct link *links = timers->links;
    uint32_t slot = slot_of(timers->now, 0), list = slot_list(timers, 0, slot);
    timers->used[0] &= ~(UINT64_C(1) << slot);
    TW_COUNT(timers, empty_ticks, links_is_empty(links, list));
    for (uint32_t id; (id = links[list].next) != list;) {
        links_remove(links, id);
        links_set_idle(links, id);
        __builtin_prefetch(&links[links[list].next]);
        TW_COUNT(timers, visits, 1);
        TW_COUNT(timers, link_writes, LINKS_REMOVE_WRITES + 1);
        timers->running--;
        expire(ctx, id, timers->now);
    }
}

static inline void now_fire(struct tw_timers *timers, tw_expire_fn *expire, void *ctx)
{
    if (timers->used[0] >> slot_of(timers->now, 0) & 1)
        slot_fire(timers, expire, ctx);
    else
        TW_COUNT(timers, empty_ticks, 1);
}

/* The first marked slot from `level` on and within `marks` of that level; level LEVELS if there is
 * none. */
static struct coming slot_find(const struct tw_timers *timers, uint32_t level, uint64_t marks)
{
    while (marks == 0 && ++level < LEVELS)
        marks = timers->used[level];
    if (level == LEVELS)
        return (struct coming){TW_NEVER, LEVELS, 0};
    uint32_t slot = (uint32_t)__builtin_ctzll(marks), shift = level * SLOT_BITS;
    tw_tick revolution = timers->now >> shift >> SLOT_BITS << SLOT_BITS;
    return (struct coming){(revolution | slot) << shift, level, slot};
}

/* The first due tick of a slot of few timers, the begin of one of many, or TW_NEVER if it is empty.
 * In level 0 both are the same. */
static tw_tick slot_first(const struct tw_timers *timers, const struct coming *coming)
{
    tw_tick first = TW_NEVER;
    uint32_t seen = 0;
    uint32_t list = slot_list(timers, coming->level, coming->slot);
    for (uint32_t head = list; head < list + lanes_of(coming->level); head++)
        for (uint32_t id = timers->links[head].next; id != head; id = timers->links[id].next) {
            if (coming->level == 0 || ++seen > FEW)
                return coming->begin;
            if (timers->dues[id] < first)
                first = timers->dues[id];
        }
    return first;
}

LINKS_AND_DUES(hier_bitmap, timers->capacity, LISTS);

static int hier_bitmap_open(struct tw_timers **out, const struct tw_config *config,
                            struct tw_error *error)
{
    struct tw_timers *timers;
    int status = open_begin(&timers, sizeof *timers, hier_bitmap_params, config, error);
    if (status != TW_OK)
        return status;
    timers->now = config->now;
    timers->capacity = config->capacity;
    return open_end(out, timers, hier_bitmap_allocate(timers), hier_bitmap_footprint,
                    hier_bitmap_close, error);
}

/* From one slot in use to the next, until the clock is at `to`. */
__attribute__((noinline)) static void clock_move(struct tw_timers *timers, tw_tick to,
                                                 tw_expire_fn *expire, void *ctx)
{
    while (timers->now < to) {
        if (timers->running == 0)
            memset(timers->used, 0, sizeof timers->used);
        struct coming coming = slot_find(timers, 0, timers->used[0]);
        TW_COUNT(timers, pointer_moves, 1);
        if (coming.begin > to) {
            timers->now = to;
            TW_COUNT(timers, empty_ticks, 1);
            return;
        }
        tw_tick first = slot_first(timers, &coming);
        if (coming.level > 0 || first == TW_NEVER)
            timers->used[coming.level] &= timers->used[coming.level] - 1;
        if (first == TW_NEVER)
            continue;
        timers->now = first < to ? first : to;
        if (coming.level > 0)
            slot_cascade(timers, slot_list(timers, coming.level, coming.slot));
        now_fire(timers, expire, ctx);
    }
}

/* A single step within a revolution of level 0 needs no look at the other levels. */
static void hier_bitmap_advance(struct tw_timers *timers, tw_tick to, tw_expire_fn *expire,
                                void *ctx)
{
    if (to > timers->now && to - timers->now == 1 && to % SLOTS != 0) {
        timers->now = to;
        TW_COUNT(timers, pointer_moves, 1);
        now_fire(timers, expire, ctx);
    } else {
        clock_move(timers, to, expire, ctx);
    }
}

static tw_tick hier_bitmap_next(const struct tw_timers *timers)
{
    uint32_t level = 0;
    uint64_t marks = timers->used[0];
    while (timers->running > 0) {
        struct coming coming = slot_find(timers, level, marks);
        tw_tick first = slot_first(timers, &coming);
        if (first != TW_NEVER)
            return first;
        level = coming.level;
        marks = timers->used[level] & (UINT64_MAX << coming.slot << 1);
    }
    return TW_NEVER;
}

/* Slots come up in the order of their levels and places: the first that holds somebody has the earliest.  The marks of
 * those that were left by all go on the way. */
static tw_tick hier_bitmap_exact(struct tw_timers *timers)
{
    while (timers->running > 0) {
        struct coming coming = slot_find(timers, 0, timers->used[0]);
        uint32_t list = slot_list(timers, coming.level, coming.slot);
        tw_tick first = TW_NEVER;
        for (uint32_t head = list; head < list + lanes_of(coming.level); head++)
            for (uint32_t id = timers->links[head].next; id != head; id = timers->links[id].next) {
                first = timers->dues[id] < first ? timers->dues[id] : first;
                if (coming.level == 0)
                    break;
            }
        if (first != TW_NEVER)
            return first;
        timers->used[coming.level] &= timers->used[coming.level] - 1;
    }
    return TW_NEVER;
}

static void hier_bitmap_visit(const struct tw_timers *timers, tw_visit_fn *visit, void *ctx)
{
    for (uint32_t head = timers->capacity, end = timers->capacity + LISTS;
         (head = links_first_used(timers->links, head, end)) < end; head++) {
        uint32_t index = head - timers->capacity, position = index + SLOTS * (LANES - 1);
        for (uint32_t id = timers->links[head].next; id != head; id = timers->links[id].next) {
            struct tw_view view = {
                .id = id,
                .deadline = timers->dues[id],
                .level = index < SLOTS ? 0 : position >> LANE_BITS >> SLOT_BITS,
                .slot = index < SLOTS ? index : (position >> LANE_BITS) % SLOTS,
            };
            visit(ctx, &view);
        }
    }
}

/* Invariants 4 and 5, for one list whose links are known to be sound. */
static const char *list_check(const struct tw_timers *timers, uint32_t head)
{
    for (uint32_t id = timers->links[head].next; id != head; id = timers->links[id].next) {
        tw_tick due = timers->dues[id];
        if (due <= timers->now)
            return "a timer is still held after its due tick";
        uint32_t level = level_of(due, timers->now);
        uint32_t list = slot_list(timers, level, slot_of(due, level));
        if (head != list + (level == 0 ? 0 : id % LANES))
            return "a timer is not in the level, slot and lane of its due tick";
    }
    return NULL;
}

/* Invariants 1 to 5, for a level; adds how many timers it holds to *held.  Slots that are not marked need
 * no look: all timers that run have to be found in the marked ones. */
static const char *level_check(const struct tw_timers *timers, uint32_t level, uint64_t *held)
{
    uint64_t marks = timers->used[level];
    if (marks & UINT64_MAX >> (SLOTS - 1 - slot_of(timers->now, level)))
        return "a slot is marked that the clock has passed";
    const char *broken = NULL;
    for (; !broken && marks != 0; marks &= marks - 1) {
        uint32_t list = slot_list(timers, level, (uint32_t)__builtin_ctzll(marks));
        broken = links_check_lists(timers->links, timers->capacity, list, list + lanes_of(level),
                                   held, timers, list_check);
    }
    return broken;
}

static const char *hier_bitmap_check(const struct tw_timers *timers)
{
    uint64_t held = 0;
    const char *broken = NULL;
    for (uint32_t level = 0; !broken && level < LEVELS; level++)
        broken = level_check(timers, level, &held);
    return links_check_held(timers->links, timers->capacity, held, timers->running, broken);
}

BATCH_HOOKS(hier_bitmap, wheel);
const struct tw_batch TW_BATCH(hier_bitmap) = {hier_bitmap_start_many, hier_bitmap_stop_many};

const struct tw_exact TW_EXACT(hier_bitmap) = {hier_bitmap_exact};

TW_TELL_WORK(hier_bitmap);
LINKS_SPOT(hier_bitmap, timers->capacity, timers->capacity + LISTS, list_check);
const struct tw_spot TW_SPOT(hier_bitmap) = {hier_bitmap_spot};
const struct tw_backend TW_BACKEND(hier_bitmap) = {
    .abi_version = TW_ABI_VERSION,
    .name = "hier-bitmap",
    .summary = "tickless hierarchical wheel, bitmaps of used slots, 64 slots a level (scheme 7)",
    .traits = {.flags = TW_ORDERED | TW_TICKLESS,
               .start = {TW_O_1, TW_O_1},
               .stop = {TW_O_1, TW_O_1},
               .expire = {TW_O_1, TW_O_1},
               .tick = {TW_O_1, TW_O_N}},
    TW_HOOKS(hier_bitmap, wheel),
};
