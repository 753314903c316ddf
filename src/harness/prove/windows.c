/* windows.c - tests that timers with slack fire in [due, due + slack]: lists whose starts have slack. */
#include "harness/prove/cases.h"

#include "harness/prove/guard.h"
#include "harness/prove/judge.h"

#define LISTS 160u
#define MANY  6000u

static void start(struct operations *list, tw_id id, uint64_t ticks, uint64_t slack)
{
    operations_start(list, id, '+', ticks);
    list->list[list->count - 1].slack = slack;
}

/* Each slack beside another one, at each distance, and windows that are replaced: by start and by start_within, while
 * they are open too. */
static void build_windows(struct operations *list)
{
    list->capacity = 8;
    list->now = 1000;
    for (uint64_t slack = 1; slack <= 40; slack++) {
        start(list, 0, 1 + slack % 7, slack);
        start(list, 1, 1 + slack % 5, 41 - slack);
        start(list, 2, 200, 3 * slack);
        start(list, 3, 200, 0);
        start(list, 4, 3, 50);
        start(list, 4, 3, slack % 3);
        operations_on_start(list, 0, 5, '+', 2, 1);
        list->list[list->count - 1].slack = slack;
        operations_tick(list, 12);
        start(list, 1, 30, slack);
        operations_stop(list, 2);
        start(list, 2, 1, 25);
        operations_tick(list, 70);
        operations_advance(list, '+', 300);
    }
}

/* Most starts of a random list, inside callbacks too. */
static void give_slack(struct operations *list, uint64_t seed)
{
    for (size_t i = 0; i < list->count; i++) {
        uint64_t hash = (i + 1 + (seed << 20)) * UINT64_C(0x9e3779b97f4a7c15);
        enum operation_code code = list->list[i].code;
        if ((code == OPERATION_START || code == OPERATION_ON_START) && hash >> 62 != 0)
            list->list[i].slack = 1 + hash * 5 % (UINT64_C(1) << (hash >> 40) % (i % 8 ? 20 : 64));
    }
}

/* Of many timers, in one jump and tick by tick. */
static void build_many(struct operations *list)
{
    list->count = 0;
    list->capacity = MANY;
    for (uint64_t slack = 2; slack < 100; slack *= 7) {
        operations_start_many(list, 0, MANY, '+', 3, 0);
        list->list[list->count - 1].slack = slack;
        operations_inspect(list);
        operations_tick(list, 8);
        operations_advance(list, '+', slack);
    }
}

void run_slack(struct case_plan *plan, struct conform_report *report)
{
    struct operations *list = plan->operations;
    if (!guard_part(plan->backend, "slack"))
        return;
    build_windows(list);
    judge_replay(plan->backend, list, JUDGE_ALWAYS, report, NULL);
    build_many(list);
    if (!report->rule)
        judge_replay(plan->backend, list, JUDGE_NOW_AND_THEN, report, NULL);
    for (uint64_t seed = 0; seed < LISTS && !report->rule; seed++) {
        list->count = 0;
        random_list_make(list, seed, plan->strides);
        give_slack(list, seed);
        judge_replay(plan->backend, list, JUDGE_ALWAYS, report, NULL);
    }
}
