/* far_slots.c - tests thousands of far timers in one slot, one list for each distance. */
#include "harness/prove/cases.h"
#include "harness/prove/judge.h"

#include <time.h>

/* More than a search or a cascade that stops early would look at. */
#define CROWD 4800u
/* The second crowd, further away. */
#define BEHIND 200u
/* Processor time of all distances together; none is begun afterwards. */
#define FAR_SECONDS 1.5

/* The earliest lies in the middle of the slot, then at its begin, then at its end. */
static void tell_crowd(struct operations *list, uint64_t distance)
{
    list->capacity = CROWD + BEHIND;
    operations_start_many(list, 0, CROWD / 2, '+', distance + 50, 1);
    operations_start(list, CROWD / 2, '+', distance + 20);
    operations_start_many(list, CROWD / 2 + 1, CROWD / 2 - 1, '+', distance + CROWD, -1);
    operations_start_many(list, CROWD, BEHIND, '+', 3 * distance + 40, 3);
    operations_inspect(list);
    operations_stop(list, CROWD / 2);
    operations_next(list);
    operations_stop_many(list, 0, 2);
    operations_next(list);
    operations_start(list, 150, '+', distance + 45);
    operations_next(list);
    operations_start(list, CROWD / 3, '+', distance + 40);
    operations_next(list);
}

/* The clock comes to the slot in three steps and walks into it. */
static void tell_arrival(struct operations *list, uint64_t distance)
{
    operations_advance(list, '+', distance / 2);
    operations_next(list);
    operations_advance(list, '+', distance - distance / 2 - 2);
    operations_next(list);
    operations_tick(list, 60);
    operations_next(list);
    operations_advance(list, '+', CROWD / 4);
    operations_inspect(list);
    operations_advance(list, '+', CROWD);
    operations_next(list);
    operations_advance(list, '+', 2 * distance);
    operations_tick(list, 3);
    operations_advance(list, '+', distance);
}

/* All in one jump, on few ticks. */
static void tell_jump(struct operations *list, uint64_t distance)
{
    operations_start_scattered(list, 0, CROWD, distance, 3);
    operations_next(list);
    operations_advance(list, '+', 2 * distance + 2);
}

static void judge_distance(struct case_plan *plan, uint64_t distance, struct conform_report *report)
{
    plan->operations->count = 0;
    tell_crowd(plan->operations, distance);
    tell_arrival(plan->operations, distance);
    tell_jump(plan->operations, distance);
    judge_replay(plan->backend, plan->operations, JUDGE_NOW_AND_THEN, report, NULL);
}

void run_far_slots(struct case_plan *plan, struct conform_report *report)
{
    const struct strides *strides = plan->strides;
    uint64_t most =
        strides->walk > 0 && strides->walk < strides->span ? strides->walk : strides->span;
    clock_t begin = clock();
    uint64_t distances[STRIDES_MAX + 64];
    size_t count = 0;
    for (unsigned bits = 6; bits < 62; bits += bits < 24 ? 2 : 5)
        distances[count++] = UINT64_C(1) << bits;
    for (size_t i = 0; i < strides->count; i++)
        distances[count++] = strides->ticks[i];
    for (size_t i = 0; i < count && !report->rule; i++) {
        bool in_time = (double)(clock() - begin) / CLOCKS_PER_SEC < FAR_SECONDS * plan->patience;
        if (in_time && distances[i] >= 32 && distances[i] <= most / 4)
            judge_distance(plan, distances[i], report);
    }
}
