/*
 * todo.c - timeouts of OpenBSD (timeout(9), kern_timeout.c; A. Nordman, A. Grabowski): starts are collected on a
 * list and dealt out into wheels at the next tick (scheme 7 of Varghese & Lauck behind an inbox).
 *
 *     todo list                     level      slot, 256 of each         a slot is worth
 *
 *       due 90 -> due 7000            0         due % 256                        1 tick
 *         |                           1         due / 256 % 256                256 ticks
 *         | at the coming tick        2         due / 256^2 % 256           65,536 ticks
 *         +------------------->       3         due / 256^3 % 256       16,777,216 ticks
 *
 *     The level goes by the delay: 0 below 256, 1 below 256^2, ...  When level 0 begins a revolution, the slot of
 *     level 1 whose turn it is is dealt out, and so on upwards.  Delays of 256^4 ticks and more wait on a list
 *     that is dealt out when its first timer is half of that away.
 *
 *              average                          worst
 *     start    O(1)                             O(1)
 *     stop     O(1)                             O(1)
 *     tick     O(1 + starts of the tick before) O(n), when the slot that is dealt out holds all
 *     advance  O(levels) a timer and a slot in use; nothing for empty ones, however long the jump
 *     next     O(levels)                        O(slots), when all were left by stops
 *     memory   16 bytes a timer, 50 KiB of slots; nothing is allocated after open
 *
 * Invariants, tested by check in this order (between calls):
 *  1. Every list is a ring: forward and back links agree and lead to running timers only.
 *  2. A slot that holds something is marked.
 *  3. Every due tick is later than now, on the todo list not before `first_todo`, and on that of the far ones
 *     not before `first_far`, which is more than half a revolution of level 3 away.
 *  4. The slot of a timer has its turn at its due tick or before.
 *  5. The lists hold exactly the running timers.
 *
 * A restart that puts a timer off writes the due tick and leaves the timer where it is: when its slot has its
 * turn it is dealt out again.  So a timeout that is re-armed by each packet costs a comparison and a write, and
 * a move once in a while.  One that is due earlier than before goes to the todo list.
 *
 * Departures from OpenBSD.  The todo list and the slots of the upper levels are eight lists each, taken in
 * turn with prefetches, so that eight cache misses are under way at once (lanes.h).  A bit for each slot tells a
 * jump of the clock where to go: OpenBSD steps through all ticks that it missed.  Deadlines are 64-bit ticks,
 * so none is too far.
 *
 * Starting is cheap because the work is put off: the tick pays.  It loses where timers are started and fire, to
 * anyone who puts them into place at once, and where no single tick may take long.
 */
#include "design.h"
#include "lanes.h"
#include "links.h"

#define LEVEL_BITS 8u
#define SLOTS      (1u << LEVEL_BITS)
#define LEVELS     4u
#define TOP        (LEVELS - 1)
/* Ticks to the first of the far timers when they are dealt out: those within twice that go into slots. */
#define FAR_TICKS (UINT64_C(1) << (LEVELS * LEVEL_BITS - 1))
#define WORD      64u
#define WORDS     (SLOTS / WORD) /* of marks of a level */
/* Level 0 has one list per slot, because its timers were linked a moment ago. */
#define TODO_LIST (SLOTS + TOP * SLOTS * LANES)
#define FAR_LIST  (TODO_LIST + LANES)
#define DUE_LIST  (FAR_LIST + LANES)
#define LISTS     (DUE_LIST + 1)

TW_NO_SETTINGS(todo, TW_DEADLINE_MAX);

struct tw_timers {
    struct link *
        links; /* timers, the slots level by level, the todo and the far list, the list of the due */
    tw_tick *dues;      /* of running timers */
    tw_tick now;        /* the tick being processed */
    tw_tick first_todo; /* nothing on the todo list is due before; TW_NEVER: nothing is there */
    tw_tick first_far;  /* the same of those too far away for a slot */
    uint32_t capacity;  /* also the index of the first list */
    uint32_t running;
    uint64_t used[LEVELS][WORDS]; /* bit per slot: it may hold something */
    TW_WORK_FIELD
};

/* ---- Places. --------------------------------------------------------------------------------- */

/* LEVELS and more: too far away for a slot. */
static inline uint32_t level_of(tw_tick delay)
{
    return (63 - (uint32_t)__builtin_clzll(delay | 1)) / LEVEL_BITS;
}

static inline uint32_t slot_of(tw_tick tick, uint32_t level)
{
    return (uint32_t)(tick >> level * LEVEL_BITS) % SLOTS;
}

/* The first list of a slot. */
static inline uint32_t slot_list(const struct tw_timers *timers, uint32_t level, uint32_t slot)
{
    uint32_t index = ((level << LEVEL_BITS | slot) << LANE_BITS) - SLOTS * (LANES - 1);
    return timers->capacity + (level == 0 ? slot : index);
}

static inline uint32_t lanes_of(uint32_t level)
{
    return level == 0 ? 1 : LANES;
}

static inline void list_append(struct tw_timers *timers, uint32_t list, tw_id id)
{
    links_append(timers->links, list, id);
    TW_COUNT(timers, link_writes, LINKS_APPEND_WRITES);
}

static void far_append(struct tw_timers *timers, tw_id id, tw_tick due)
{
    timers->first_far = due < timers->first_far ? due : timers->first_far;
    list_append(timers, timers->capacity + FAR_LIST + id % LANES, id);
}

/* Links a timer that is in no list into its slot.  It is due later than now. */
static inline void timer_place(struct tw_timers *timers, tw_id id, tw_tick due)
{
    uint32_t level = level_of(due - timers->now);
    if (__builtin_expect(level >= LEVELS, 0)) {
        far_append(timers, id, due);
        return;
    }
    uint32_t slot = slot_of(due, level);
    timers->used[level][slot / WORD] |= UINT64_C(1) << slot % WORD;
    list_append(timers, slot_list(timers, level, slot) + (level == 0 ? 0 : id % LANES), id);
}

/* Deals the lanes that begin with `list` out into the slots, or to the list of the due what is due now.  The
 * lanes take turns, so that the next timer of a lane has arrived in the cache by the time its turn comes. */
static void lanes_deal(struct tw_timers *timers, uint32_t list)
{
    uint32_t lane[LANES];
    uint32_t lanes = lanes_take(timers->links, timers->dues, list, lane);
    while (lanes > 0)
        for (uint32_t i = 0; i < lanes; i++) {
            uint32_t id = lane_step(timers->links, timers->dues, timers->capacity, lane, &lanes, i);
            TW_COUNT(timers, visits, 1);
            TW_COUNT(timers, moves, 1);
            tw_tick due = timers->dues[id];
            if (due > timers->now)
                timer_place(timers, id, due);
            else
                list_append(timers, timers->capacity + DUE_LIST, id);
        }
}

/* The tick on which the far timers are dealt out: one on which level 0 begins a revolution. */
static inline tw_tick far_turn(const struct tw_timers *timers)
{
    return timers->first_far == TW_NEVER ? TW_NEVER
                                         : (timers->first_far - FAR_TICKS) / SLOTS * SLOTS;
}

/* Deals the todo list out.  Nothing on it is due by now. */
static inline void todo_deal(struct tw_timers *timers)
{
    if (timers->first_todo == TW_NEVER)
        return;
    timers->first_todo = TW_NEVER;
    lanes_deal(timers, timers->capacity + TODO_LIST);
}

/* ---- A tick. --------------------------------------------------------------------------------- */

/* Fires the list of the due; those that were put off meanwhile go to their slots. */
static void due_fire(struct tw_timers *timers, tw_expire_fn *expire, void *ctx)
{
    struct link *links = timers->links;
    uint32_t list = timers->capacity + DUE_LIST;
    for (uint32_t id; (id = links[list].next) != list;) {
        links_remove(links, id);
        TW_COUNT(timers, visits, 1);
        TW_COUNT(timers, comparisons, 1);
        TW_COUNT(timers, link_writes, LINKS_REMOVE_WRITES);
        __builtin_prefetch(&links[links[list].next]);
        if (timers->dues[id] > timers->now) {
            timer_place(timers, id, timers->dues[id]);
            continue;
        }
        links_set_idle(links, id);
        TW_COUNT(timers, link_writes, 1);
        timers->running--;
        expire(ctx, id, timers->now);
    }
}

/* Takes the slot of a level whose turn is now out of the marked ones. */
static inline void slot_wipe(struct tw_timers *timers, uint32_t level)
{
    uint32_t slot = slot_of(timers->now, level);
    timers->used[level][slot / WORD] &= ~(UINT64_C(1) << slot % WORD);
}

static inline bool slot_is_marked(const struct tw_timers *timers, uint32_t level)
{
    uint32_t slot = slot_of(timers->now, level);
    return timers->used[level][slot / WORD] >> slot % WORD & 1;
}

/* The clock is at a tick on which something may happen: deals out the slots of the levels that begin a turn, from
 * the highest, and fires what is due.  Kept out of line, so that the step over an empty tick, by far the most
 * frequent call, saves no registers. */
__attribute__((noinline)) static void tick_process(struct tw_timers *timers, tw_expire_fn *expire,
                                                   void *ctx)
{
    uint32_t level = 0;
    if (timers->now >= far_turn(timers)) {
        timers->first_far = TW_NEVER;
        lanes_deal(timers, timers->capacity + FAR_LIST);
    }
    while (level < TOP && slot_of(timers->now, level) == 0)
        level++;
    for (; level > 0; level--) {
        if (!slot_is_marked(timers, level))
            continue;
        slot_wipe(timers, level);
        TW_COUNT(timers, cascades, 1);
        lanes_deal(timers, slot_list(timers, level, slot_of(timers->now, level)));
    }
    uint32_t list = slot_list(timers, 0, slot_of(timers->now, 0));
    slot_wipe(timers, 0);
    if (!links_is_empty(timers->links, list))
        links_splice(timers->links, list, timers->capacity + DUE_LIST);
    TW_COUNT(timers, empty_ticks, links_is_empty(timers->links, timers->capacity + DUE_LIST));
    due_fire(timers, expire, ctx);
}

/* ---- The clock. ------------------------------------------------------------------------------ */

/* The first marked slot of a level after that of now, in turns from it, 1 to SLOTS; 0: none is. */
static inline uint32_t level_first(const struct tw_timers *timers, uint32_t level)
{
    uint32_t from = (slot_of(timers->now, level) + 1) % SLOTS;
    const uint64_t *used = timers->used[level];
    uint64_t word = used[from / WORD] & UINT64_MAX << from % WORD;
    uint32_t index = from / WORD;
    for (uint32_t i = 0; word == 0; i++) {
        if (i == WORDS)
            return 0;
        index = (index + 1) % WORDS;
        word = used[index];
    }
    uint32_t slot = index * WORD + (uint32_t)__builtin_ctzll(word);
    return (slot - from) % SLOTS + 1;
}

/* The first tick after now on which a marked slot of the level has its turn; TW_NEVER if none has. */
static inline tw_tick level_turn(const struct tw_timers *timers, uint32_t level)
{
    uint32_t turns = level_first(timers, level);
    uint64_t turn = (timers->now >> level * LEVEL_BITS) + turns;
    if (turns == 0 || turn > TW_DEADLINE_MAX >> level * LEVEL_BITS)
        return TW_NEVER;
    return turn << level * LEVEL_BITS;
}

/* The first tick after now on which something may happen in the slots. */
static tw_tick slots_next(const struct tw_timers *timers)
{
    tw_tick next = far_turn(timers);
    for (uint32_t level = 0; level < LEVELS; level++) {
        tw_tick turn = level_turn(timers, level);
        next = turn < next ? turn : next;
    }
    return next;
}

/* From one turn of a slot in use to the next, until the clock is at `to`. */
__attribute__((noinline)) static void clock_move(struct tw_timers *timers, tw_tick to,
                                                 tw_expire_fn *expire, void *ctx)
{
    while (timers->now < to) {
        if (timers->running == 0)
            memset(timers->used, 0, sizeof timers->used);
        todo_deal(timers);
        tw_tick next = slots_next(timers);
        TW_COUNT(timers, pointer_moves, 1);
        if (next > to || next == TW_NEVER) {
            timers->now = to;
            TW_COUNT(timers, empty_ticks, 1);
            return;
        }
        timers->now = next;
        tick_process(timers, expire, ctx);
    }
}

/* A single step needs no look at what comes later. */
static void todo_advance(struct tw_timers *timers, tw_tick to, tw_expire_fn *expire, void *ctx)
{
    if (to > timers->now && to - timers->now == 1) {
        todo_deal(timers);
        timers->now = to;
        TW_COUNT(timers, pointer_moves, 1);
        if (slot_of(to, 0) == 0 || slot_is_marked(timers, 0))
            tick_process(timers, expire, ctx);
        else
            TW_COUNT(timers, empty_ticks, 1);
    } else {
        clock_move(timers, to, expire, ctx);
    }
}

/* ---- The other hooks. ------------------------------------------------------------------------ */

LINKS_AND_DUES(todo, timers->capacity, LISTS);

static int todo_open(struct tw_timers **out, const struct tw_config *config, struct tw_error *error)
{
    struct tw_timers *timers;
    int status = open_begin(&timers, sizeof *timers, todo_params, config, error);
    if (status != TW_OK)
        return status;
    timers->now = config->now;
    timers->capacity = config->capacity;
    timers->first_todo = timers->first_far = TW_NEVER;
    return open_end(out, timers, todo_allocate(timers), todo_footprint, todo_close, error);
}

static int todo_start(struct tw_timers *timers, tw_id id, tw_tick deadline)
{
    if (__builtin_expect(deadline <= timers->now, 0)) {
        if (timers->now >= TW_DEADLINE_MAX)
            return TW_REFUSED_RANGE;
        deadline = timers->now + 1;
    }
    int status = TW_OK;
    if (links_is_idle(timers->links, id)) {
        timers->running++;
    } else {
        status = TW_REARMED;
        tw_tick before = timers->dues[id];
        TW_COUNT(timers, comparisons, 1);
        if (deadline >= before) {
            timers->dues[id] = deadline;
            return status;
        }
        links_remove(timers->links, id);
        TW_COUNT(timers, link_writes, LINKS_REMOVE_WRITES);
    }
    timers->dues[id] = deadline;
    timers->first_todo = deadline < timers->first_todo ? deadline : timers->first_todo;
    list_append(timers, timers->capacity + TODO_LIST + id % LANES, id);
    return status;
}

static int todo_stop(struct tw_timers *timers, tw_id id)
{
    if (links_is_idle(timers->links, id))
        return TW_IDLE;
    links_remove(timers->links, id);
    links_set_idle(timers->links, id);
    TW_COUNT(timers, link_writes, LINKS_REMOVE_WRITES + 1);
    timers->running--;
    return TW_OK;
}

/* A stop leaves the mark of a slot alone, so a marked one may be empty. */
static bool slot_is_empty(const struct tw_timers *timers, uint32_t level, uint32_t slot)
{
    uint32_t list = slot_list(timers, level, slot);
    for (uint32_t head = list; head < list + lanes_of(level); head++)
        if (!links_is_empty(timers->links, head))
            return false;
    return true;
}

/* The first turn of a slot of the level that is not empty. */
static tw_tick level_next(const struct tw_timers *timers, uint32_t level)
{
    uint64_t turn = timers->now >> level * LEVEL_BITS, end = TW_DEADLINE_MAX >> level * LEVEL_BITS;
    for (uint32_t i = 0; i < SLOTS && turn < end; i++) {
        uint32_t slot = (uint32_t)++turn % SLOTS;
        bool is_marked = timers->used[level][slot / WORD] >> slot % WORD & 1;
        if (is_marked && !slot_is_empty(timers, level, slot))
            return turn << level * LEVEL_BITS;
    }
    return TW_NEVER;
}

/* A bound: the turn of a slot or of the far ones, or the due tick of one that was stopped on the todo list. */
static tw_tick todo_next(const struct tw_timers *timers)
{
    if (timers->running == 0)
        return TW_NEVER;
    tw_tick next = timers->first_todo, far = far_turn(timers);
    next = far < next ? far : next;
    for (uint32_t level = 0; level < LEVELS; level++) {
        tw_tick turn = level_next(timers, level);
        next = turn < next ? turn : next;
    }
    return next;
}

/* The todo list counts as slot 0 of a fifth level, the far list as slot 1. */
static void todo_visit(const struct tw_timers *timers, tw_visit_fn *visit, void *ctx)
{
    for (uint32_t head = timers->capacity, end = timers->capacity + LISTS;
         (head = links_first_used(timers->links, head, end)) < end; head++) {
        uint32_t index = head - timers->capacity, position = index + SLOTS * (LANES - 1);
        uint32_t level = index < SLOTS ? 0 : position >> LANE_BITS >> LEVEL_BITS;
        uint32_t slot = index < SLOTS ? index : (position >> LANE_BITS) % SLOTS;
        for (uint32_t id = timers->links[head].next; id != head; id = timers->links[id].next)
            visit(ctx, &(struct tw_view){
                           .id = id, .deadline = timers->dues[id], .level = level, .slot = slot});
    }
}

/* Invariants 3 and 4, for one list of a slot whose links are known to be sound. */
static const char *list_check(const struct tw_timers *timers, uint32_t head, uint32_t level,
                              uint32_t slot)
{
    uint64_t now = timers->now >> level * LEVEL_BITS;
    uint64_t turn = now + 1 + ((slot - (uint32_t)now - 1) % SLOTS);
    for (uint32_t id = timers->links[head].next; id != head; id = timers->links[id].next) {
        if (timers->dues[id] <= timers->now)
            return "a timer is still held after its due tick";
        if (timers->dues[id] >> level * LEVEL_BITS < turn)
            return "the slot of a timer has its turn after its due tick";
    }
    return NULL;
}

/* Invariants 2 to 4, for a level. */
static const char *level_check(const struct tw_timers *timers, uint32_t level)
{
    for (uint32_t slot = 0; slot < SLOTS; slot++) {
        uint32_t list = slot_list(timers, level, slot);
        bool is_marked = timers->used[level][slot / WORD] >> slot % WORD & 1;
        for (uint32_t head = list; head < list + lanes_of(level); head++) {
            if (!is_marked && !links_is_empty(timers->links, head))
                return "a slot that holds something is not marked";
            const char *broken = list_check(timers, head, level, slot);
            if (broken)
                return broken;
        }
    }
    return NULL;
}

/* Invariant 3, for the lanes of the todo list or the far one. */
static const char *lanes_check(const struct tw_timers *timers, uint32_t list, tw_tick first)
{
    list += timers->capacity;
    for (uint32_t head = list; head < list + LANES; head++)
        for (uint32_t id = timers->links[head].next; id != head; id = timers->links[id].next)
            if (timers->dues[id] <= timers->now || timers->dues[id] < first)
                return "a timer on the todo or the far list is due before the first of it";
    return NULL;
}

static const char *todo_check(const struct tw_timers *timers)
{
    uint64_t held = 0;
    uint32_t end = timers->capacity + LISTS;
    const char *broken = links_check_all(timers->links, timers->capacity, end, &held);
    for (uint32_t level = 0; !broken && level < LEVELS; level++)
        broken = level_check(timers, level);
    if (!broken)
        broken = lanes_check(timers, TODO_LIST, timers->first_todo);
    if (!broken)
        broken = lanes_check(timers, FAR_LIST, timers->first_far);
    if (!broken && far_turn(timers) <= timers->now)
        broken = "the far timers were not dealt out in time";
    if (!broken && !links_is_empty(timers->links, timers->capacity + DUE_LIST))
        broken = "a timer was left on the list of the due";
    return links_check_held(timers->links, timers->capacity, held, timers->running, broken);
}

TW_TELL_WORK(todo);
const struct tw_backend TW_BACKEND(todo) = {
    .abi_version = TW_ABI_VERSION,
    .name = "todo",
    .summary = "timeouts of OpenBSD: starts are collected and dealt out at the tick (scheme 7)",
    .traits = {.flags = TW_ORDERED | TW_TICKLESS,
               .start = {TW_O_1, TW_O_1},
               .stop = {TW_O_1, TW_O_1},
               .expire = {TW_O_1, TW_O_1},
               .tick = {TW_O_1, TW_O_N}},
    TW_HOOKS(todo, todo),
};
