/* long_life.c - tests one instance over millions of starts, stops and advances.
 *
 * A life has four parts.  In the first something starts, stops and fires at every tick.  In the second timers are started
 * and stopped over and over, between others that share a deadline.  In the third timers do one thing over and over.  In
 * the fourth a timer leaves entries behind, as lazy designs keep them, and fires 2^k times before those come due.
 */
#include "harness/prove/cases.h"

#define LENGTH_FIRST   4096u
#define LENGTH_DEFAULT 4096u
#define LIFE_SECONDS   8.0 /* of processor time that one life may be expected to take */

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
    STALE = 40,   /* leave entries behind: this one by stops, */
    PUT_OFF = 42, /* is put off whenever STALE fires, and never fires before that ends */
    REARMED = 41, /* this one by starts while it runs */
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

/* `rounds` of starts and stops, 2 * BUSY_COUNT of each, between the start of the old timers and that of the young ones
 * with their deadline: a count of starts that comes round in between puts them in the wrong order. */
static void tell_shared(struct operations *list, uint32_t rounds)
{
    operations_start_many(list, OLD_FIRST, SHARE_COUNT, '+', SHARE_TICKS + 3, 0);
    operations_tick(list, 3);
    operations_start_many(list, BUSY_FIRST, 2 * BUSY_COUNT, '+', 90, 1);
    operations_stop_many(list, BUSY_FIRST, 2 * BUSY_COUNT);
    operations_again(list, 2, rounds);
    operations_start_many(list, YOUNG_FIRST, SHARE_COUNT, '+', SHARE_TICKS, 0);
    operations_start_many(list, OLD_FIRST + 1, 1, '+', SHARE_TICKS, 0); /* to the end of the row */
    operations_tick(list, SHARE_TICKS);
    operations_inspect(list);
    operations_advance(list, '-', 5); /* the clock does not go back */
}

/* Entries that are left behind 2^bits starts before they come due, of a timer that fires and restarts itself at every
 * tick until then: a generation of that many bits takes them for its own. */
static void tell_stale(struct operations *list, unsigned bits)
{
    uint32_t ticks = UINT32_C(1) << bits;
    for (uint32_t i = 0; i < 6; i++) {
        operations_start(list, STALE, '+', ticks + 2 * i);
        operations_start(list, REARMED, '+', ticks + 2 * i);
        if (i % 2 == 0)
            operations_stop(list, STALE);
    }
    operations_on_start(list, STALE, STALE, '+', 1, ticks - 3);
    operations_on_start(list, STALE, PUT_OFF, '+', 2, ticks - 3);
    operations_on_start(list, REARMED, REARMED, '+', 1, ticks / 2);
    operations_on_stop_many(list, REARMED, 1, STOPPED_INSIDE);
    list->list[list->count - 1].times = ticks / 2;
    operations_start_many(list, STALE, 2, '+', 1, 0);
    operations_tick(list, ticks - 2);
    operations_start_many(list, STALE, 2, '+', 2000, 0);
    operations_advance(list, '+', 40);
    operations_inspect(list);
    operations_stop_many(list, STALE, 2);
}

/* Only next, then next after each of many advances, then only starts that fire, then only starts beyond the span. */
static void tell_churn(const struct case_plan *plan, struct operations *list, uint32_t times)
{
    operations_start_scattered(list, BUSY_FIRST, 2 * BUSY_COUNT, 90, 40);
    operations_next(list);
    operations_again(list, 1, 4 * times);
    operations_tick(list, 1);
    operations_next(list);
    operations_again(list, 2, times / 8);
    operations_advance(list, '+', 200);
    operations_start_many(list, BUSY_FIRST, 2 * BUSY_COUNT, '+', 1, 0);
    operations_tick(list, 1);
    operations_again(list, 2, times / 8);
    operations_start_many(list, BUSY_FIRST, 2 * BUSY_COUNT, '+', plan->strides->span + 1, 0);
    if (plan->strides->span < WAIT_TICKS)
        operations_again(list, 1, times / 8);
    operations_inspect(list);
}

static void tell_life(const struct case_plan *plan, struct operations *list, uint32_t starts)
{
    teach(list, starts);
    operations_start_many(list, WAIT_FIRST, WAIT_COUNT, '+', WAIT_TICKS, 977);
    operations_start_many(list, SELF_FIRST, SELF_COUNT, '+', 1, 0);
    operations_tick(list, starts / 64);
    operations_stop_many(list, SELF_FIRST, SELF_COUNT);
    for (uint32_t rounds = starts / (2 * BUSY_COUNT); rounds >= 4; rounds /= 2)
        tell_shared(list, rounds);
    tell_churn(plan, list, starts / (2 * BUSY_COUNT) + 8);
    for (unsigned bits = 6; UINT32_C(1) << bits <= starts; bits += bits < 20 ? 1 : 2)
        tell_stale(list, bits);
}

void run_life(struct case_plan *plan, struct conform_report *report)
{
    struct pace pace = {0};
    uint32_t most = plan->life_starts > 0 ? plan->life_starts : LENGTH_DEFAULT;
    plan->operations->capacity = CAPACITY;
    for (uint32_t starts = LENGTH_FIRST; starts <= most && !pace.is_over && !report->rule;
         starts *= PACE_GROWTH) {
        plan->operations->count = 0;
        tell_life(plan, plan->operations, starts);
        pace_judge(&pace, plan, LIFE_SECONDS * plan->patience, report);
    }
}
