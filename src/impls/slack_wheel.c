/*
 * slack_wheel.c - a wheel whose caller sets the bound: each timer goes to the coarsest slot that its slack allows, and
 * fires from there.  Nothing cascades.
 *
 *     due = 1000, slack = 0:     fires at 1000 = 125 x 8      level 1
 *     due = 1000, slack = 30:    fires at 1024 =   2 x 512    level 3
 *     due = 1001, slack = 2:     fires at 1002                level 0
 *
 *     level   a slot every     slots 256, ticks reached in one turn
 *       0        1               256
 *       1        8             2,048
 *       2       64            16,384
 *       3      512           131,072              depth 8: up to 2^21 ticks a slot, 2^29 a turn
 *
 * THE TICK.  Of the ticks in [due, due + slack] there is one that more powers of two divide than any other.  It is the end
 * of the window with all bits below the highest one cleared in which it differs from due - 1.  Timers that agree on
 * a tick fire in one wake-up, and a tick that is round for a long window is round for the short ones too.
 * With slack s it is a multiple of 2^k for some 2^k > s / 2.
 *
 * A slot knows the soonest tick at which one of its timers fires.  So a timer may be several turns ahead: the clock passes
 * its slot and asks that one number.
 *
 *              average                       worst
 *     start    O(1)                          O(1)
 *     stop     O(1)                          O(1)
 *     tick     O(1), one level in 7 of 8     O(depth)
 *     expire   O(n / slots): a slot holds timers of many turns, which it looks through; O(1) where slack spreads them
 *     advance  O(depth) a slot in use; nothing for empty ones, however long the jump
 *     next     O(depth)                      O(slots + n), when stops took the soonest of many slots
 *     memory   16 bytes a timer, 16.1 a slot; nothing is allocated after open
 *
 * Invariants, tested by check (between calls):
 *  1. Nothing is on the list of the due.
 *  2. Every list is a ring: forward and back links agree and lead to running timers only.
 *  3. A timer is in the slot of its tick, in the coarsest level that divides it, and its tick is to come.
 *  4. No timer of a slot fires before the slot's soonest, which is to come.
 *  5. A slot is marked if and only if it holds something.
 *  6. The slots hold exactly the running timers.
 *
 * The levels are those of linux.c, whose precision the delay sets; here the caller does.  Linux 2.6.36 to 4.7 chose the tick
 * in the same way (apply_slack), but compared the end with due: a due that is itself round was given up for another.
 * Windows become aligned ticks before they are compared, so coalesce.c wakes up less often, for O(log n).
 *
 * It loses where nobody grants slack and delays are long: then it is a hashed wheel of level 0 mostly, and a slot holds timers
 * of many turns.
 */
#include "arrays.h"
#include "design.h"
#include "links.h"

#define FACTOR_BITS 3u
#define DEPTH_USUAL 8u
#define DEPTH_MAX   21u
#define SLOTS_USUAL 256u
#define SLOTS_MAX   (1u << 20)
#define WORD_BITS   64u
#define MARK(slot)  (UINT64_C(1) << (slot) % WORD_BITS)

static const struct tw_param slack_wheel_params[] = {
    {"slots", "slots of each level, rounded up to a power of two (default: 256)", WORD_BITS,
     SLOTS_MAX, 1},
    {"depth", "levels, each slot worth 8 of the level below (default: 8)", 1, DEPTH_MAX, 1},
    {NULL, NULL, 0, 0, 0},
};

struct tw_timers {
    struct link *links;         /* timers, slots level by level, the list of the due */
    tw_tick *ticks;             /* by timer: when it fires */
    tw_tick *soonest;           /* by slot, where it is marked: no timer of it fires before */
    uint64_t *marks;            /* bit per slot */
    tw_tick now;                /* the tick being processed */
    uint32_t marked[DEPTH_MAX]; /* slots of the level */
    uint32_t slots, depth;
    uint32_t capacity; /* also the index of the first slot */
    uint32_t due_head;
    uint32_t running;
    TW_WORK_FIELD
};

/* ---- Ticks, slots, marks. -------------------------------------------------------------------- */

static inline uint32_t shift_of(uint32_t level)
{
    return level * FACTOR_BITS;
}

/* The highest bit in which the end of a window and the tick before it differ: so many bits of the roundest tick
 * are 0. */
static inline uint32_t round_bits(tw_tick due, tw_tick end)
{
    return 63 - (uint32_t)__builtin_clzll((due - 1) ^ end);
}

static inline uint32_t level_of(const struct tw_timers *timers, uint32_t bits)
{
    uint32_t level = bits / FACTOR_BITS;
    return level < timers->depth ? level : timers->depth - 1;
}

/* Number of the slot among those of all levels. */
static inline uint32_t slot_of(const struct tw_timers *timers, uint32_t level, tw_tick tick)
{
    return level * timers->slots + ((uint32_t)(tick >> shift_of(level)) & (timers->slots - 1));
}

static inline bool is_marked(const struct tw_timers *timers, uint32_t slot)
{
    return timers->marks[slot / WORD_BITS] & MARK(slot);
}

/* The slot has become empty. */
static inline void slot_leave(struct tw_timers *timers, uint32_t slot)
{
    timers->marks[slot / WORD_BITS] &= ~MARK(slot);
    timers->marked[slot / timers->slots]--;
}

/* Takes a timer out of its list. */
static inline void timer_leave(struct tw_timers *timers, tw_id id)
{
    links_remove(timers->links, id);
    TW_COUNT(timers, link_writes, LINKS_REMOVE_WRITES);
    uint32_t before = timers->links[id].prev;
    if (before == timers->links[id].next && before != timers->due_head)
        slot_leave(timers, before - timers->capacity);
}

/* ---- Turning. -------------------------------------------------------------------------------- */

/* Moves what fires now to the list of the due, and finds the soonest of the others. */
static void slot_turn(struct tw_timers *timers, uint32_t slot)
{
    struct link *links = timers->links;
    uint32_t head = timers->capacity + slot;
    tw_tick soonest = TW_NEVER;
    for (uint32_t id = links[head].next, next; id != head; id = next) {
        next = links[id].next;
        TW_COUNT(timers, visits, 1);
        if (timers->ticks[id] != timers->now) {
            soonest = timers->ticks[id] < soonest ? timers->ticks[id] : soonest;
            continue;
        }
        links_remove(links, id);
        links_append(links, timers->due_head, id);
        TW_COUNT(timers, link_writes, LINKS_REMOVE_WRITES + LINKS_APPEND_WRITES);
    }
    timers->soonest[slot] = soonest;
    if (links_is_empty(links, head))
        slot_leave(timers, slot);
}

static void due_fire(struct tw_timers *timers, tw_expire_fn *expire, void *ctx)
{
    struct link *links = timers->links;
    TW_COUNT(timers, empty_ticks, links_is_empty(links, timers->due_head));
    while (!links_is_empty(links, timers->due_head)) {
        tw_id id = links[timers->due_head].next;
        links_remove(links, id);
        links_set_idle(links, id);
        TW_COUNT(timers, link_writes, LINKS_REMOVE_WRITES + 1);
        timers->running--;
        expire(ctx, id, timers->now);
    }
}

/* The slots that levels have at now, and what is due in them. */
static void clock_turn(struct tw_timers *timers, tw_expire_fn *expire, void *ctx)
{
    uint32_t last = level_of(timers, (uint32_t)__builtin_ctzll(timers->now));
    for (uint32_t level = 0; level <= last; level++) {
        uint32_t slot = slot_of(timers, level, timers->now);
        TW_COUNT(timers, pointer_moves, 1);
        if (is_marked(timers, slot) && timers->soonest[slot] <= timers->now)
            slot_turn(timers, slot);
    }
    due_fire(timers, expire, ctx);
}

/* The first marked slot of the level from `place` on, as places ahead; as many as there are slots if there is none. */
static uint32_t marked_ahead(const struct tw_timers *timers, uint32_t level, uint32_t place)
{
    uint32_t words = timers->slots / WORD_BITS, word = place / WORD_BITS;
    const uint64_t *marks = timers->marks + level * words;
    uint64_t found = marks[word] & UINT64_MAX << place % WORD_BITS;
    for (uint32_t i = 0; i < words && found == 0; i++)
        found = marks[word = (word + 1) % words];
    if (found == 0)
        return timers->slots;
    uint32_t slot = word * WORD_BITS + (uint32_t)__builtin_ctzll(found);
    return (slot - place) & (timers->slots - 1);
}

/* When a timer of the slot really fires first: stops leave the soonest as it was. */
static tw_tick slot_first(const struct tw_timers *timers, uint32_t slot)
{
    uint32_t head = timers->capacity + slot;
    tw_tick first = TW_NEVER;
    for (uint32_t id = timers->links[head].next; id != head && first != timers->soonest[slot];
         id = timers->links[id].next)
        first = timers->ticks[id] < first ? timers->ticks[id] : first;
    return first;
}

/* The earliest of the level before `best`, or that.  A slot's first comes no sooner than its turn, so that the walk ends at
 * the first turn behind the best.  The soonest will do for the clock; next wants what is true. */
static inline tw_tick level_first(const struct tw_timers *timers, uint32_t level, tw_tick best,
                                  bool is_true)
{
    uint64_t turn = (timers->now >> shift_of(level)) + 1;
    for (uint32_t ahead = 0, left = timers->marked[level]; left > 0; left--, ahead++) {
        ahead += marked_ahead(timers, level, (uint32_t)(turn + ahead) & (timers->slots - 1));
        if (turn + ahead > (best - 1) >> shift_of(level))
            break;
        uint32_t slot = slot_of(timers, level, (turn + ahead) << shift_of(level));
        if (timers->soonest[slot] >= best)
            continue;
        tw_tick first = is_true ? slot_first(timers, slot) : timers->soonest[slot];
        best = first < best ? first : best;
    }
    return best;
}

static inline tw_tick turn_find(const struct tw_timers *timers, bool is_true)
{
    tw_tick first = TW_NEVER;
    for (uint32_t level = 0; level < timers->depth; level++)
        if (timers->marked[level] > 0)
            first = level_first(timers, level, first, is_true);
    return first;
}

/* ---- The backend. ---------------------------------------------------------------------------- */

static void slack_wheel_close(struct tw_timers *timers)
{
    free(timers->links);
    free(timers->ticks);
    free(timers->soonest);
    free(timers->marks);
    free(timers);
}

static struct tw_footprint slack_wheel_footprint(const struct tw_timers *timers)
{
    uint64_t slots = (uint64_t)timers->slots * timers->depth;
    return (struct tw_footprint){
        .fixed_bytes = sizeof *timers + (slots + 1) * sizeof(struct link) +
                       slots * sizeof(tw_tick) + slots / 8,
        .capacity_bytes = timers->capacity * (uint64_t)(sizeof(struct link) + sizeof(tw_tick)),
    };
}

static int slack_wheel_open(struct tw_timers **out, const struct tw_config *config,
                            struct tw_error *error)
{
    struct tw_timers *timers;
    int status = open_begin(&timers, sizeof *timers, slack_wheel_params, config, error);
    if (status != TW_OK)
        return status;
    timers->slots = (uint32_t)params_power_of_two(setting_of(config, "slots", SLOTS_USUAL));
    timers->depth = (uint32_t)setting_of(config, "depth", DEPTH_USUAL);
    timers->now = config->now;
    timers->capacity = config->capacity;
    uint32_t slots = timers->slots * timers->depth;
    timers->due_head = timers->capacity + slots;
    timers->links = links_new(timers->capacity, slots + 1);
    timers->ticks = arrays_zeroed(timers->capacity, sizeof *timers->ticks);
    timers->soonest = arrays_zeroed(slots, sizeof *timers->soonest);
    timers->marks = arrays_zeroed(slots / WORD_BITS, sizeof *timers->marks);
    return open_end(out, timers, timers->links && timers->ticks && timers->soonest && timers->marks,
                    slack_wheel_footprint, slack_wheel_close, error);
}

static int wheel_enter(struct tw_timers *timers, tw_id id, tw_tick due, tw_tick slack)
{
    tw_tick end = slack < TW_DEADLINE_MAX - due ? due + slack : TW_DEADLINE_MAX;
    uint32_t bits = round_bits(due, end), level = level_of(timers, bits);
    tw_tick tick = end >> bits << bits;
    uint32_t slot = slot_of(timers, level, tick);
    int status = TW_OK;
    if (links_is_idle(timers->links, id)) {
        timers->running++;
    } else {
        timer_leave(timers, id);
        status = TW_REARMED;
    }
    if (!is_marked(timers, slot)) {
        timers->marks[slot / WORD_BITS] |= MARK(slot);
        timers->marked[level]++;
        timers->soonest[slot] = tick;
    } else if (tick < timers->soonest[slot]) {
        timers->soonest[slot] = tick;
    }
    timers->ticks[id] = tick;
    links_append(timers->links, timers->capacity + slot, id);
    TW_COUNT(timers, comparisons, 1);
    TW_COUNT(timers, link_writes, LINKS_APPEND_WRITES);
    return status;
}

static int slack_wheel_start_within(struct tw_timers *timers, tw_id id, tw_tick deadline,
                                    tw_tick slack)
{
    tw_tick due = deadline > timers->now ? deadline : timers->now + 1;
    if (timers->now >= TW_DEADLINE_MAX || due > TW_DEADLINE_MAX)
        return TW_REFUSED_RANGE;
    return wheel_enter(timers, id, due, slack);
}

static int slack_wheel_start(struct tw_timers *timers, tw_id id, tw_tick deadline)
{
    return slack_wheel_start_within(timers, id, deadline, 0);
}

static int slack_wheel_stop(struct tw_timers *timers, tw_id id)
{
    if (links_is_idle(timers->links, id))
        return TW_IDLE;
    timer_leave(timers, id);
    links_set_idle(timers->links, id);
    TW_COUNT(timers, link_writes, 1);
    timers->running--;
    return TW_OK;
}

/* Any advance but a single step: from one slot that something may fire in to the next. */
static void clock_move(struct tw_timers *timers, tw_tick to, tw_expire_fn *expire, void *ctx)
{
    while (timers->now < to) {
        tw_tick tick = turn_find(timers, false);
        if (tick > to) {
            timers->now = to;
            TW_COUNT(timers, empty_ticks, 1);
        } else {
            timers->now = tick;
            clock_turn(timers, expire, ctx);
        }
    }
}

static void slack_wheel_advance(struct tw_timers *timers, tw_tick to, tw_expire_fn *expire,
                                void *ctx)
{
    if (to > timers->now && to - timers->now == 1) {
        timers->now = to;
        clock_turn(timers, expire, ctx);
    } else {
        clock_move(timers, to, expire, ctx);
    }
}

static tw_tick slack_wheel_next(const struct tw_timers *timers)
{
    return turn_find(timers, true);
}

static void slack_wheel_visit(const struct tw_timers *timers, tw_visit_fn *visit, void *ctx)
{
    for (uint32_t head = timers->capacity;
         (head = links_first_used(timers->links, head, timers->due_head)) < timers->due_head;
         head++) {
        uint32_t slot = head - timers->capacity, level = slot / timers->slots;
        for (uint32_t id = timers->links[head].next; id != head; id = timers->links[id].next) {
            tw_tick tick = timers->ticks[id];
            uint64_t turns = (tick >> shift_of(level)) - (timers->now >> shift_of(level)) - 1;
            struct tw_view view = {.id = id,
                                   .deadline = tick,
                                   .level = level,
                                   .slot = slot % timers->slots,
                                   .rounds = turns / timers->slots};
            visit(ctx, &view);
        }
    }
}

/* Invariants 3 to 5, for one slot whose links are known to be sound. */
static const char *slot_check(const struct tw_timers *timers, uint32_t slot)
{
    uint32_t head = timers->capacity + slot;
    if (is_marked(timers, slot) == links_is_empty(timers->links, head))
        return "a slot is marked and empty, or the opposite";
    if (is_marked(timers, slot) && timers->soonest[slot] <= timers->now)
        return "the soonest of a slot is over";
    for (uint32_t id = timers->links[head].next; id != head; id = timers->links[id].next) {
        tw_tick tick = timers->ticks[id];
        if (tick <= timers->now || tick > TW_DEADLINE_MAX)
            return "a timer fires on a processed tick, or never";
        uint32_t level = level_of(timers, (uint32_t)__builtin_ctzll(tick));
        if (slot_of(timers, level, tick) != slot)
            return "a timer is not in the slot of its tick";
        if (tick < timers->soonest[slot])
            return "a timer fires before the soonest of its slot";
    }
    return NULL;
}

static const char *slack_wheel_check(const struct tw_timers *timers)
{
    uint64_t held = 0;
    const char *broken =
        links_check_all(timers->links, timers->capacity, timers->due_head + 1, &held);
    if (!broken && !links_is_empty(timers->links, timers->due_head))
        broken = "a timer was left on the list of the due";
    for (uint32_t slot = 0; !broken && slot < timers->slots * timers->depth; slot++)
        broken = slot_check(timers, slot);
    return links_check_held(timers->links, timers->capacity, held, timers->running, broken);
}

static void slack_wheel_describe(const struct tw_timers *timers, struct tw_description *out)
{
    *out = (struct tw_description){
        .span = TW_DEADLINE_MAX,
        .setting_count = 2,
        .settings = {{.name = "slots", .count = 1, .values = {timers->slots}},
                     {.name = "depth", .count = 1, .values = {timers->depth}}},
    };
}

const struct tw_slack TW_SLACK(slack_wheel) = {slack_wheel_start_within};

TW_TELL_WORK(slack_wheel);
const struct tw_backend TW_BACKEND(slack_wheel) = {
    .abi_version = TW_ABI_VERSION,
    .name = "slack-wheel",
    .summary = "wheel that never cascades: each timer in the coarsest slot that its slack allows",
    .traits = {.flags = TW_ORDERED | TW_TICKLESS | TW_NEXT_EXACT,
               .start = {TW_O_1, TW_O_1},
               .stop = {TW_O_1, TW_O_1},
               .expire = {TW_O_N, TW_O_N},
               .tick = {TW_O_1, TW_O_1}},
    TW_HOOKS(slack_wheel, slack_wheel),
};
