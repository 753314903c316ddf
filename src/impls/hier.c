/*
 * hier.c - hierarchical wheel with cascading: scheme 7 of Varghese & Lauck (section 6.2; the timer
 * wheel of Linux up to 4.7), with any number of levels of any sizes.
 *
 *     levels=4,3,2: a slot is worth 1, 4, 12 ticks; reach 24            now = 5, in [slot]
 *
 *     level 0        4   [ 5]    6     7      holds what is due in 6 .. 7, a tick to a slot
 *     level 1       0..3  [4..7]  8..11       holds what is due in 8 .. 11
 *     level 2      [0..11]  12..23            holds what is due from 12 on, up to 5 + 24
 *
 *     At tick 8 level 0 begins a new revolution, so slot 8..11 cascades: its timers go down to the
 *     slots of level 0.  At 12 levels 0 and 1 do, so slot 12..23 goes down to both.
 *
 *              average                            worst
 *     start    O(levels)                          O(levels)
 *     stop     O(1)                               O(1)
 *     tick     O(1), cascades spread over ticks   O(n), when the slot that cascades holds all
 *     advance  O(levels) a timer; O(sum of sizes) for any jump over empty slots
 *     next     O(slots to the next timer)         O(sum of sizes + n)
 *     memory   16 bytes a timer, 8 a slot of level 0, 64 a slot above; all of it taken at open
 *
 * Invariants, tested by check (between calls), list by list:
 *  1. The revolution of every level is the one that now lies in.
 *  2. Nothing is on the list of the due.
 *  3. Every list is a ring: forward and back links agree and lead to running timers only.
 *  4. Every due tick is later than now and within reach.
 *  5. A timer is in the lowest level whose revolution ends after its due tick, in the slot of that
 *     tick, in the lane of its id.
 *  6. A level below the last that holds a timer is marked as used.
 *  7. The timers in the slots are as many as run, and all others are idle.
 *
 * Departures from the paper.  The levels are digits of the absolute tick in mixed radix, so the
 * level of a timer follows from its due tick and the clock alone, and a cascade moves it straight
 * to where it belongs, however many levels down.  A slot of an upper level is not one list but
 * eight, chosen by id: a cascade of thousands of timers walks the eight in turn with prefetches, so
 * eight cache misses are under way at once instead of one.  (Level 0 keeps one list per slot: it is
 * short and was linked a moment ago.)  Divisions by a slot's worth are multiplications by its
 * inverse, for all sizes alike (levels.h).  A jump of the clock looks ahead for the next slot that is not
 * empty instead of stepping, level by level, so it takes no more steps than there are slots; a
 * level that no timer came to in its revolution is not looked at.  One timer 3 days, 10 hours, 50
 * minutes and 30 seconds ahead is so reached in 3 + 10 + 50 + 30 steps.
 *
 * It loses when most timers fire after a long delay: each is moved up to once per level on its way;
 * and where the tail matters: the tick on which a well-filled top slot cascades is long.
 */
#include "levels.h"

/* The sizes of Linux 2.6: a first level that most timers of a busy server start in, then small
 * ones. */
#define LEVEL_SIZE_FIRST 256
#define LEVEL_SIZE_OTHER 64

static const struct tw_param hier_params[] = {
    {"levels",
     "slots of each level, the finest first; any sizes (default: 256, then as many 64 as the "
     "horizon needs)",
     2, LEVEL_SIZE_MAX, TW_VALUES_MAX},
    {NULL, NULL, 0, 0, 0},
};

struct tw_timers {
    struct link *links; /* timers, then the slots of all levels, then the list of the due */
    tw_tick *dues;      /* of running timers */
    tw_tick now;        /* the tick being processed */
    tw_tick span;
    uint32_t top;        /* the last level */
    uint32_t slot_heads; /* index of the first list: the capacity */
    uint32_t due_head;   /* index of the list of the due */
    uint32_t running;
    /* First tick past the revolution of each level, TW_NEVER if there is none; apart from the
     * levels because every start compares with all but the last. */
    tw_tick ends[TW_VALUES_MAX];
    struct level levels[TW_VALUES_MAX];
    /* Whether a timer came to the level since its revolution began; a byte each, because a start
     * sets one without having to read it. */
    bool used[TW_VALUES_MAX];
    TW_WORK_FIELD
};

#define WHEEL_SPAN(timers) (timers)->span
#include "wheel.h"

/* What a look ahead found. */
struct find {
    tw_tick begin; /* first tick of the slot, TW_NEVER if there is none */
    uint32_t list; /* the first of the slot's lists */
    TW_WORK_FIELD
};

static inline void timer_place(struct tw_timers *timers, tw_id id, tw_tick due)
{
    uint32_t level = level_of(timers->ends, timers->top, due);
    timers->used[level] = true;
    links_append(timers->links, level_list_of(&timers->levels[level], id, due), id);
    TW_COUNT(timers, comparisons, timers->top);
    TW_COUNT(timers, link_writes, LINKS_APPEND_WRITES);
}

static inline void timer_enter(struct tw_timers *timers, tw_id id, tw_tick due)
{
    timers->dues[id] = due;
    timer_place(timers, id, due);
}

/* Moves all timers of an upper slot down.  The lanes take turns, so that the next timer of a lane
 * has arrived in the cache by the time its turn comes. */
static void slot_cascade(struct tw_timers *timers, uint32_t list)
{
    uint32_t lane[LANES];
    uint32_t lanes = lanes_take(timers->links, timers->dues, list, lane);
    TW_COUNT(timers, cascades, lanes != 0);
    while (lanes > 0)
        for (uint32_t i = 0; i < lanes; i++) {
            uint32_t id =
                lane_step(timers->links, timers->dues, timers->slot_heads, lane, &lanes, i);
            TW_COUNT(timers, visits, 1);
            TW_COUNT(timers, moves, 1);
            timer_place(timers, id, timers->dues[id]);
        }
}

/* Fires a slot of level 0.  It is emptied first: a restart by one whole reach may link into it.
 * Kept out of line, so that the step over an empty slot, by far the most frequent call, saves no
 * registers. */
__attribute__((noinline)) static void slot_fire(struct tw_timers *timers, uint32_t list,
                                                tw_expire_fn *expire, void *ctx)
{
    struct link *links = timers->links;
    links_take(links, list, timers->due_head);
    TW_COUNT(timers, link_writes, LINKS_TAKE_WRITES);
    for (uint32_t id; (id = links[timers->due_head].next) != timers->due_head;) {
        links_remove(links, id);
        links_set_idle(links, id);
        TW_COUNT(timers, visits, 1);
        TW_COUNT(timers, link_writes, LINKS_REMOVE_WRITES + 1);
        timers->running--;
        expire(ctx, id, timers->now);
    }
}

static inline void now_fire(struct tw_timers *timers, tw_expire_fn *expire, void *ctx)
{
    uint32_t list = timers->levels[0].heads + (uint32_t)(timers->now - timers->levels[0].begin);
    if (links_is_empty(timers->links, list))
        TW_COUNT(timers, empty_ticks, 1);
    else
        slot_fire(timers, list, expire, ctx);
}

/* Sets the clock, and the revolutions of the levels with it.  What a level held was due in the
 * revolution that is over; only the last one holds what is due in the next. */
static void clock_set(struct tw_timers *timers, tw_tick now)
{
    timers->now = now;
    for (uint32_t i = 0; i <= timers->top && now >= timers->ends[i]; i++) {
        struct level *level = &timers->levels[i];
        level->begin = now - now % level->revolution;
        timers->ends[i] = tick_add(level->begin, level->revolution);
        timers->used[i] = i == timers->top;
    }
}

/* Moves the clock to a tick that nothing is due before, and empties the slots that begin there: one
 * in the level above each that begins its revolution.  In any order, because none of their timers
 * goes to a slot that lies in now, except in level 0. */
static void clock_turn(struct tw_timers *timers, tw_tick now)
{
    clock_set(timers, now);
    for (uint32_t i = 0; i < timers->top && timers->levels[i].begin == now; i++) {
        const struct level *above = &timers->levels[i + 1];
        slot_cascade(timers, level_list(above, level_steps(above, now)));
    }
}

/* The first slot of the level after that of now, beginning by `limit`, that holds something. */
static inline bool level_find(const struct tw_timers *timers, uint32_t index, tw_tick limit,
                              struct find *find)
{
    const struct level *level = &timers->levels[index];
    uint64_t current = level_steps(level, timers->now);
    uint64_t last = index < timers->top ? level->size - 1 : current + level->size;
    if (last > level_steps(level, limit))
        last = level_steps(level, limit);
    for (uint64_t steps = current + 1; steps <= last; steps++) {
        uint32_t list = level_list(level, steps);
        TW_COUNT(find, pointer_moves, 1);
        if (!slot_is_empty(timers->links, level, list)) {
            find->list = list;
            find->begin = level->begin + steps * level->unit;
            return true;
        }
    }
    return false;
}

/* The first slot in the order of time, after that of now and beginning by `limit`, that holds
 * something; leaves *find alone when there is none. */
static void slot_find(const struct tw_timers *timers, tw_tick limit, struct find *find)
{
    for (uint32_t i = 0; i <= timers->top; i++) {
        if (timers->used[i] && level_find(timers, i, limit, find))
            return;
        if (timers->ends[i] > limit)
            return;
    }
}

LINKS_AND_DUES(hier, timers->slot_heads, timers->due_head + 1 - timers->slot_heads);

static int hier_open(struct tw_timers **out, const struct tw_config *config, struct tw_error *error)
{
    struct tw_timers *timers;
    int status = open_begin(&timers, sizeof *timers, hier_params, config, error);
    if (status != TW_OK)
        return status;
    struct tw_setting sizes;
    levels_resolve(config, config->horizon, LEVEL_SIZE_FIRST, LEVEL_SIZE_OTHER, &sizes);
    timers->slot_heads = config->capacity;
    timers->top = sizes.count - 1;
    status = levels_lay_out(timers->levels, &sizes, 1, config->capacity, &timers->due_head, error);
    if (status != TW_OK) {
        free(timers);
        return status;
    }
    timers->span = timers->levels[timers->top].revolution;
    if (timers->span > TW_DEADLINE_MAX)
        timers->span = TW_DEADLINE_MAX;
    clock_set(timers, config->now);
    return open_end(out, timers, hier_allocate(timers), hier_footprint, hier_close, error);
}

/* Any advance but a single step within a revolution of level 0. */
__attribute__((noinline)) static void clock_move(struct tw_timers *timers, tw_tick to,
                                                 tw_expire_fn *expire, void *ctx)
{
    while (timers->now < to) {
        struct find find = {.begin = TW_NEVER};
        if (timers->running)
            slot_find(timers, to, &find);
        TW_COUNT(timers, pointer_moves, find.work.pointer_moves > 0 ? find.work.pointer_moves : 1);
        clock_turn(timers, find.begin < to ? find.begin : to);
        now_fire(timers, expire, ctx);
    }
}

static void hier_advance(struct tw_timers *timers, tw_tick to, tw_expire_fn *expire, void *ctx)
{
    if (to > timers->now && to - timers->now == 1 && to < timers->ends[0]) {
        timers->now = to;
        TW_COUNT(timers, pointer_moves, 1);
        now_fire(timers, expire, ctx);
    } else {
        clock_move(timers, to, expire, ctx);
    }
}

/* The first slot that is not empty holds the earliest; above level 0 its timers are compared. */
static tw_tick hier_next(const struct tw_timers *timers)
{
    struct find find = {.begin = TW_NEVER};
    if (timers->running > 0)
        slot_find(timers, TW_DEADLINE_MAX, &find);
    if (find.begin == TW_NEVER)
        return TW_NEVER;
    uint32_t lanes = timers->top > 0 && find.list >= timers->levels[1].heads ? LANES : 1;
    return slot_earliest(timers->links, timers->dues, find.list, lanes);
}

static void hier_visit(const struct tw_timers *timers, tw_visit_fn *visit, void *ctx)
{
    levels_visit(timers->levels, timers->links, timers->dues, timers->running, visit, ctx);
}

/* Invariant 1. */
static const char *levels_check(const struct tw_timers *timers)
{
    for (uint32_t i = 0; i <= timers->top; i++) {
        const struct level *level = &timers->levels[i];
        if (level->begin != timers->now - timers->now % level->revolution)
            return "a level is not in the revolution of now";
        if (timers->ends[i] - level->begin != level->revolution && timers->ends[i] != TW_NEVER)
            return "a level's revolution does not end where it should";
    }
    return NULL;
}

/* Invariants 4 to 6, for one list whose links are known to be sound. */
static const char *list_check(const struct tw_timers *timers, uint32_t head)
{
    for (uint32_t id = timers->links[head].next; id != head; id = timers->links[id].next) {
        uint32_t level = level_of(timers->ends, timers->top, timers->dues[id]);
        if (timers->dues[id] <= timers->now)
            return "a timer is still held after its due tick";
        if (timers->dues[id] - timers->now > timers->span)
            return "a timer is held beyond the reach of the levels";
        if (level_list_of(&timers->levels[level], id, timers->dues[id]) != head)
            return "a timer is not in the level, slot and lane of its due tick";
        if (!timers->used[level])
            return "a level that holds a timer is not marked as used";
    }
    return NULL;
}

static const char *hier_check(const struct tw_timers *timers)
{
    uint64_t held = 0;
    const char *broken = levels_check(timers);
    if (!broken && !links_is_empty(timers->links, timers->due_head))
        broken = "a timer was left on the list of the due";
    if (!broken)
        broken = links_check_lists(timers->links, timers->slot_heads, timers->slot_heads,
                                   timers->due_head + 1, &held, timers, list_check);
    return links_check_held(timers->links, timers->slot_heads, held, timers->running, broken);
}

static void hier_describe(const struct tw_timers *timers, struct tw_description *out)
{
    struct tw_setting levels = {.name = "levels", .count = timers->top + 1};
    for (uint32_t i = 0; i <= timers->top; i++)
        levels.values[i] = timers->levels[i].size;
    *out = (struct tw_description){.span = timers->span, .setting_count = 1, .settings = {levels}};
}

TW_TELL_WORK(hier);
LINKS_SPOT(hier, timers->slot_heads, timers->due_head, list_check);
const struct tw_spot TW_SPOT(hier) = {hier_spot};
const struct tw_backend TW_BACKEND(hier) = {
    .abi_version = TW_ABI_VERSION,
    .name = "hier",
    .summary = "hierarchical wheel with cascading, any level sizes (scheme 7)",
    .traits = {.flags = TW_ORDERED | TW_NEXT_EXACT,
               .start = {TW_O_1, TW_O_1},
               .stop = {TW_O_1, TW_O_1},
               .expire = {TW_O_1, TW_O_1},
               .tick = {TW_O_1, TW_O_N}},
    TW_HOOKS(hier, wheel),
};
