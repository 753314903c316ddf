/* long_life.c - tests one instance over millions of starts, stops and advances.
 *
 * A life has four parts.  In the first something starts, stops and fires at every tick, and deadlines are
 * shared by timers started long ago and just now: a counter of starts that comes round puts them in the
 * wrong order.  In the second timers do one thing over and over.  In the third a timer leaves entries behind, as lazy designs keep them, and is started
 * 2^k times before those come due: a generation of k bits takes them for its own.  A fourth lets a timer fire
 * at every tick, so that there are at least as many advances as starts were asked for.
 */
#include "harness/prove/cases.h"

#define LENGTH_FIRST   4096u
#define LENGTH_DEFAULT 4096u
#define LIFE_SECONDS   2.0 /* of processor time that one life may be expected to take */

#define CAPACITY 64u

/* The parts of the timers. */
enum {
    SELF_FIRST = 0, /* restart themselves in their callbacks */
    SELF_COUNT = 8,
    BUSY_FIRST = 16, /* are started at every tick, and some of them stopped */
    BUSY_COUNT = 8,
    BUSY_STOPPED = 20,
    STOPPED_INSIDE = 22,
    OLD_FIRST = 32, /* share a deadline with the young, which are started long after them */
    YOUNG_FIRST = 36,
    SHARE_COUNT = 4,
    STALE = 40,   /* leave entries behind: this one by a stop, */
    REARMED = 41, /* this one by starts while it runs */
    TICKING = 42, /* fires at every tick */
    WAIT_FIRST = 48,
    WAIT_COUNT = 16 /* run all the time, so that what is left behind stays the smaller part */
};

#define WAIT_TICKS  (UINT64_C(1) << 40)
#define SHARE_TICKS 5u

/* Timers that restart or stop each other whenever they fire. */
static void teach(struct operations *list, uint32_t times)
{
    for (tw_id id = SELF_FIRST; id < SELF_COUNT; id++)
        operations_on_start(list, id, id, '+', 1 + id % 7, times);
    operations_on_stop_many(list, SELF_FIRST, 1, STOPPED_INSIDE);
    list->list[list->count - 1].times = times;
    operations_on_start(list, SELF_FIRST + 1, STOPPED_INSIDE + 1, '+', 2, times);
}

/* `ticks` ticks between the start of the old timers and their deadline, in steps of the clock. */
static void tell_shared(struct operations *list, uint32_t ticks, uint32_t step)
{
    uint32_t runs = ticks / step;
    uint32_t left = ticks - runs * step;
    operations_start_many(list, OLD_FIRST, SHARE_COUNT, '+',
                          (uint64_t)(runs * step) + left + SHARE_TICKS, 0);
    operations_start_scattered(list, BUSY_FIRST, BUSY_COUNT, 2, 4);
    operations_stop_many(list, BUSY_STOPPED, 2);
    operations_advance(list, '+', step);
    operations_next(list);
    operations_again(list, 4, runs - 1);
    if (left > 0)
        operations_tick(list, left);
    operations_start_many(list, YOUNG_FIRST, SHARE_COUNT, '+', SHARE_TICKS, 0);
    operations_start_many(list, OLD_FIRST + 1, 1, '+', SHARE_TICKS, 0); /* to the end of the row */
    operations_tick(list, SHARE_TICKS);
    operations_inspect(list);
    operations_advance(list, '-', ticks); /* the clock does not go back */
}

/* Entries that are left behind, 2^bits starts before they come due. */
static void tell_stale(struct operations *list, unsigned bits)
{
    uint32_t starts = UINT32_C(1) << bits;
    for (uint32_t i = 0; i < 3; i++) {
        operations_start(list, STALE, '+', starts + 10 + i);
        operations_start(list, REARMED, '+', starts + 10 + i);
    }
    operations_stop(list, STALE);
    operations_start_many(list, STALE, 2, '+', 1, 0);
    operations_tick(list, 1);
    operations_again(list, 2, starts - 2);
    operations_start_many(list, STALE, 2, '+', 2000, 0);
    operations_advance(list, '+', 40);
    operations_inspect(list);
    operations_stop_many(list, STALE, 2);
}

/* Only starts, then only re-arms, then only stops; then expiries: `times` rounds of 2 * BUSY_COUNT. */
static void tell_churn(struct operations *list, uint32_t times)
{
    operations_start_many(list, BUSY_FIRST, 2 * BUSY_COUNT, '+', 90, 1);
    operations_stop_many(list, BUSY_FIRST, 2 * BUSY_COUNT);
    operations_again(list, 2, times);
    operations_start_scattered(list, BUSY_FIRST, 2 * BUSY_COUNT, 90, 40);
    operations_again(list, 1, times);
    operations_next(list);
    operations_advance(list, '+', 200);
    operations_start_many(list, BUSY_FIRST, 2 * BUSY_COUNT, '+', 1, 0);
    operations_tick(list, 1);
    operations_again(list, 2, times);
    operations_inspect(list);
}

/* `advances` calls of advance, at each of which a timer fires and restarts itself: the one that is ignored is missed. */
static void tell_ticks(struct operations *list, uint32_t advances)
{
    operations_on_start(list, TICKING, TICKING, '+', 1, advances);
    operations_start(list, TICKING, '+', 1);
    operations_tick(list, advances);
    operations_stop(list, TICKING);
}

static void tell_life(struct operations *list, uint32_t starts)
{
    teach(list, starts);
    operations_start_many(list, WAIT_FIRST, WAIT_COUNT, '+', WAIT_TICKS, 977);
    operations_start_many(list, SELF_FIRST, SELF_COUNT, '+', 1, 0);
    for (uint32_t ticks = starts / 16, step = 1; ticks >= 64; ticks /= 2, step ^= 2)
        tell_shared(list, ticks, step);
    operations_stop_many(list, SELF_FIRST, SELF_COUNT);
    tell_churn(list, starts / (2 * BUSY_COUNT) + 8);
    for (unsigned bits = 6; UINT32_C(8) << bits <= starts; bits++)
        tell_stale(list, bits);
    tell_ticks(list, starts);
}

void run_life(struct case_plan *plan, struct conform_report *report)
{
    struct pace pace = {0};
    uint32_t most = plan->life_starts > 0 ? plan->life_starts : LENGTH_DEFAULT;
    plan->operations->capacity = CAPACITY;
    for (uint32_t starts = LENGTH_FIRST; starts <= most && !pace.is_over && !report->rule;
         starts *= PACE_GROWTH) {
        plan->operations->count = 0;
        tell_life(plan->operations, starts);
        pace_judge(&pace, plan, LIFE_SECONDS * plan->patience, report);
    }
}
