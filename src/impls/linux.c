/*
 * linux.c - non-cascading hierarchical wheel: the timer wheel of Linux since 4.8 (T. Gleixner,
 * kernel/time/timer.c).  A timer waits in the level whose precision suits its delay, and fires from
 * there.
 *
 *     level   a slot every   delays in ticks     late by at most
 *       0        1              1 ..  55               0
 *       1        8             56 .. 503               7           late <= delay / 8
 *       2       64            504 .. 4087             63
 *       l      8^l    8 x 8^l - 8 .. 64 x 8^l - 9    8^l - 1
 *
 *     now = 1000: level 2 has slots at 1024, 1088, ... 5056          2000 is due: it fires at 2048
 *
 *       slot     15     16     17           31     32     33            15, the next time
 *              +----+ +----+ +----+       +----+ +----+ +----+         +----+
 *              |960 | |1024| |1088|  ...  |1984| |2048| |2112|   ...   |5056|
 *              +----+ +----+ +----+       +----+ +----+ +----+         +----+
 *                ^ its turn is over                 ^ 2000 rounded up to whole slots
 *
 *              average                       worst
 *     start    O(1)                          O(1)
 *     stop     O(1)                          O(1)
 *     tick     O(1), one level in 7 of 8     O(levels), on a tick that all levels have a slot at
 *     advance  O(levels) a slot in use; nothing for empty ones, however long the jump
 *     next     O(levels)                     O(slots), when most were left by stops
 *     memory   8 bytes a timer, 4 KiB a level; nothing is allocated after open
 *
 * Invariants, tested by check (between calls):
 *  1. Nothing is on the lists of the due.
 *  2. Every list is a ring: forward and back links agree and lead to running timers only.
 *  3. Above level 0, a timer is in the lane of its id.
 *  4. A slot that holds something is marked, and so is a level whose waiting room does: the timers
 *     in these are as many as run, and all others are idle.
 * No deadline is kept, so a timer in a wrong slot is a right one for another tick: only who started
 * it can tell, by what visit reports.
 *
 * Departures from Linux.  It would put a delay of 63 slots in the next level, where a slot is worth
 * 8: late by up to 8/63.  Here a level serves delays up to 64 slots, for exactly 1/8.  A timer that
 * is 65 slots ahead of the clock's then waits, in a list beside the slots, for the next turn of its
 * level, which frees the slot that it shares; that costs the same for one timer or thousands.
 * What lies beyond the last level is refused, where Linux fires it early; a longer horizon gets
 * more levels.  A slot above level 0 is not one list but eight, chosen by id: a slot of thousands
 * of timers fires from the eight in turn, so that eight cache misses are under way at once.  A
 * stop leaves the mark of a slot alone, and who comes to an empty slot wipes it.
 *
 * It loses where late is wrong: whoever needs the tick asked for has to ask for another design.
 * Timers of a level fire in bursts, on the turns of its slots, and those of long delays in the
 * longest.
 */
#include "design.h"
#include "lanes.h"
#include "links.h"

#define SLOT_BITS   6u /* of a level: its marks are one word */
#define SLOTS       (1u << SLOT_BITS)
#define FACTOR_BITS 3u /* a slot is worth 8 of the level below; with 64 slots that gives 1/8 */
/* Linux has 9 levels; 21 reach the end of the clock. */
#define DEPTH_USUAL 9u
#define DEPTH_MAX   21u

static const struct tw_param linux_params[] = {
    {"depth",
     "levels of 64 slots, each slot worth 8 of the level below (default: 9, and more if the "
     "horizon needs them)",
     1, DEPTH_MAX, 1},
    {NULL, NULL, 0, 0, 0},
};

struct tw_timers {
    struct link *links; /* timers, slots level by level, waiting rooms, lists of the due */
    tw_tick now;        /* the tick being processed */
    tw_tick span;
    uint32_t depth;
    uint32_t capacity;   /* also the index of the first list of level 0, */
    uint32_t room_heads; /* that of the waiting room of level 0, */
    uint32_t due_heads;  /* and of the due */
    uint32_t running;
    uint32_t waiting;         /* bit per level: its waiting room may hold something */
    uint64_t used[DEPTH_MAX]; /* bit per slot: it may hold something */
    TW_WORK_FIELD
};

#define WHEEL_SPAN(timers) (timers)->span
#include "wheel.h"

/* ---- Ticks, turns, lists. -------------------------------------------------------------------- */

static inline uint32_t shift_of(uint32_t level)
{
    return level * FACTOR_BITS;
}

/* The coarsest level that is late by at most an eighth of the delay, which must not be 0. */
static inline uint32_t level_of(tw_tick delay)
{
    return (63 - (uint32_t)__builtin_clzll((delay >> FACTOR_BITS) + 1)) / FACTOR_BITS;
}

/* Number of the first turn of the level at or after a tick; the tick after the last one is 0. */
static inline uint64_t turn_at(uint32_t level, tw_tick tick)
{
    return ((tick - 1) >> shift_of(level)) + 1;
}

/* The tick of a turn.  One past the end of time is taken on the last tick, or nothing that is due
 * there could be rounded up. */
static inline tw_tick turn_tick(uint32_t level, uint64_t turn)
{
    tw_tick tick = turn << shift_of(level);
    return tick - 1 < TW_DEADLINE_MAX ? tick : TW_DEADLINE_MAX;
}

static inline uint32_t slot_of(uint64_t turn)
{
    return (uint32_t)turn % SLOTS;
}

/* The first list of a slot.  Level 0 has one list per slot, because its timers fire soon after they
 * were linked; the others have eight. */
static inline uint32_t slot_list(const struct tw_timers *timers, uint32_t level, uint32_t slot)
{
    uint32_t index = ((level << SLOT_BITS | slot) << LANE_BITS) - SLOTS * (LANES - 1);
    return timers->capacity + (level == 0 ? slot : index);
}

static inline uint32_t lanes_of(uint32_t level)
{
    return level == 0 ? 1 : LANES;
}

static inline uint32_t room_list(const struct tw_timers *timers, uint32_t level)
{
    return timers->room_heads + (level << LANE_BITS);
}

static bool lanes_are_empty(const struct tw_timers *timers, uint32_t list, uint32_t lanes)
{
    for (uint32_t head = list; head < list + lanes; head++)
        if (!links_is_empty(timers->links, head))
            return false;
    return true;
}

/* Moves the lists of a slot behind those of another. */
static void lanes_move(struct tw_timers *timers, uint32_t from, uint32_t to)
{
    for (uint32_t lane = 0; lane < LANES; lane++)
        if (!links_is_empty(timers->links, from + lane)) {
            links_splice(timers->links, from + lane, to + lane);
            TW_COUNT(timers, link_writes, LINKS_TAKE_WRITES);
        }
}

static inline void timer_enter(struct tw_timers *timers, tw_id id, tw_tick due)
{
    uint32_t level = level_of(due - timers->now);
    uint32_t lane = level == 0 ? 0 : id % LANES;
    uint64_t turn = turn_at(level, due);
    uint32_t list = slot_list(timers, level, slot_of(turn));
    if (__builtin_expect(turn - (timers->now >> shift_of(level)) > SLOTS, 0)) {
        timers->waiting |= UINT32_C(1) << level;
        list = room_list(timers, level);
    } else {
        timers->used[level] |= UINT64_C(1) << slot_of(turn);
    }
    links_append(timers->links, list + lane, id);
    TW_COUNT(timers, link_writes, LINKS_APPEND_WRITES);
}

/* ---- Turning. -------------------------------------------------------------------------------- */

/* The turn of an upper level: what is in the slot is due, and what waits for the slot moves in. */
static void slot_turn(struct tw_timers *timers, uint32_t level, uint32_t slot)
{
    uint64_t mark = UINT64_C(1) << slot;
    uint32_t list = slot_list(timers, level, slot);
    if (timers->used[level] & mark) {
        timers->used[level] ^= mark;
        lanes_move(timers, list, timers->due_heads);
    }
    if (timers->waiting >> level & 1) {
        timers->waiting ^= UINT32_C(1) << level;
        timers->used[level] |= mark;
        lanes_move(timers, room_list(timers, level), list);
    }
}

/* Turns the upper levels that have a slot at now.  At the end of time all have, their last. */
static void levels_turn(struct tw_timers *timers)
{
    tw_tick tick = timers->now == TW_DEADLINE_MAX ? 0 : timers->now;
    for (uint32_t level = 1; level < timers->depth; level++) {
        if (tick & ((UINT64_C(1) << shift_of(level)) - 1))
            break;
        TW_COUNT(timers, pointer_moves, 1);
        slot_turn(timers, level, slot_of(turn_at(level, tick)));
    }
}

/* Fills lists[] with those that hold what is due now, and answers their number.  The slot of level
 * 0 fires from where it is: no delay of that level is long enough to come back to it. */
static uint32_t due_lists(struct tw_timers *timers, uint32_t *lists)
{
    uint32_t count = 0, slot = slot_of(timers->now), list = slot_list(timers, 0, slot);
    timers->used[0] &= ~(UINT64_C(1) << slot);
    if (!links_is_empty(timers->links, list))
        lists[count++] = list;
    for (uint32_t head = timers->due_heads; head < timers->due_heads + LANES; head++)
        if (!links_is_empty(timers->links, head))
            lists[count++] = head;
    return count;
}

/* Fires what is due now.  The lists take turns, so that the next timer of a list has arrived in the
 * cache by the time its turn comes. */
static void due_fire(struct tw_timers *timers, tw_expire_fn *expire, void *ctx)
{
    struct link *links = timers->links;
    uint32_t lists[LANES + 1], count = due_lists(timers, lists);
    TW_COUNT(timers, empty_ticks, count == 0);
    while (count > 0)
        for (uint32_t i = 0; i < count; i++) {
            uint32_t id = links[lists[i]].next;
            if (id == lists[i]) {
                lists[i] = lists[--count];
                continue;
            }
            links_remove(links, id);
            links_set_idle(links, id);
            __builtin_prefetch(&links[links[lists[i]].next]);
            TW_COUNT(timers, visits, 1);
            TW_COUNT(timers, link_writes, LINKS_REMOVE_WRITES + 1);
            timers->running--;
            expire(ctx, id, timers->now);
        }
}

/* Any tick that an upper level has a slot at, or that something may be due on. */
__attribute__((noinline)) static void clock_turn(struct tw_timers *timers, tw_expire_fn *expire,
                                                 void *ctx)
{
    levels_turn(timers);
    due_fire(timers, expire, ctx);
}

static inline void clock_step(struct tw_timers *timers, tw_expire_fn *expire, void *ctx)
{
    tw_tick now = ++timers->now;
    TW_COUNT(timers, pointer_moves, 1);
    if (now % (1u << FACTOR_BITS) == 0 || now == TW_DEADLINE_MAX ||
        timers->used[0] >> slot_of(now) & 1)
        clock_turn(timers, expire, ctx);
    else
        TW_COUNT(timers, empty_ticks, 1);
}

/* Marks of a level in the order of their turns after now, the next turn first. */
static inline uint64_t level_marks(const struct tw_timers *timers, uint32_t level)
{
    uint32_t first = slot_of((timers->now >> shift_of(level)) + 1);
    return timers->used[level] >> first | timers->used[level] << (SLOTS - first) % SLOTS;
}

/* The first tick after now at which a slot of the level fires, TW_NEVER if there is none.  Wipes the
 * marks of slots before it, which stops have emptied, from *used. */
static inline tw_tick level_first(const struct tw_timers *timers, uint32_t level, uint64_t *used)
{
    uint64_t coming = (timers->now >> shift_of(level)) + 1;
    for (uint64_t marks = level_marks(timers, level); marks; marks &= marks - 1) {
        uint64_t turn = coming + (uint64_t)__builtin_ctzll(marks);
        uint32_t list = slot_list(timers, level, slot_of(turn));
        if (!lanes_are_empty(timers, list, lanes_of(level)))
            return turn_tick(level, turn);
        *used &= ~(UINT64_C(1) << slot_of(turn));
    }
    return TW_NEVER;
}

/* The first tick after now at which a slot fires, or that somebody waits for; TW_NEVER if there is
 * none. */
static tw_tick turn_find(struct tw_timers *timers)
{
    tw_tick first = TW_NEVER;
    for (uint32_t level = 0; level < timers->depth; level++) {
        if (timers->used[level] == 0 && !(timers->waiting >> level & 1))
            continue;
        tw_tick tick = level_first(timers, level, &timers->used[level]);
        if (timers->waiting >> level & 1)
            tick = turn_tick(level, (timers->now >> shift_of(level)) + 1);
        if (tick < first)
            first = tick;
    }
    return first;
}

/* ---- The backend. ---------------------------------------------------------------------------- */

static tw_tick span_of(uint32_t depth)
{
    uint32_t bits = SLOT_BITS + shift_of(depth - 1);
    return bits < 64 ? (UINT64_C(1) << bits) - (1u << FACTOR_BITS) - 1 : TW_DEADLINE_MAX;
}

static uint32_t depth_default(const struct tw_config *config)
{
    uint32_t depth = DEPTH_USUAL;
    while (span_of(depth) < config->horizon && depth < DEPTH_MAX)
        depth++;
    return depth;
}

static void linux_close(struct tw_timers *timers)
{
    free(timers->links);
    free(timers);
}

static struct tw_footprint linux_footprint(const struct tw_timers *timers)
{
    uint64_t lists = (uint64_t)timers->due_heads + LANES - timers->capacity;
    return (struct tw_footprint){
        .fixed_bytes = sizeof *timers + lists * sizeof(struct link),
        .capacity_bytes = timers->capacity * (uint64_t)sizeof(struct link),
    };
}

static int linux_open(struct tw_timers **out, const struct tw_config *config,
                      struct tw_error *error)
{
    struct tw_timers *timers;
    int status = open_begin(&timers, sizeof *timers, linux_params, config, error);
    if (status != TW_OK)
        return status;
    timers->depth = (uint32_t)setting_of(config, "depth", depth_default(config));
    timers->now = config->now;
    timers->span = span_of(timers->depth);
    timers->capacity = config->capacity;
    timers->room_heads = slot_list(timers, timers->depth, 0);
    timers->due_heads = room_list(timers, timers->depth);
    uint32_t lists = timers->due_heads + LANES - timers->capacity;
    timers->links = links_new(timers->capacity, lists);
    return open_end(out, timers, timers->links != NULL, linux_footprint, linux_close, error);
}

/* Any advance but a single step: from one turn that something is marked for to the next. */
__attribute__((noinline)) static void clock_move(struct tw_timers *timers, tw_tick to,
                                                 tw_expire_fn *expire, void *ctx)
{
    while (timers->now < to) {
        tw_tick turn = turn_find(timers);
        TW_COUNT(timers, pointer_moves, 1);
        if (turn > to) {
            timers->now = to;
            TW_COUNT(timers, empty_ticks, 1);
        } else {
            timers->now = turn;
            clock_turn(timers, expire, ctx);
        }
    }
}

static void linux_advance(struct tw_timers *timers, tw_tick to, tw_expire_fn *expire, void *ctx)
{
    if (to > timers->now && to - timers->now == 1)
        clock_step(timers, expire, ctx);
    else
        clock_move(timers, to, expire, ctx);
}

static tw_tick linux_next(const struct tw_timers *timers)
{
    tw_tick earliest = TW_NEVER;
    for (uint32_t level = 0; level < timers->depth && timers->running; level++) {
        uint64_t used = timers->used[level];
        tw_tick first = level_first(timers, level, &used);
        if (first == TW_NEVER && !lanes_are_empty(timers, room_list(timers, level), LANES))
            first = turn_tick(level, (timers->now >> shift_of(level)) + 1 + SLOTS);
        if (first < earliest)
            earliest = first;
    }
    return earliest;
}

static void lanes_visit(const struct tw_timers *timers, uint32_t list, uint32_t lanes,
                        struct tw_view *view, tw_visit_fn *visit, void *ctx)
{
    for (uint32_t head = list; head < list + lanes; head++)
        for (uint32_t id = timers->links[head].next; id != head; id = timers->links[id].next) {
            view->id = id;
            visit(ctx, view);
        }
}

/* A timer in the waiting room is shown in the slot it waits for, one revolution ahead. */
static void level_visit(const struct tw_timers *timers, uint32_t level, tw_visit_fn *visit,
                        void *ctx)
{
    uint64_t coming = (timers->now >> shift_of(level)) + 1;
    for (uint32_t ahead = 0; ahead <= SLOTS; ahead++) {
        bool waits = ahead == SLOTS;
        uint32_t slot = slot_of(coming + ahead);
        if (!(waits ? timers->waiting >> level & 1 : timers->used[level] >> slot & 1))
            continue;
        struct tw_view view = {.deadline = turn_tick(level, coming + ahead),
                               .level = level,
                               .slot = slot,
                               .rounds = waits};
        lanes_visit(timers, waits ? room_list(timers, level) : slot_list(timers, level, slot),
                    waits ? LANES : lanes_of(level), &view, visit, ctx);
    }
}

static void linux_visit(const struct tw_timers *timers, tw_visit_fn *visit, void *ctx)
{
    for (uint32_t level = 0; level < timers->depth; level++)
        level_visit(timers, level, visit, ctx);
}

/* Invariants 2 and 3, for the lists of a slot or of a waiting room. */
static const char *lanes_check(const struct tw_timers *timers, uint32_t list, uint32_t lanes,
                               uint64_t *held)
{
    const char *broken = NULL;
    for (uint32_t lane = 0; !broken && lane < lanes; lane++) {
        uint32_t head = list + lane;
        broken = links_check(timers->links, timers->capacity, head, held);
        for (uint32_t id = head; !broken && (id = timers->links[id].next) != head;)
            if (id % lanes != lane)
                broken = "a timer is not in the lane of its id";
    }
    return broken;
}

/* The lists of one level that are marked.  The others need no look: all timers that run have to be found in
 * these. */
static const char *level_check(const struct tw_timers *timers, uint32_t level, uint64_t *held)
{
    const char *broken = NULL;
    for (uint64_t marks = timers->used[level]; !broken && marks != 0; marks &= marks - 1) {
        uint32_t list = slot_list(timers, level, (uint32_t)__builtin_ctzll(marks));
        broken = lanes_check(timers, list, lanes_of(level), held);
    }
    if (!broken && timers->waiting >> level & 1)
        broken = lanes_check(timers, room_list(timers, level), LANES, held);
    return broken;
}

static const char *linux_check(const struct tw_timers *timers)
{
    uint64_t held = 0;
    const char *broken = NULL;
    if (!lanes_are_empty(timers, timers->due_heads, LANES))
        broken = "a timer was left on the lists of the due";
    for (uint32_t level = 0; !broken && level < timers->depth; level++)
        broken = level_check(timers, level, &held);
    return links_check_held(timers->links, timers->capacity, held, timers->running, broken);
}

static void linux_describe(const struct tw_timers *timers, struct tw_description *out)
{
    describe_one(out, timers->span, "depth", timers->depth);
}

TW_TELL_WORK(linux);
const struct tw_backend TW_BACKEND(linux) = {
    .abi_version = TW_ABI_VERSION,
    .name = "linux",
    .summary = "non-cascading wheel of Linux 4.8: 64 slots a level, factor 8, late by up to 1/8",
    .traits = {.flags = TW_ORDERED | TW_TICKLESS | TW_NEXT_EXACT,
               .late_shift = FACTOR_BITS,
               .start = {TW_O_1, TW_O_1},
               .stop = {TW_O_1, TW_O_1},
               .expire = {TW_O_1, TW_O_1},
               .tick = {TW_O_1, TW_O_1}},
    TW_HOOKS(linux, wheel),
};
