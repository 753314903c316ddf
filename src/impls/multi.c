/*
 * multi.c - independent wheels, one per granularity: a second, a minute, an hour and a day wheel,
 * each turning for itself.  A timer goes to the wheel that is precise enough for it, and stays.
 *
 *     units=1,60,3600,86400        now = 120
 *
 *     every tick     ..  121  122  123  ..  599    delays below 480, to the tick
 *     every 60       ..  180  240 [660] 720 ..     delays from 8 x 60 on: 650 fires at 660
 *     every 3600     .. 3600 7200 ..               delays from 8 x 3600 on
 *     every 86400    .. 86400 172800 ..            delays from 8 x 86400 on, of any length
 *
 *              average                       worst
 *     start    O(1)                          O(1)
 *     stop     O(1)                          O(1)
 *     tick     O(1 + n / slots)              O(n), when all share a slot that has its turn
 *     advance  one tick after another; O(slots x wheels + n) for any jump beyond one revolution
 *     next     O(slots x wheels)             O(slots x wheels + n)
 *     memory   16 bytes a timer, 8 bytes a slot; nothing is allocated after open
 *
 * Invariants, tested by check (between calls), list by list:
 *  1. The next turn of every wheel is the first multiple of its unit after now.
 *  2. Nothing is on the list of the due, and no jump is under way.
 *  3. Every list is a ring: forward and back links agree and lead to running timers only.
 *  4. The tick of a timer is a whole turn of its wheel, and the timer is in the slot of that turn.
 *  5. That tick is later than now.
 *  6. The timers in the slots are as many as run, and all others are idle.
 *
 * Where it is usually told, the caller picks the wheel, by the precision that the task needs.  Here
 * a rule stands in for the caller: a task can wait for an eighth of its delay, as in linux.c, so it
 * gets the coarsest wheel whose unit is within that; its deadline is rounded up to whole units.  No
 * wheel ends: each is a hashed wheel that compares the tick (hashed.c), so a delay longer than a
 * revolution stays for the next one.
 *
 * It loses where late is wrong; when much is due within a few turns of a coarse wheel, which fires
 * all of it on one tick; and, like every wheel without marks, where most slots are empty.
 */
#include "levels.h"

/* Sixteen wheels of that many leave room for all timers in a 32-bit index space. */
#define SLOTS_MAX (UINT64_C(1) << 26)
/* With 60 units to the next, a wheel serves delays of 8 to 480 units: fewer than a revolution. */
#define SLOTS_DEFAULT 512
/* Lateness allowed: the delay >> this. */
#define LATE_SHIFT 3u
/* Wheels that a caller gets who does not say how long delays are. */
#define WHEELS_USUAL 4u

static const struct tw_param multi_params[] = {
    {"units",
     "ticks of a slot of each wheel, ascending, the first 1 (default: 1, 60, 3600, 86400, then by "
     "60, as many as the horizon needs)",
     1, UINT64_C(1) << 60, TW_VALUES_MAX},
    {"slots", "slots of each wheel, rounded up to a power of two (default: 512)", 1, SLOTS_MAX, 1},
    {NULL, NULL, 0, 0, 0},
};

struct wheel {
    struct level ring; /* from tick 0 on; only what it takes to divide by the unit */
    tw_tick next;      /* first multiple of the unit after now, TW_NEVER if there is none */
    uint32_t heads;    /* index of slot 0 */
};

struct tw_timers {
    struct link *links; /* timers, then the slots of all wheels, then the list of the due */
    tw_tick *dues;      /* of running timers, rounded up */
    tw_tick now;        /* the tick being processed; during a jump that of the timer that fires */
    tw_tick swept;      /* slots hold nothing due up to here: now, or the end of the jump */
    tw_tick turn;       /* the next tick on which a wheel but the first has a turn */
    uint32_t wheels;
    uint32_t mask; /* slots of a wheel - 1 */
    uint32_t capacity;
    uint32_t due_head;
    uint32_t running;
    struct wheel wheel[TW_VALUES_MAX];
    TW_WORK_FIELD
};

#include "wheel.h"

static inline uint32_t slot_head(const struct tw_timers *timers, const struct wheel *wheel,
                                 uint64_t turn)
{
    return wheel->heads + ((uint32_t)turn & timers->mask);
}

/* Number of the wheel's last turn by a tick. */
static inline uint64_t turn_by(const struct wheel *wheel, tw_tick tick)
{
    return level_steps(&wheel->ring, tick);
}

/* The coarsest wheel that is precise enough.  So near the end of time that rounding up could pass
 * it, the first wheel takes all. */
static inline uint32_t wheel_for(const struct tw_timers *timers, tw_tick due)
{
    tw_tick late = (due - timers->now) >> LATE_SHIFT;
    uint32_t index = 0;
    for (uint32_t i = 1; i < timers->wheels; i++)
        index += timers->wheel[i].ring.unit <= late;
    return due < TW_DEADLINE_MAX - timers->wheel[index].ring.unit ? index : 0;
}

static inline void timer_enter(struct tw_timers *timers, tw_id id, tw_tick due)
{
    const struct wheel *wheel = &timers->wheel[wheel_for(timers, due)];
    uint64_t turn = wheel == timers->wheel ? due : turn_by(wheel, due - 1) + 1;
    uint32_t list = slot_head(timers, wheel, turn);
    timers->dues[id] = turn * wheel->ring.unit;
    if (__builtin_expect(timers->dues[id] <= timers->swept, 0))
        list = timers->due_head;
    links_append(timers->links, list, id);
    TW_COUNT(timers, comparisons, timers->wheels - 1);
    TW_COUNT(timers, link_writes, LINKS_APPEND_WRITES);
}

/* Moves what is due by the swept tick from a slot to the list of the due. */
static void slot_collect(struct tw_timers *timers, uint32_t head)
{
    struct link *links = timers->links;
    for (uint32_t node = links[head].next, next; node != head; node = next) {
        next = links[node].next;
        __builtin_prefetch(&timers->dues[next < timers->capacity ? next : 0]);
        TW_COUNT(timers, visits, 1);
        TW_COUNT(timers, comparisons, 1);
        if (timers->dues[node] > timers->swept)
            continue;
        links_remove(links, node);
        links_append(links, timers->due_head, node);
        TW_COUNT(timers, link_writes, LINKS_REMOVE_WRITES + LINKS_APPEND_WRITES);
    }
}

static void due_fire(struct tw_timers *timers, tw_expire_fn *expire, void *ctx)
{
    struct link *links = timers->links;
    for (uint32_t id; (id = links[timers->due_head].next) != timers->due_head;) {
        links_remove(links, id);
        links_set_idle(links, id);
        __builtin_prefetch(&links[links[links[timers->due_head].next].next]);
        TW_COUNT(timers, link_writes, LINKS_REMOVE_WRITES + 1);
        timers->running--;
        timers->now = timers->dues[id];
        expire(ctx, id, timers->now);
    }
}

/* Sets the next turn of every wheel but the first, which has one on each tick. */
static void turns_set(struct tw_timers *timers, tw_tick now)
{
    timers->turn = TW_NEVER;
    for (uint32_t i = 1; i < timers->wheels; i++) {
        struct wheel *wheel = &timers->wheel[i];
        if (now >= wheel->next)
            wheel->next = tick_add(turn_by(wheel, now) * wheel->ring.unit, wheel->ring.unit);
        if (wheel->next < timers->turn)
            timers->turn = wheel->next;
    }
}

/* The turns of the wheels within (now, to], each slot at most once. */
static void wheels_turn(struct tw_timers *timers, uint32_t first, tw_tick now, tw_tick to)
{
    for (uint32_t i = first; i < timers->wheels; i++) {
        const struct wheel *wheel = &timers->wheel[i];
        uint64_t turn = turn_by(wheel, now), turns = turn_by(wheel, to) - turn;
        if (turns > (uint64_t)timers->mask + 1)
            turns = (uint64_t)timers->mask + 1;
        TW_COUNT(timers, pointer_moves, turns);
        for (; turns > 0; turns--)
            slot_collect(timers, slot_head(timers, wheel, ++turn));
    }
}

/* Collects and fires.  Kept out of line, so that the step over an empty slot, by far the most
 * frequent call, saves no registers. */
__attribute__((noinline)) static void now_fire(struct tw_timers *timers, tw_expire_fn *expire,
                                               void *ctx)
{
    slot_collect(timers, slot_head(timers, timers->wheel, timers->now));
    if (timers->now == timers->turn) {
        wheels_turn(timers, 1, timers->now - 1, timers->now);
        turns_set(timers, timers->now);
    }
    TW_COUNT(timers, empty_ticks, links_is_empty(timers->links, timers->due_head));
    due_fire(timers, expire, ctx);
}

static inline void clock_step(struct tw_timers *timers, tw_expire_fn *expire, void *ctx)
{
    tw_tick now = timers->now + 1;
    timers->now = timers->swept = now;
    TW_COUNT(timers, pointer_moves, 1);
    if (links_is_empty(timers->links, slot_head(timers, timers->wheel, now)) && now != timers->turn)
        TW_COUNT(timers, empty_ticks, 1);
    else
        now_fire(timers, expire, ctx);
}

/* A jump over every slot of the first wheel at least once: one visit of each is enough. */
static void clock_jump(struct tw_timers *timers, tw_tick to, tw_expire_fn *expire, void *ctx)
{
    timers->swept = to;
    if (timers->running > 0)
        wheels_turn(timers, 0, timers->now, to);
    due_fire(timers, expire, ctx);
    timers->now = to;
    turns_set(timers, to);
}

/* ---- The backend. ---------------------------------------------------------------------------- */

static void units_default(const struct tw_config *config, struct tw_setting *out)
{
    tw_tick unit = 1;
    for (out->count = 0; out->count < TW_VALUES_MAX; unit *= out->count == 3 ? 24 : 60) {
        bool wanted =
            config->horizon ? unit <= config->horizon >> LATE_SHIFT : out->count < WHEELS_USUAL;
        if (out->count > 0 && (!wanted || unit > multi_params[0].max / 60))
            break;
        out->values[out->count++] = unit;
    }
}

static int units_lay_out(struct tw_timers *timers, const struct tw_setting *units,
                         struct tw_error *error)
{
    timers->wheels = units->count;
    timers->due_head = timers->capacity;
    for (uint32_t i = 0; i < units->count; i++) {
        tw_tick unit = units->values[i];
        if (i == 0 ? unit != 1 : unit <= units->values[i - 1]) {
            snprintf(error->text, sizeof error->text,
                     "units: %llu given as unit %u; expected 1 first, then each greater than the "
                     "one before",
                     (unsigned long long)unit, i + 1);
            return TW_BAD_SETTING;
        }
        timers->wheel[i] = (struct wheel){.ring = {.unit = unit, .inverse = UINT64_MAX / unit},
                                          .heads = timers->due_head};
        timers->due_head += timers->mask + 1;
    }
    turns_set(timers, timers->now);
    return TW_OK;
}

LINKS_AND_DUES(multi, timers->capacity, timers->due_head + 1 - timers->capacity);

static int multi_open(struct tw_timers **out, const struct tw_config *config,
                      struct tw_error *error)
{
    struct tw_timers *timers;
    int status = open_begin(&timers, sizeof *timers, multi_params, config, error);
    if (status != TW_OK)
        return status;
    const struct tw_setting *given = params_find(config, "units");
    struct tw_setting units = {.count = 0};
    units_default(config, &units);
    timers->mask = (uint32_t)params_power_of_two(setting_of(config, "slots", SLOTS_DEFAULT)) - 1;
    timers->now = timers->swept = config->now;
    timers->capacity = config->capacity;
    status = units_lay_out(timers, given ? given : &units, error);
    if (status != TW_OK) {
        free(timers);
        return status;
    }
    return open_end(out, timers, multi_allocate(timers), multi_footprint, multi_close, error);
}

/* Any advance but a single step. */
__attribute__((noinline)) static void clock_move(struct tw_timers *timers, tw_tick to,
                                                 tw_expire_fn *expire, void *ctx)
{
    if (to <= timers->now)
        return;
    if (timers->running == 0 || to - timers->now > (uint64_t)timers->mask + 1)
        clock_jump(timers, to, expire, ctx);
    else
        while (timers->now != to)
            clock_step(timers, expire, ctx);
}

static void multi_advance(struct tw_timers *timers, tw_tick to, tw_expire_fn *expire, void *ctx)
{
    if (to > timers->now && to - timers->now == 1)
        clock_step(timers, expire, ctx);
    else
        clock_move(timers, to, expire, ctx);
}

/* Slots in the order of their turns, wheel by wheel, until none to come can be earlier. */
static tw_tick multi_next(const struct tw_timers *timers)
{
    tw_tick earliest = TW_NEVER;
    uint32_t seen = 0;
    for (uint32_t i = 0; i < timers->wheels; i++) {
        const struct wheel *wheel = &timers->wheel[i];
        uint64_t last = turn_by(wheel, timers->now), turn = last + 1;
        uint64_t end = turn_by(wheel, earliest);
        for (; seen < timers->running && turn - last - 1 <= timers->mask && turn <= end; turn++) {
            uint32_t head = slot_head(timers, wheel, turn);
            for (uint32_t id = timers->links[head].next; id != head; id = timers->links[id].next) {
                seen++;
                if (timers->dues[id] < earliest)
                    earliest = timers->dues[id];
            }
            end = turn_by(wheel, earliest);
        }
    }
    return earliest;
}

static void multi_visit(const struct tw_timers *timers, tw_visit_fn *visit, void *ctx)
{
    for (uint32_t head = timers->capacity, end = timers->due_head;
         (head = links_first_used(timers->links, head, end)) < end; head++) {
        uint32_t level = (head - timers->capacity) / (timers->mask + 1);
        const struct wheel *wheel = &timers->wheel[level];
        for (uint32_t id = timers->links[head].next; id != head; id = timers->links[id].next) {
            uint64_t ahead = turn_by(wheel, timers->dues[id]) - turn_by(wheel, timers->now);
            struct tw_view view = {.id = id,
                                   .deadline = timers->dues[id],
                                   .level = level,
                                   .slot = head - wheel->heads,
                                   .rounds = (ahead - 1) / ((uint64_t)timers->mask + 1)};
            visit(ctx, &view);
        }
    }
}

/* Invariants 4 and 5, for one slot whose links are known to be sound. */
static const char *slot_check(const struct tw_timers *timers, uint32_t head)
{
    const struct wheel *wheel = &timers->wheel[(head - timers->capacity) / (timers->mask + 1)];
    for (uint32_t id = timers->links[head].next; id != head; id = timers->links[id].next) {
        uint64_t turn = timers->dues[id] / wheel->ring.unit;
        if (turn * wheel->ring.unit != timers->dues[id] || slot_head(timers, wheel, turn) != head)
            return "a timer is not in the slot of a turn of its wheel";
        if (timers->dues[id] <= timers->now)
            return "a timer is still held after its tick";
    }
    return NULL;
}

/* Invariant 1. */
static const char *turns_check(const struct tw_timers *timers)
{
    for (uint32_t i = 1; i < timers->wheels; i++) {
        const struct wheel *wheel = &timers->wheel[i];
        tw_tick begin = timers->now - timers->now % wheel->ring.unit;
        if (wheel->next != tick_add(begin, wheel->ring.unit) || timers->turn > wheel->next)
            return "the next turn of a wheel is not the first after now";
    }
    return NULL;
}

static const char *multi_check(const struct tw_timers *timers)
{
    uint64_t held = 0;
    const char *broken = turns_check(timers);
    if (!broken &&
        (!links_is_empty(timers->links, timers->due_head) || timers->swept != timers->now))
        broken = "a timer was left on the list of the due";
    if (!broken)
        broken = links_check_lists(timers->links, timers->capacity, timers->capacity,
                                   timers->due_head, &held, timers, slot_check);
    return links_check_held(timers->links, timers->capacity, held, timers->running, broken);
}

static void multi_describe(const struct tw_timers *timers, struct tw_description *out)
{
    *out = (struct tw_description){
        .span = TW_DEADLINE_MAX,
        .setting_count = 2,
        .settings = {{.name = "units", .count = timers->wheels},
                     {.name = "slots", .count = 1, .values = {(uint64_t)timers->mask + 1}}},
    };
    for (uint32_t i = 0; i < timers->wheels; i++)
        out->settings[0].values[i] = timers->wheel[i].ring.unit;
}

TW_TELL_WORK(multi);
LINKS_SPOT(multi, timers->capacity, timers->due_head, slot_check);
const struct tw_spot TW_SPOT(multi) = {multi_spot};
const struct tw_backend TW_BACKEND(multi) = {
    .abi_version = TW_ABI_VERSION,
    .name = "multi",
    .summary =
        "independent wheels per granularity, the one precise enough taken; late by up to 1/8",
    .traits = {.flags = TW_NEXT_EXACT,
               .late_shift = LATE_SHIFT,
               .start = {TW_O_1, TW_O_1},
               .stop = {TW_O_1, TW_O_1},
               .expire = {TW_O_1, TW_O_N},
               .tick = {TW_O_1, TW_O_N}},
    TW_HOOKS(multi, wheel),
};
