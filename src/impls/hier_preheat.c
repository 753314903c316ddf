/*
 * hier_preheat.c - hierarchical wheel that demotes ahead of time: scheme 7 of Varghese & Lauck with
 * the "preheat" of delay-message stores, which load the next coarse slot while the fine wheel still
 * turns through this one.
 *
 *     levels=4,3: a ring is two revolutions, this one and the coming       now = 5, in [slot]
 *
 *     level 0    4   [ 5]    6     7  |   8     9    10    11      a tick to a slot: 6 .. 11
 *     level 1  [4..7]  8..11 | 12..15  16..19  20..23              4 ticks to a slot: 12 .. 23
 *                        |
 *                        +--> on its way down: at every tick some of what it holds moves to level
 *                             0, so that it is empty when level 0 gets to 8
 *
 *     hier moves all of a coarse slot on the tick at which it begins.  Here every level below the
 *     last also takes what is due in its coming revolution; nothing is put into the coarse slot of
 *     that revolution any more, and all the revolution before it is there to empty it.
 *
 *              average                            worst
 *     start    O(levels)                          O(levels)
 *     stop     O(1)                               O(1)
 *     tick     O(levels)                          O(levels x step + n / size of level 0)
 *     advance  O(levels) a timer; O(sum of sizes) for any jump over empty slots
 *     next     O(slots to the next timer)         O(sum of sizes + n)
 *     memory   16 bytes a timer, 17 a slot of level 0, 136 above; all of it taken at open
 *
 * The guarantee.  Let R be the ticks of a revolution of a level, and n the timers that ran when its
 * present revolution began.  Driven tick by tick, that revolution moves at most
 *
 *     max(step, ceil(n / R))
 *
 * timers a tick down to it; a tick moves at most the sum of this over the levels below the last, and
 * nothing is ever left to move at once.  With levels of 256, 64, 64 that is 1/256 + 1/16384 of the
 * timers and twice the step, against all of them in hier.  It is the timers that a slot was given
 * since it last came up that are spread over R, so the bound is reached only when they were most of
 * all that run.  It degrades with a small level 0, to n / 2 for two slots; a jump of d ticks owes the
 * moves of d ticks, and a slot that the jump leads into in one call moves whole, as in hier.
 *
 * Invariants, tested by check (between calls), list by list:
 *  1. The revolution of every level, and the coming one, are those of now.
 *  2. Every list is a ring: forward and back links agree and lead to running timers only.
 *  3. Every due tick is later than now and within reach.
 *  4. A timer is in the slot of its due tick, in the lane of its id, in the lowest level whose coming
 *     revolution ends after it; or still in the coarse slot of a coming revolution.
 *  5. What is still in a coarse slot can be moved, at the rate set, before its revolution begins.
 *  6. The timers in the slots are as many as run, and all others are idle.
 *
 * Departures from the source.  It has two levels, and loads a slot from disk some time ahead; here
 * any level does it, and the rate follows from what there is to move and the ticks left.  Demoted
 * timers go straight to where they belong, however many levels down.  A stop does not lower the
 * count of its slot, which would cost it a division; so the rate is at times higher than needed,
 * but never above the guarantee.
 *
 * It loses against hier where only the average counts: the rings are twice as long, and to move
 * timers a few at a time fetches them from memory with less going on at once.  In return each tick
 * is short, and a timer that is started no more than a revolution ahead is never moved at all.
 */
#include "levels.h"

/* As hier, so that both can be compared. */
#define LEVEL_SIZE_FIRST 256
#define LEVEL_SIZE_OTHER 64
/* A ring is this revolution and the coming one. */
#define RINGS 2
/* No more than it takes to be done in time: a tick is as short as it can be. */
#define STEP_DEFAULT 1

static const struct tw_param preheat_params[] = {
    {"levels",
     "slots of each level, the finest first; any sizes (default: 256, then as many 64 as the "
     "horizon needs)",
     2, LEVEL_SIZE_MAX, TW_VALUES_MAX},
    {"step",
     "timers that a level moves down at each tick; more if they would be late otherwise "
     "(default: 1)",
     1, TW_CAPACITY_MAX, 1},
    {NULL, NULL, 0, 0, 0},
};

struct tw_timers {
    struct link *links; /* timers, then the slots of all levels */
    tw_tick *dues;      /* of running timers */
    uint64_t *placed;   /* timers that an upper slot was given since it last came up, at least */
    tw_tick now;        /* the tick being processed */
    tw_tick span;
    uint32_t top;        /* the last level */
    uint32_t slot_heads; /* index of the first list: the capacity */
    uint32_t heads_end;  /* index after the last list */
    uint32_t running;
    uint32_t step;
    uint32_t demoting; /* a bit for each level whose slot is on its way down */
    /* Of each level: ticks of a revolution; first tick of the coming revolution and first tick after
     * it, TW_NEVER if there is none. */
    tw_tick periods[TW_VALUES_MAX];
    tw_tick turns[TW_VALUES_MAX];
    tw_tick ends[TW_VALUES_MAX];
    /* Of a level whose slot is on its way down: its first list, how many timers leave it each tick,
     * and the lane whose turn it is. */
    struct {
        uint32_t list, rate, lane;
    } demotions[TW_VALUES_MAX];
    struct level levels[TW_VALUES_MAX];
    TW_WORK_FIELD
};

#define WHEEL_SPAN(timers) (timers)->span
#include "wheel.h"

/* What a look ahead found. */
struct find {
    tw_tick begin; /* first tick of the slot, TW_NEVER if there is none */
    uint32_t list; /* the first of the slot's lists */
    uint32_t lanes;
    TW_WORK_FIELD
};

/* Where the timers of an upper slot are counted.  Some of the first counters belong to level 0,
 * where several slots share one and nobody reads it: that costs a start less than to ask. */
static inline uint64_t *slot_placed(const struct tw_timers *timers, uint32_t list)
{
    return &timers->placed[(list - timers->slot_heads) >> LANE_BITS];
}

static inline void timer_place(struct tw_timers *timers, tw_id id, tw_tick due)
{
    uint32_t level = level_of(timers->ends, timers->top, due);
    uint32_t list = level_list_of(&timers->levels[level], id, due);
    ++*slot_placed(timers, list);
    links_append(timers->links, list, id);
    TW_COUNT(timers, comparisons, timers->top);
    TW_COUNT(timers, link_writes, LINKS_APPEND_WRITES);
}

static inline void timer_enter(struct tw_timers *timers, tw_id id, tw_tick due)
{
    timers->dues[id] = due;
    timer_place(timers, id, due);
}

/* Moves up to `budget` timers of the slot down that is on its way from that level.  The lanes take
 * turns, so that the next timer of a lane has arrived in the cache by the time its turn comes. */
static void slot_demote(struct tw_timers *timers, uint32_t level, uint64_t budget)
{
    struct link *links = timers->links;
    uint32_t list = timers->demotions[level].list, lane = timers->demotions[level].lane;
    uint32_t empty = 0;
    while (budget > 0 && empty < LANES) {
        uint32_t head = list + (lane++ & (LANES - 1));
        uint32_t id = links[head].next;
        empty++;
        if (id == head)
            continue;
        links_remove(links, id);
        uint32_t next = links[head].next;
        if (next != head)
            __builtin_prefetch(&timers->dues[next]);
        TW_COUNT(timers, visits, 1);
        TW_COUNT(timers, moves, 1);
        TW_COUNT(timers, link_writes, LINKS_REMOVE_WRITES);
        timer_place(timers, id, timers->dues[id]);
        empty = 0;
        budget--;
    }
    timers->demotions[level].lane = lane;
    if (empty == LANES)
        timers->demoting &= ~(1u << level);
}

/* The slot's timers are on their way down from now on: at a rate by which it is empty when its
 * revolution begins, as no timer is put there any more.  They cannot be more than run. */
static void demotion_begin(struct tw_timers *timers, uint32_t level, tw_tick begin)
{
    const struct level *from = &timers->levels[level];
    uint32_t list = level_list(from, level_steps(from, begin));
    uint64_t *placed = slot_placed(timers, list);
    uint64_t most = *placed < timers->running ? *placed : timers->running;
    uint64_t rate = most / from->unit + (most % from->unit != 0);
    *placed = 0;
    if (slot_is_empty(timers->links, from, list))
        return;
    timers->demotions[level].list = list;
    timers->demotions[level].rate = (uint32_t)(rate > timers->step ? rate : timers->step);
    timers->demoting |= 1u << level;
    TW_COUNT(timers, cascades, 1);
    for (uint32_t head = list; head < list + LANES; head++)
        __builtin_prefetch(&timers->links[timers->links[head].next]);
}

/* Does what is owed for the ticks after `before`, or those since the slot's demotion began. */
static void demotions_run(struct tw_timers *timers, tw_tick before)
{
    for (uint32_t left = timers->demoting; left; left &= left - 1) {
        uint32_t level = (uint32_t)__builtin_ctz(left);
        tw_tick begin = timers->turns[level - 1] - timers->levels[level].unit;
        tw_tick ticks = timers->now - before;
        if (ticks > timers->now - begin)
            ticks = timers->now - begin + 1;
        uint64_t rate = timers->demotions[level].rate;
        slot_demote(timers, level, ticks > UINT32_MAX ? UINT64_MAX : rate * ticks);
    }
}

/* Fires the slot of now.  It can be fired in place: no timer started meanwhile is due as much as
 * two revolutions ahead.  Kept out of line, so that the step over an empty slot saves no registers.
 */
__attribute__((noinline)) static void slot_fire(struct tw_timers *timers, uint32_t list,
                                                tw_expire_fn *expire, void *ctx)
{
    struct link *links = timers->links;
    for (uint32_t id; (id = links[list].next) != list;) {
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

/* Sets the clock, and the revolutions of the levels with it.  Answers how many levels began one. */
static uint32_t clock_set(struct tw_timers *timers, tw_tick now)
{
    uint32_t turned = 0;
    timers->now = now;
    for (; turned <= timers->top && now >= timers->turns[turned]; turned++) {
        struct level *level = &timers->levels[turned];
        tw_tick begin = now - now % timers->periods[turned];
        level->begin = begin - begin % level->revolution;
        timers->turns[turned] = tick_add(begin, timers->periods[turned]);
        timers->ends[turned] = tick_add(timers->turns[turned], timers->periods[turned]);
    }
    return turned;
}

/* Moves the clock to a tick that nothing is due before and no slot with timers begins before.  The
 * coarse slots of the revolutions that begin hold something only after a jump. */
static void clock_turn(struct tw_timers *timers, tw_tick now)
{
    tw_tick before = timers->now;
    uint32_t turned = clock_set(timers, now);
    for (uint32_t level = 1; level <= turned && level <= timers->top; level++) {
        const struct level *above = &timers->levels[level];
        timers->demoting &= ~(1u << level);
        timers->demotions[level].list = level_list(above, level_steps(above, now));
        if (!slot_is_empty(timers->links, above, timers->demotions[level].list))
            slot_demote(timers, level, UINT64_MAX);
        if (timers->turns[level - 1] != TW_NEVER)
            demotion_begin(timers, level, timers->turns[level - 1]);
    }
    demotions_run(timers, before);
}

/* The first slot of the level after that of now, beginning by `limit`, that holds something. */
static inline bool level_find(const struct tw_timers *timers, uint32_t index, tw_tick limit,
                              struct find *find)
{
    const struct level *level = &timers->levels[index];
    tw_tick end = timers->ends[index] - 1;
    uint64_t last = level_steps(level, limit < end ? limit : end);
    for (uint64_t steps = level_steps(level, timers->now) + 1; steps <= last; steps++) {
        uint32_t list = level_list(level, steps);
        TW_COUNT(find, pointer_moves, 1);
        if (!slot_is_empty(timers->links, level, list)) {
            find->list = list;
            find->begin = level->begin + steps * level->unit;
            find->lanes = level->lane_mask + 1;
            return true;
        }
    }
    return false;
}

/* The first slot in the order of time, after that of now and beginning by `limit`, that holds
 * something, those on their way down left aside; leaves *find alone when there is none. */
static void slot_find(const struct tw_timers *timers, tw_tick limit, struct find *find)
{
    for (uint32_t i = 0; i <= timers->top; i++)
        if (level_find(timers, i, limit, find) || timers->ends[i] > limit)
            return;
}

/* Where a jump to `to` has to stop first.  A slot on its way down is to be empty when its revolution
 * begins, though the level below may hold timers of that revolution, too. */
static tw_tick jump_stop(struct tw_timers *timers, tw_tick to)
{
    struct find find = {.begin = to};
    if (timers->running > 0)
        slot_find(timers, to, &find);
    TW_COUNT(timers, pointer_moves, find.work.pointer_moves > 0 ? find.work.pointer_moves : 1);
    for (uint32_t left = timers->demoting; left; left &= left - 1) {
        tw_tick turn = timers->turns[__builtin_ctz(left) - 1];
        if (turn < find.begin)
            find.begin = turn;
    }
    return find.begin;
}

static void preheat_close(struct tw_timers *timers)
{
    free(timers->links);
    free(timers->dues);
    free(timers->placed);
    free(timers);
}

/* Counters of placed timers, those of level 0 included. */
static uint32_t placed_count(const struct tw_timers *timers)
{
    return (timers->heads_end - timers->slot_heads + LANES - 1) >> LANE_BITS;
}

static bool arrays_new(struct tw_timers *timers)
{
    uint32_t capacity = timers->slot_heads;
    timers->links = links_new(capacity, timers->heads_end - capacity);
    timers->dues = malloc(capacity * sizeof *timers->dues);
    timers->placed = calloc(placed_count(timers), sizeof *timers->placed);
    return timers->links && timers->dues && timers->placed;
}

static struct tw_footprint preheat_footprint(const struct tw_timers *timers)
{
    uint64_t lists = timers->heads_end - timers->slot_heads;
    return (struct tw_footprint){
        .fixed_bytes = sizeof *timers + lists * sizeof(struct link) +
                       placed_count(timers) * sizeof *timers->placed,
        .capacity_bytes = timers->slot_heads * (uint64_t)(sizeof(struct link) + sizeof(tw_tick)),
    };
}

static int preheat_open(struct tw_timers **out, const struct tw_config *config,
                        struct tw_error *error)
{
    struct tw_timers *timers;
    int status = open_begin(&timers, sizeof *timers, preheat_params, config, error);
    if (status != TW_OK)
        return status;
    struct tw_setting sizes;
    levels_resolve(config, config->horizon, LEVEL_SIZE_FIRST, LEVEL_SIZE_OTHER, &sizes);
    timers->step = (uint32_t)setting_of(config, "step", STEP_DEFAULT);
    timers->slot_heads = config->capacity;
    timers->top = sizes.count - 1;
    status =
        levels_lay_out(timers->levels, &sizes, RINGS, config->capacity, &timers->heads_end, error);
    if (status != TW_OK) {
        free(timers);
        return status;
    }
    for (uint32_t i = 0; i < timers->top; i++)
        timers->periods[i] = timers->levels[i + 1].unit;
    const struct level *last = &timers->levels[timers->top];
    timers->periods[timers->top] = tick_multiply(last->unit, last->size / RINGS);
    timers->span = timers->periods[timers->top];
    if (timers->span > TW_DEADLINE_MAX)
        timers->span = TW_DEADLINE_MAX;
    clock_set(timers, config->now);
    return open_end(out, timers, arrays_new(timers), preheat_footprint, preheat_close, error);
}

/* Any advance but a single step within a revolution of level 0. */
__attribute__((noinline)) static void clock_move(struct tw_timers *timers, tw_tick to,
                                                 tw_expire_fn *expire, void *ctx)
{
    while (timers->now < to) {
        clock_turn(timers, jump_stop(timers, to));
        now_fire(timers, expire, ctx);
    }
}

static void preheat_advance(struct tw_timers *timers, tw_tick to, tw_expire_fn *expire, void *ctx)
{
    if (to > timers->now && to - timers->now == 1 && to < timers->turns[0]) {
        timers->now = to;
        TW_COUNT(timers, pointer_moves, 1);
        if (timers->demoting)
            demotions_run(timers, to - 1);
        now_fire(timers, expire, ctx);
    } else {
        clock_move(timers, to, expire, ctx);
    }
}

/* The earliest is in the first slot that is not empty, or in one on its way down. */
static tw_tick preheat_next(const struct tw_timers *timers)
{
    struct find find = {.begin = TW_NEVER};
    tw_tick earliest = TW_NEVER;
    if (timers->running > 0)
        slot_find(timers, TW_DEADLINE_MAX, &find);
    if (find.begin != TW_NEVER)
        earliest = slot_earliest(timers->links, timers->dues, find.list, find.lanes);
    for (uint32_t left = timers->demoting; left; left &= left - 1) {
        uint32_t level = (uint32_t)__builtin_ctz(left);
        if (timers->turns[level - 1] >= earliest)
            continue;
        tw_tick due =
            slot_earliest(timers->links, timers->dues, timers->demotions[level].list, LANES);
        if (due < earliest)
            earliest = due;
    }
    return earliest;
}

static void preheat_visit(const struct tw_timers *timers, tw_visit_fn *visit, void *ctx)
{
    levels_visit(timers->levels, timers->links, timers->dues, timers->running, visit, ctx);
}

/* Invariant 1. */
static const char *levels_check(const struct tw_timers *timers)
{
    for (uint32_t i = 0; i <= timers->top; i++) {
        const struct level *level = &timers->levels[i];
        tw_tick begin = timers->now - timers->now % timers->periods[i];
        if (level->begin != begin - begin % level->revolution)
            return "a level's ring does not begin where it should";
        if (timers->turns[i] != tick_add(begin, timers->periods[i]) ||
            timers->ends[i] != tick_add(timers->turns[i], timers->periods[i]))
            return "a level is not in the revolution of now";
    }
    return NULL;
}

/* Invariants 3 and 4, for one list of a level whose links are known to be sound. */
static const char *list_check(const struct tw_timers *timers, uint32_t head)
{
    uint32_t index = level_with(timers->levels, timers->top, head);
    bool demoting = timers->demoting & (1u << index) &&
                    head - timers->demotions[index].list <= timers->levels[index].lane_mask;
    for (uint32_t id = timers->links[head].next; id != head; id = timers->links[id].next) {
        if (timers->dues[id] <= timers->now)
            return "a timer is still held after its due tick";
        if (timers->dues[id] - timers->now > timers->span)
            return "a timer is held beyond the reach of the levels";
        if (level_list_of(&timers->levels[index], id, timers->dues[id]) != head)
            return "a timer is not in the slot and lane of its due tick";
        if (level_of(timers->ends, timers->top, timers->dues[id]) != index && !demoting)
            return "a timer is not in the level of its due tick, nor on its way there";
    }
    return NULL;
}

/* Invariant 5. */
static const char *demotions_check(const struct tw_timers *timers)
{
    for (uint32_t left = timers->demoting; left; left &= left - 1) {
        uint32_t level = (uint32_t)__builtin_ctz(left), list = timers->demotions[level].list;
        uint64_t held = 0, ticks = timers->turns[level - 1] - timers->now - 1;
        for (uint32_t head = list; head < list + LANES; head++)
            for (uint32_t id = timers->links[head].next; id != head; id = timers->links[id].next)
                held++;
        if (ticks < held && ticks * timers->demotions[level].rate < held)
            return "a slot on its way down cannot be empty in time";
    }
    return NULL;
}

static const char *preheat_check(const struct tw_timers *timers)
{
    uint64_t held = 0;
    const char *broken = levels_check(timers);
    if (!broken)
        broken =
            links_check_lists(timers->links, timers->slot_heads, timers->slot_heads,
                              level_end(&timers->levels[timers->top]), &held, timers, list_check);
    if (!broken)
        broken = demotions_check(timers);
    return links_check_held(timers->links, timers->slot_heads, held, timers->running, broken);
}

static void preheat_describe(const struct tw_timers *timers, struct tw_description *out)
{
    struct tw_setting levels = {.name = "levels", .count = timers->top + 1};
    for (uint32_t i = 0; i <= timers->top; i++)
        levels.values[i] = timers->levels[i].size / RINGS;
    *out = (struct tw_description){
        .span = timers->span,
        .setting_count = 2,
        .settings = {levels, {.name = "step", .count = 1, .values = {timers->step}}}};
}

TW_TELL_WORK(preheat);
LINKS_SPOT(hier_preheat, timers->slot_heads, level_end(&timers->levels[timers->top]), list_check);
const struct tw_spot TW_SPOT(hier_preheat) = {hier_preheat_spot};
const struct tw_backend TW_BACKEND(hier_preheat) = {
    .abi_version = TW_ABI_VERSION,
    .name = "hier-preheat",
    .summary = "hierarchical wheel, slots demoted ahead of time in bounded steps (scheme 7)",
    .traits = {.flags = TW_ORDERED | TW_NEXT_EXACT,
               .start = {TW_O_1, TW_O_1},
               .stop = {TW_O_1, TW_O_1},
               .expire = {TW_O_1, TW_O_1},
               .tick = {TW_O_1, TW_O_N}},
    TW_HOOKS(preheat, wheel),
};
