/*
 * round_mod.c - round-counter wheel of any number of slots: scheme 6 of Varghese & Lauck as articles
 * draw it, with 12 slots, or 3600, where round.c rounds up to a power of two.
 *
 *     slot = due mod slots, rounds = (due - now - 1) / slots        now = 3, slots = 12
 *
 *       0    1    2    3    4    5    6    7    8    9    10   11
 *     +----+----+----+----+----+----+----+----+----+----+----+----+
 *     |    |    |    |    |    |    | r1 |    | r0 |    |    |    |     due at 18, and at 8
 *     +----+----+----+-^--+----+----+----+----+----+----+----+----+
 *                      slot of now
 *
 *              average                       worst
 *     start    O(1), two divisions           O(1)
 *     stop     O(1)                          O(1)
 *     tick     O(1 + n / slots)              O(n), when all share a slot
 *     advance  one tick after another; O(slots + n) for any jump beyond one revolution
 *     next     O(slots + n)                  O(slots + n)
 *     memory   16 bytes a timer, 8 bytes a slot; nothing is allocated after open
 *
 * Invariants, tested by check in this order (between calls):
 *  1. Every list is a ring: forward and back links agree and lead to running timers only.
 *  2. Nothing is on the list of the due, and no jump is under way.
 *  3. The pointer is on the slot of now.
 *  4. The rounds of a timer lead to a tick that a deadline may name.
 *  5. The timers in the slots are as many as run, and all others are idle.
 *
 * Departures from the paper.  Where the clock jumps by more than a revolution, each slot is looked at
 * once, for all the visits that it would have had.  Due timers move to a list of their own before they
 * fire, so that a callback may stop or restart anything.
 *
 * It loses against round.c in what it is here to show: a start divides by the number of slots, where a
 * power of two needs a mask and a shift.  Nothing is prefetched either: it is written to be read.
 */
#include "design.h"
#include "links.h"
#include "slots.h"

static const struct tw_param round_mod_params[] = {
    {"slots",
     "slots of the wheel, any number (default: as many as timers, at least 256, at most the "
     "horizon)",
     1, SLOTS_MAX, 1},
    {NULL, NULL, 0, 0, 0},
};

struct tw_timers {
    struct link *links; /* timers, then the slots, then the list of the due */
    uint64_t *rounds;   /* visits of its slot that a timer still sits out; of the due: the tick */
    tw_tick now;        /* the tick being processed; during a jump that of the timer that fires */
    tw_tick swept;      /* rounds count from here: now, or the end of the jump */
    uint32_t slots;
    uint32_t pointer;    /* the slot of now, between calls */
    uint32_t slot_heads; /* index of slot 0: the capacity */
    uint32_t due_head;   /* index of the list of the due */
    uint32_t running;
    TW_WORK_FIELD
};

#include "wheel.h"

/* Links the timer where its due tick wants it: rounds are counted from the swept tick, and what is
 * due by then is due now. */
static inline void timer_enter(struct tw_timers *timers, tw_id id, tw_tick due)
{
    bool late = due <= timers->swept;
    timers->rounds[id] = late ? due : (due - timers->swept - 1) / timers->slots;
    uint32_t head = late ? timers->due_head : timers->slot_heads + (uint32_t)(due % timers->slots);
    links_append(timers->links, head, id);
    TW_COUNT(timers, link_writes, LINKS_APPEND_WRITES);
}

/* Visits a slot `visits` times at once, the first of them at `turn`: counts down, and moves those
 * whose rounds are over to the list of the due. */
static void slot_collect(struct tw_timers *timers, uint32_t slot, tw_tick turn, uint64_t visits)
{
    struct link *links = timers->links;
    uint32_t head = timers->slot_heads + slot;
    TW_COUNT(timers, pointer_moves, 1);
    for (uint32_t node = links[head].next, next; node != head; node = next) {
        next = links[node].next;
        TW_COUNT(timers, visits, 1);
        TW_COUNT(timers, comparisons, 1);
        if (timers->rounds[node] >= visits) {
            timers->rounds[node] -= visits;
            continue;
        }
        timers->rounds[node] = turn + timers->rounds[node] * timers->slots;
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
        TW_COUNT(timers, link_writes, LINKS_REMOVE_WRITES + 1);
        timers->running--;
        timers->now = timers->rounds[id];
        expire(ctx, id, timers->now);
    }
}

static void clock_step(struct tw_timers *timers, tw_expire_fn *expire, void *ctx)
{
    timers->swept = ++timers->now;
    timers->pointer = timers->pointer + 1 == timers->slots ? 0 : timers->pointer + 1;
    slot_collect(timers, timers->pointer, timers->now, 1);
    TW_COUNT(timers, empty_ticks, links_is_empty(timers->links, timers->due_head));
    due_fire(timers, expire, ctx);
}

/* A jump over every slot at least once: all of a slot's visits are made together. */
static void clock_jump(struct tw_timers *timers, tw_tick to, tw_expire_fn *expire, void *ctx)
{
    tw_tick distance = to - timers->now;
    timers->swept = to;
    uint32_t i = 1;
    do {
        uint32_t slot = (uint32_t)(((uint64_t)timers->pointer + i) % timers->slots);
        slot_collect(timers, slot, timers->now + i, (distance - i) / timers->slots + 1);
    } while (++i <= timers->slots);
    timers->pointer = (uint32_t)(to % timers->slots);
    due_fire(timers, expire, ctx);
    timers->now = to;
}

static void round_mod_close(struct tw_timers *timers)
{
    free(timers->links);
    free(timers->rounds);
    free(timers);
}

static struct tw_footprint round_mod_footprint(const struct tw_timers *timers)
{
    uint64_t lists = (uint64_t)timers->slots + 1;
    return (struct tw_footprint){
        .fixed_bytes = sizeof *timers + lists * sizeof(struct link),
        .capacity_bytes = timers->slot_heads * (uint64_t)(sizeof(struct link) + sizeof(uint64_t)),
    };
}

static int round_mod_open(struct tw_timers **out, const struct tw_config *config,
                          struct tw_error *error)
{
    struct tw_timers *timers;
    int status = open_begin(&timers, sizeof *timers, round_mod_params, config, error);
    if (status != TW_OK)
        return status;
    uint32_t slots = (uint32_t)slots_asked(config);
    timers->now = timers->swept = config->now;
    timers->slots = slots;
    timers->pointer = (uint32_t)(config->now % slots);
    timers->slot_heads = config->capacity;
    timers->due_head = config->capacity + slots;
    timers->links = links_new(config->capacity, slots + 1);
    timers->rounds = malloc(config->capacity * sizeof *timers->rounds);
    return open_end(out, timers, timers->links && timers->rounds, round_mod_footprint,
                    round_mod_close, error);
}

static void round_mod_advance(struct tw_timers *timers, tw_tick to, tw_expire_fn *expire, void *ctx)
{
    if (to <= timers->now)
        return;
    if (timers->running == 0 && to - timers->now > 1) {
        timers->now = timers->swept = to;
        timers->pointer = (uint32_t)(to % timers->slots);
    } else if (to - timers->now > timers->slots) {
        clock_jump(timers, to, expire, ctx);
    } else {
        while (timers->now != to)
            clock_step(timers, expire, ctx);
    }
}

/* Timers at their due ticks, whatever the order: ticks from now to the turn of the slot, and the rounds
 * that are to be sat out. */
static void round_mod_visit(const struct tw_timers *timers, tw_visit_fn *visit, void *ctx)
{
    for (uint32_t slot = 0; slot < timers->slots; slot++) {
        uint32_t head = timers->slot_heads + slot;
        uint32_t steps = slot > timers->pointer ? slot - timers->pointer
                                                : slot + (timers->slots - timers->pointer);
        for (uint32_t id = timers->links[head].next; id != head; id = timers->links[id].next) {
            struct tw_view view = {
                .id = id,
                .deadline = timers->now + steps + timers->rounds[id] * timers->slots,
                .slot = slot,
                .rounds = timers->rounds[id],
            };
            visit(ctx, &view);
        }
    }
}

static void keep_earliest(void *ctx, const struct tw_view *view)
{
    tw_tick *earliest = ctx;
    if (view->deadline < *earliest)
        *earliest = view->deadline;
}

static tw_tick round_mod_next(const struct tw_timers *timers)
{
    tw_tick earliest = TW_NEVER;
    if (timers->running > 0)
        round_mod_visit(timers, keep_earliest, &earliest);
    return earliest;
}

/* Invariant 4, for one slot whose links are known to be sound. */
static const char *slot_check(const struct tw_timers *timers, uint32_t head)
{
    uint64_t slot = head - timers->slot_heads;
    uint64_t steps =
        slot > timers->pointer ? slot - timers->pointer : slot + (timers->slots - timers->pointer);
    for (uint32_t id = timers->links[head].next; id != head; id = timers->links[id].next)
        if (steps > TW_DEADLINE_MAX - timers->now ||
            timers->rounds[id] > (TW_DEADLINE_MAX - timers->now - steps) / timers->slots)
            return "a timer has more rounds to wait than the clock has";
    return NULL;
}

static const char *round_mod_check(const struct tw_timers *timers)
{
    uint64_t held = 0;
    if (!links_is_empty(timers->links, timers->due_head) || timers->swept != timers->now)
        return "a timer was left on the list of the due";
    if (timers->pointer != timers->now % timers->slots)
        return "the pointer is not on the slot of now";
    const char *broken = links_check_lists(timers->links, timers->slot_heads, timers->slot_heads,
                                           timers->due_head + 1, &held, timers, slot_check);
    return links_check_held(timers->links, timers->slot_heads, held, timers->running, broken);
}

static void round_mod_describe(const struct tw_timers *timers, struct tw_description *out)
{
    describe_one(out, TW_DEADLINE_MAX, "slots", timers->slots);
}

TW_TELL_WORK(round_mod);
LINKS_SPOT(round_mod, timers->slot_heads, timers->due_head, slot_check);
const struct tw_spot TW_SPOT(round_mod) = {round_mod_spot};
const struct tw_backend TW_BACKEND(round_mod) = {
    .abi_version = TW_ABI_VERSION,
    .name = "round-mod",
    .summary = "round wheel of any number of slots: a remainder, no mask (scheme 6)",
    .traits = {.flags = TW_FIFO | TW_NEXT_EXACT,
               .start = {TW_O_1, TW_O_1},
               .stop = {TW_O_1, TW_O_1},
               .expire = {TW_O_1, TW_O_N},
               .tick = {TW_O_1, TW_O_N}},
    TW_HOOKS(round_mod, wheel),
};
