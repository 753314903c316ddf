/*
 * round.c - hashed wheel with round counters: scheme 6 of Varghese & Lauck as usually taught
 * (section 6.1.2; Netty's HashedWheelTimer): a timer holds the turns of the wheel it still has to
 * wait.
 *
 *     slot = due mod slots, rounds = (due - now - 1) / slots        now = 10, slots = 8
 *
 *       0        1        2        3        4        5        6        7
 *     +----+   +----+   +----+   +----+   +----+   +----+   +----+   +----+
 *     |    |   |    |   |    |   | r1 |   | r0 |   |    |   |    |   | r0 |
 *     +----+   +----+   +-^--+   | r0 |   +----+   +----+   +----+   +----+
 *                         |      +----+
 *                   slot of now    ^ visited next, at tick 11: r0 fires, r1 becomes r0, due at 19
 *
 *              average                       worst
 *     start    O(1)                          O(1)
 *     stop     O(1)                          O(1)
 *     tick     O(1 + n / slots)              O(n), when all share a slot
 *     advance  one tick after another; O(slots + n) for any jump beyond one revolution
 *     next     O(slots / n)                  O(slots + n), when nothing is due in this revolution
 *     memory   16 bytes a timer, 8 bytes a slot; nothing is allocated after open
 *
 * Invariants, tested by check in this order (between calls):
 *  1. Every list is a ring: forward and back links agree and lead to running timers only.
 *  2. Nothing is on the list of the due, and no jump is under way.
 *  3. The rounds of a timer lead to a tick that a deadline may name.
 *  4. The timers in the slots are as many as run, and all others are idle.
 * No deadline is kept, so a timer in a wrong slot or with wrong rounds is a right one for another
 * tick: only who started it can tell, by what visit reports.
 *
 * Departures from the paper.  It counts a jump of the clock as the number of visits that the slot
 * would have had, so a jump of more than one revolution looks at every slot once.  As in hashed.c,
 * due timers move to a list of their own before they fire, and the timers of a slot are prefetched
 * before its turn.
 *
 * It loses where hashed.c does, and a little more: a timer that stays is not only read but written,
 * so long delays on few slots dirty every cache line they pass.  In return no deadline is kept, and
 * the counter could be narrower than the clock; it is not, because on the list of the due it holds
 * the due tick, and because a narrower one would limit the reach.
 */
#include "design.h"
#include "links.h"

struct tw_timers {
    struct link *links;  /* timers, then the slots, then the list of the due */
    uint64_t *rounds;    /* visits of its slot that a timer still sits out; of the due: the tick */
    tw_tick now;         /* the tick being processed; during a jump that of the timer that fires */
    tw_tick swept;       /* rounds count from here: now, or the end of the jump */
    uint32_t mask;       /* slots - 1 */
    uint32_t slot_bits;  /* log2 of the slots */
    uint32_t slot_heads; /* index of slot 0: the capacity */
    uint32_t due_head;   /* index of the list of the due */
    uint32_t running;
    bool is_bitmap_given; /* the setting, whatever its value */
    uint64_t *used;       /* used_slots.h; NULL without the bitmap */
    TW_WORK_FIELD
};

#include "used_slots.h"
#include "wheel.h"

/* The first tick after now at which the slot of that head has its turn. */
static inline tw_tick slot_turn(const struct tw_timers *timers, uint32_t head)
{
    tw_tick tick = timers->now + 1;
    return tick + ((head - timers->slot_heads - (uint32_t)tick) & timers->mask);
}

__attribute__((always_inline)) static inline void slot_prefetch(const struct tw_timers *timers,
                                                                tw_tick tick)
{
    uint32_t first = timers->links[slot_head(timers, tick)].next;
    __builtin_prefetch(&timers->links[first]);
    if (first < timers->slot_heads)
        __builtin_prefetch(&timers->rounds[first]);
}

/* Links the timer where its due tick wants it: rounds are counted from the swept tick, and what is
 * due by then is due now. */
static inline void timer_enter(struct tw_timers *timers, tw_id id, tw_tick due)
{
    bool late = __builtin_expect(due <= timers->swept, 0);
    timers->rounds[id] = late ? due : (due - timers->swept - 1) >> timers->slot_bits;
    slot_mark(timers, due);
    links_append(timers->links, late ? timers->due_head : slot_head(timers, due), id);
    TW_COUNT(timers, link_writes, LINKS_APPEND_WRITES);
}

/* Visits a slot `visits` times at once, the first of them at `turn`: counts down, and moves those
 * whose rounds are over to the list of the due. */
static inline void slot_collect(struct tw_timers *timers, uint32_t head, tw_tick turn,
                                uint64_t visits)
{
    struct link *links = timers->links;
    for (uint32_t node = links[head].next, next; node != head; node = next) {
        next = links[node].next;
        TW_COUNT(timers, visits, 1);
        TW_COUNT(timers, comparisons, 1);
        if (timers->rounds[node] >= visits) {
            timers->rounds[node] -= visits;
            continue;
        }
        timers->rounds[node] = turn + (timers->rounds[node] << timers->slot_bits);
        links_remove(links, node);
        links_append(links, timers->due_head, node);
        TW_COUNT(timers, link_writes, LINKS_REMOVE_WRITES + LINKS_APPEND_WRITES);
    }
}

/* Fires the list of the due.  For each it takes a step along the list of the coming slot, so that
 * the cache misses of that walk are under way together with those of the callbacks. */
static void due_fire(struct tw_timers *timers, tw_expire_fn *expire, void *ctx)
{
    struct link *links = timers->links;
    uint32_t coming = links[slot_head(timers, timers->now + 1)].next;
    for (uint32_t id; (id = links[timers->due_head].next) != timers->due_head;) {
        links_remove(links, id);
        links_set_idle(links, id);
        TW_COUNT(timers, link_writes, LINKS_REMOVE_WRITES + 1);
        timers->running--;
        timers->now = timers->rounds[id];
        if (coming < timers->slot_heads) {
            __builtin_prefetch(&timers->rounds[coming]);
            coming = links[coming].next;
        }
        expire(ctx, id, timers->now);
    }
}

/* Fires what is due in the slot of now.  Kept out of line, so that the step over an empty slot, by
 * far the most frequent call, saves no registers. */
__attribute__((noinline)) static void slot_fire(struct tw_timers *timers, uint32_t head,
                                                tw_expire_fn *expire, void *ctx)
{
    slot_collect(timers, head, timers->now, 1);
    TW_COUNT(timers, empty_ticks, links_is_empty(timers->links, timers->due_head));
    due_fire(timers, expire, ctx);
}

static inline void clock_step(struct tw_timers *timers, tw_expire_fn *expire, void *ctx)
{
    tw_tick now = timers->now + 1;
    uint32_t head = slot_head(timers, now);
    timers->now = timers->swept = now;
    TW_COUNT(timers, pointer_moves, 1);
    slot_prefetch(timers, now + PREFETCH_TICKS);
    if (links_is_empty(timers->links, head))
        TW_COUNT(timers, empty_ticks, 1);
    else
        slot_fire(timers, head, expire, ctx);
}

/* A jump over every slot at least once: all of a slot's visits are made together. */
static void clock_jump(struct tw_timers *timers, tw_tick to, tw_expire_fn *expire, void *ctx)
{
    tw_tick distance = to - timers->now;
    timers->swept = to;
    for (uint64_t i = turn_from(timers, 1); i <= slot_count(timers); i = turn_from(timers, i + 1)) {
        tw_tick turn = timers->now + i;
        slot_prefetch(timers, turn + PREFETCH_TICKS);
        TW_COUNT(timers, pointer_moves, 1);
        slot_collect(timers, slot_head(timers, turn), turn,
                     ((distance - i) >> timers->slot_bits) + 1);
        slot_leave(timers, slot_head(timers, turn));
    }
    due_fire(timers, expire, ctx);
    timers->now = to;
}

static void round_close(struct tw_timers *timers)
{
    free(timers->links);
    free(timers->used);
    free(timers->rounds);
    free(timers);
}

static struct tw_footprint round_footprint(const struct tw_timers *timers)
{
    return (struct tw_footprint){
        .fixed_bytes = sizeof *timers + (slot_count(timers) + 1) * sizeof(struct link) +
                       used_slots_bytes(timers),
        .capacity_bytes = timers->slot_heads * (uint64_t)(sizeof(struct link) + sizeof(uint64_t)),
    };
}

static int round_open(struct tw_timers **out, const struct tw_config *config,
                      struct tw_error *error)
{
    struct tw_timers *timers;
    int status = open_begin(&timers, sizeof *timers, used_slots_params, config, error);
    if (status != TW_OK)
        return status;
    one_level_lay_out(timers, config);
    timers->slot_bits = (uint32_t)__builtin_ctzll(slot_count(timers));
    timers->links = links_new(config->capacity, timers->mask + 2);
    timers->rounds = malloc(config->capacity * sizeof *timers->rounds);
    return open_end(out, timers, timers->links && timers->rounds && used_slots_open(timers, config),
                    round_footprint, round_close, error);
}

/* Slots in the order of their turns; the first timer without rounds to wait is the next. */
static tw_tick round_next(const struct tw_timers *timers)
{
    tw_tick earliest = TW_NEVER;
    uint32_t seen = 0;
    for (uint64_t i = turn_from(timers, 1); seen < timers->running && earliest - timers->now >= i;
         i = turn_from(timers, i + 1)) {
        uint32_t head = slot_head(timers, timers->now + i);
        for (uint32_t id = timers->links[head].next; id != head; id = timers->links[id].next) {
            tw_tick due = timers->now + i + (timers->rounds[id] << timers->slot_bits);
            seen++;
            if (due < earliest)
                earliest = due;
        }
    }
    return earliest;
}

static void round_visit(const struct tw_timers *timers, tw_visit_fn *visit, void *ctx)
{
    for (uint32_t head = timers->slot_heads; head < timers->due_head; head++)
        for (uint32_t id = timers->links[head].next; id != head; id = timers->links[id].next) {
            struct tw_view view = {
                .id = id,
                .deadline = slot_turn(timers, head) + (timers->rounds[id] << timers->slot_bits),
                .slot = head - timers->slot_heads,
                .rounds = timers->rounds[id],
            };
            visit(ctx, &view);
        }
}

/* Invariant 3, for one slot whose links are known to be sound. */
static const char *slot_check(const struct tw_timers *timers, uint32_t head)
{
    tw_tick turn = slot_turn(timers, head);
    for (uint32_t id = timers->links[head].next; id != head; id = timers->links[id].next)
        if (turn <= timers->now ||
            timers->rounds[id] > (TW_DEADLINE_MAX - turn) >> timers->slot_bits)
            return "a timer has more rounds to wait than the clock has";
    return NULL;
}

static const char *round_check(const struct tw_timers *timers)
{
    uint64_t held = 0;
    if (!links_is_empty(timers->links, timers->due_head) || timers->swept != timers->now)
        return "a timer was left on the list of the due";
    const char *broken = links_check_lists(timers->links, timers->slot_heads, timers->slot_heads,
                                           timers->due_head + 1, &held, timers, slot_check);
    broken = links_check_held(timers->links, timers->slot_heads, held, timers->running, broken);
    return broken ? broken : used_slots_check(timers);
}

TW_TELL_WORK(round);
LINKS_SPOT(round, timers->slot_heads, timers->due_head, slot_check);
const struct tw_spot TW_SPOT(round) = {round_spot};
const struct tw_backend TW_BACKEND(round) = {
    .abi_version = TW_ABI_VERSION,
    .name = "round",
    .summary = "hashed wheel, remaining rounds counted down at each visit (scheme 6)",
    .traits = {.flags = TW_FIFO | TW_NEXT_EXACT,
               .start = {TW_O_1, TW_O_1},
               .stop = {TW_O_1, TW_O_1},
               .expire = {TW_O_1, TW_O_N},
               .tick = {TW_O_1, TW_O_N}},
    USED_SLOTS_HOOKS(round, round, round, wheel),
};
