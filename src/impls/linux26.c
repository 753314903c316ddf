/*
 * linux26.c - the cascading timer wheel of Linux 2.6 (I. Molnar; kernel/timer.c from 2.5 to 4.7):
 * scheme 7 of Varghese & Lauck with one level of 256 slots and four of 64.
 *
 *     level        a slot every      holds delays below          (a delay of 0 is for the next tick)
 *       0 (tv1)        1 tick          256
 *       1 (tv2)      256               16 Ki
 *       2 (tv3)       16 Ki             1 Mi
 *       3 (tv4)        1 Mi            64 Mi
 *       4 (tv5)       64 Mi             4 Gi, and longer ones a revolution at a time
 *
 *     started at 0 for 300; [slot] of the clock
 *
 *     now = 255     level 0    0  ...  44  ... [255]     level 1   [0]  1   2  ...  63
 *                                                                       ^ due 300
 *     now = 256     level 0   [0] ...  44  ...  255      level 1    0  [1]  2  ...  63
 *                                      ^ came down when level 0 began again
 *
 *              average                            worst
 *     start    O(1)                               O(1)
 *     stop     O(1)                               O(1)
 *     tick     O(1), cascades spread over ticks   O(n), when the slot that cascades holds all
 *     advance  O(levels) a timer; O(slots) for any jump over empty slots
 *     next     O(slots to the next timer)         O(slots + n)
 *     memory   16 bytes a timer, 4 KiB of slots; nothing is allocated after open
 *
 * Invariants, tested by check in this order (between calls):
 *  1. Every list is a ring: forward and back links agree and lead to running timers only.
 *  2. Nothing is on the list of the due.
 *  3. The slot of a timer comes up after now and by its due tick; below the last level the due tick
 *     lies in it.
 *  4. The timers in the slots are as many as run, and all others are idle.
 *
 * As in Linux the level goes by the delay, not by digits of the due tick as in hier.c, and a slot
 * that comes up is walked once, each timer going to where it belongs by then.  A delay of 2^32 and
 * more has a slot of the last level by its due tick and stays there when the slot comes up too early:
 * because the whole due tick is kept, that is exact, however long the delay, and costs start nothing.
 * (Linux, on 64 bits, put it 2^32 - 1 ahead, and there again.)
 *
 * Departures from Linux.  Links are 32-bit indices in an array of their own, and there is no
 * function and no argument to keep, so a timer takes 16 bytes of its 56.  Linux steps through every
 * tick it missed; here a jump of the clock goes from one slot in use to the next, which Linux looks
 * for as well, before it sleeps (__next_timer_interrupt), and passes the turns on which a slot of the
 * last level would come up too early.
 *
 * It loses when most timers fire after a long delay: each is moved up to four times on its way, along
 * one list and so one cache miss after another; and where the tail matters: the tick on which a
 * well-filled slot cascades is long.
 */
#include "design.h"
#include "links.h"

#define ROOT_BITS   8u /* of level 0 */
#define ROOT_SLOTS  (1u << ROOT_BITS)
#define LEVEL_BITS  6u /* of each level above */
#define LEVEL_SLOTS (1u << LEVEL_BITS)
#define LEVELS      5u
#define TOP         (LEVELS - 1)
#define SLOTS       (ROOT_SLOTS + TOP * LEVEL_SLOTS)

TW_NO_SETTINGS(linux26, TW_DEADLINE_MAX);

struct tw_timers {
    struct link *links;  /* timers, then the slots level by level, then the list of the due */
    tw_tick *dues;       /* of running timers */
    tw_tick now;         /* the tick being processed */
    uint32_t slot_heads; /* index of slot 0 of level 0: the capacity */
    uint32_t running;
    TW_WORK_FIELD
};

#include "wheel.h"

/* What a look ahead found. */
struct find {
    tw_tick begin; /* the tick at which the slot comes up, TW_NEVER if there is none */
    uint32_t level;
    TW_WORK_FIELD
};

/* ---- Places. --------------------------------------------------------------------------------- */

/* log2 of the ticks that a slot is worth. */
static inline uint32_t shift_of(uint32_t level)
{
    return level == 0 ? 0 : ROOT_BITS + (level - 1) * LEVEL_BITS;
}

static inline uint32_t slots_of(uint32_t level)
{
    return level == 0 ? ROOT_SLOTS : LEVEL_SLOTS;
}

/* The list of the slot that has this turn, counted from tick 0. */
static inline uint32_t slot_list(const struct tw_timers *timers, uint32_t level, uint64_t turn)
{
    uint32_t first = level == 0 ? 0 : ROOT_SLOTS + (level - 1) * LEVEL_SLOTS;
    return timers->slot_heads + first + ((uint32_t)turn & (slots_of(level) - 1));
}

static inline uint32_t due_list(const struct tw_timers *timers)
{
    return timers->slot_heads + SLOTS;
}

/* The number of the level's first turn after now. */
static inline uint64_t turn_next(const struct tw_timers *timers, uint32_t level)
{
    return (timers->now >> shift_of(level)) + 1;
}

/* The list that a timer with this due tick, later than now, belongs to. */
static inline uint32_t list_of(const struct tw_timers *timers, tw_tick due)
{
    tw_tick delay = due - (timers->now + 1);
    if (delay < UINT64_C(1) << shift_of(1))
        return slot_list(timers, 0, due);
    if (delay < UINT64_C(1) << shift_of(2))
        return slot_list(timers, 1, due >> shift_of(1));
    if (delay < UINT64_C(1) << shift_of(3))
        return slot_list(timers, 2, due >> shift_of(2));
    if (delay < UINT64_C(1) << shift_of(TOP))
        return slot_list(timers, 3, due >> shift_of(3));
    return slot_list(timers, TOP, due >> shift_of(TOP));
}

static inline void timer_enter(struct tw_timers *timers, tw_id id, tw_tick due)
{
    timers->dues[id] = due;
    links_append(timers->links, list_of(timers, due), id);
    TW_COUNT(timers, link_writes, LINKS_APPEND_WRITES);
}

/* ---- A tick. --------------------------------------------------------------------------------- */

/* Puts every timer of a slot where it belongs by now; those a revolution ahead stay. */
static void slot_cascade(struct tw_timers *timers, uint32_t list)
{
    struct link *links = timers->links;
    uint32_t node = links[list].next;
    TW_COUNT(timers, cascades, node != list);
    links_clear(links, list);
    for (uint32_t next; node != list; node = next) {
        next = links[node].next;
        links_append(links, list_of(timers, timers->dues[node]), node);
        TW_COUNT(timers, visits, 1);
        TW_COUNT(timers, moves, 1);
        TW_COUNT(timers, link_writes, LINKS_APPEND_WRITES);
    }
}

/* Level 0 begins a revolution at the coming tick: its slot of level 1 cascades, and so on upwards
 * from each level that begins one, too. */
__attribute__((noinline)) static void levels_cascade(struct tw_timers *timers)
{
    tw_tick coming = timers->now + 1;
    for (uint32_t level = 1; level < LEVELS; level++) {
        uint64_t turn = coming >> shift_of(level);
        TW_COUNT(timers, pointer_moves, 1);
        slot_cascade(timers, slot_list(timers, level, turn));
        if (turn % LEVEL_SLOTS != 0)
            return;
    }
}

/* Fires a slot of level 0.  It is emptied first: a start 256 ticks ahead links into it.  Kept out of
 * line, so that the step over an empty slot, by far the most frequent call, saves no registers. */
__attribute__((noinline)) static void slot_fire(struct tw_timers *timers, uint32_t list,
                                                tw_expire_fn *expire, void *ctx)
{
    struct link *links = timers->links;
    uint32_t due = due_list(timers);
    links_take(links, list, due);
    TW_COUNT(timers, link_writes, LINKS_TAKE_WRITES);
    for (uint32_t node; (node = links[due].next) != due;) {
        links_remove(links, node);
        links_set_idle(links, node);
        TW_COUNT(timers, visits, 1);
        TW_COUNT(timers, link_writes, LINKS_REMOVE_WRITES + 1);
        timers->running--;
        expire(ctx, node, timers->now);
    }
}

static inline void clock_step(struct tw_timers *timers, tw_expire_fn *expire, void *ctx)
{
    if ((timers->now + 1) % ROOT_SLOTS == 0)
        levels_cascade(timers);
    uint32_t list = slot_list(timers, 0, ++timers->now);
    TW_COUNT(timers, pointer_moves, 1);
    if (links_is_empty(timers->links, list))
        TW_COUNT(timers, empty_ticks, 1);
    else
        slot_fire(timers, list, expire, ctx);
}

/* ---- A jump. --------------------------------------------------------------------------------- */

/* The first slot of the level to come up by `limit` that holds something, if it comes before the one
 * found so far. */
static void level_find(const struct tw_timers *timers, uint32_t level, tw_tick limit,
                       struct find *find)
{
    const struct link *links = timers->links;
    uint32_t shift = shift_of(level);
    uint64_t turn = turn_next(timers, level);
    for (uint32_t i = 0; i < slots_of(level) && turn <= limit >> shift; i++, turn++) {
        TW_COUNT(find, pointer_moves, 1);
        if (!links_is_empty(links, slot_list(timers, level, turn))) {
            find->begin = turn << shift;
            find->level = level;
            return;
        }
    }
}

/* The first slot of all levels to come up by `limit` that holds something. */
static struct find slot_find(const struct tw_timers *timers, tw_tick limit)
{
    struct find find = {.begin = TW_NEVER};
    for (uint32_t level = 0; level < LEVELS && timers->now < limit; level++) {
        level_find(timers, level, limit, &find);
        if (find.begin <= limit)
            limit = find.begin - 1;
    }
    return find;
}

/* The earliest due tick of a level, if it is before `earliest`.  A slot of the last level may hold
 * what is due long after its turn, so it goes on until it has found something that is not. */
static tw_tick level_earliest(const struct tw_timers *timers, uint32_t level, tw_tick earliest)
{
    const struct link *links = timers->links;
    uint32_t shift = shift_of(level);
    uint64_t turn = turn_next(timers, level);
    for (uint32_t i = 0; i < slots_of(level) && turn <= earliest >> shift; i++, turn++) {
        uint32_t list = slot_list(timers, level, turn);
        for (uint32_t node = links[list].next; node != list; node = links[node].next) {
            tw_tick due = timers->dues[node];
            if (due < earliest)
                earliest = due;
        }
    }
    return earliest;
}

static tw_tick linux26_next(const struct tw_timers *timers)
{
    tw_tick earliest = TW_NEVER;
    for (uint32_t level = 0; level < LEVELS && timers->running > 0; level++)
        earliest = level_earliest(timers, level, earliest);
    return earliest;
}

/* Any advance but a single step.  Slots that are left out hold nothing, or, on the last level, only
 * what is due revolutions later: the clock goes to the turn on which something is. */
__attribute__((noinline)) static void clock_move(struct tw_timers *timers, tw_tick to,
                                                 tw_expire_fn *expire, void *ctx)
{
    while (timers->now < to) {
        struct find find = {.begin = TW_NEVER};
        if (timers->running > 0)
            find = slot_find(timers, to);
        TW_COUNT(timers, pointer_moves, find.work.pointer_moves);
        if (find.level == TOP)
            find.begin = linux26_next(timers) >> shift_of(TOP) << shift_of(TOP);
        if (find.begin > to) {
            timers->now = to;
            TW_COUNT(timers, empty_ticks, 1);
        } else {
            timers->now = find.begin - 1;
            clock_step(timers, expire, ctx);
        }
    }
}

static void linux26_advance(struct tw_timers *timers, tw_tick to, tw_expire_fn *expire, void *ctx)
{
    if (to > timers->now && to - timers->now == 1)
        clock_step(timers, expire, ctx);
    else
        clock_move(timers, to, expire, ctx);
}

/* ---- The rest of the table. ------------------------------------------------------------------ */

LINKS_AND_DUES(linux26, timers->slot_heads, SLOTS + 1);

static int linux26_open(struct tw_timers **out, const struct tw_config *config,
                        struct tw_error *error)
{
    struct tw_timers *timers;
    int status = open_begin(&timers, sizeof *timers, linux26_params, config, error);
    if (status != TW_OK)
        return status;
    timers->now = config->now;
    timers->slot_heads = config->capacity;
    return open_end(out, timers, linux26_allocate(timers), linux26_footprint, linux26_close, error);
}

static void linux26_visit(const struct tw_timers *timers, tw_visit_fn *visit, void *ctx)
{
    const struct link *links = timers->links;
    for (uint32_t level = 0; level < LEVELS; level++)
        for (uint32_t slot = 0; slot < slots_of(level); slot++) {
            uint32_t list = slot_list(timers, level, slot);
            for (uint32_t node = links[list].next; node != list; node = links[node].next) {
                struct tw_view view = {
                    .id = node, .deadline = timers->dues[node], .level = level, .slot = slot};
                visit(ctx, &view);
            }
        }
}

/* Invariant 3, for one slot whose links are known to be sound. */
static const char *slot_check(const struct tw_timers *timers, uint32_t level, uint32_t slot)
{
    const struct link *links = timers->links;
    uint64_t first = turn_next(timers, level);
    uint64_t turn = first + ((slot - first) & (slots_of(level) - 1));
    uint32_t list = slot_list(timers, level, slot);
    for (uint32_t node = links[list].next; node != list; node = links[node].next) {
        uint64_t turn_of_due = timers->dues[node] >> shift_of(level);
        if (turn_of_due < turn)
            return "the slot of a timer comes up after its due tick";
        if (turn_of_due > turn && level < TOP)
            return "a timer is not in the slot of its due tick";
    }
    return NULL;
}

static const char *linux26_check(const struct tw_timers *timers)
{
    const struct link *links = timers->links;
    uint64_t held = 0;
    const char *broken = links_check_all(links, timers->slot_heads, due_list(timers) + 1, &held);
    if (!broken && !links_is_empty(links, due_list(timers)))
        broken = "a timer was left on the list of the due";
    for (uint32_t level = 0; level < LEVELS; level++)
        for (uint32_t slot = 0; !broken && slot < slots_of(level); slot++)
            broken = slot_check(timers, level, slot);
    return links_check_held(timers->links, timers->slot_heads, held, timers->running, broken);
}

TW_TELL_WORK(linux26);
const struct tw_backend TW_BACKEND(linux26) = {
    .abi_version = TW_ABI_VERSION,
    .name = "linux26",
    .summary = "cascading wheel of Linux 2.6, 256 slots and four levels of 64 (scheme 7)",
    .traits = {.flags = TW_ORDERED | TW_NEXT_EXACT,
               .start = {TW_O_1, TW_O_1},
               .stop = {TW_O_1, TW_O_1},
               .expire = {TW_O_1, TW_O_1},
               .tick = {TW_O_1, TW_O_N}},
    TW_HOOKS(linux26, wheel),
};
