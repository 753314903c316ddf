/* batches.c - tests optional parts by lists: batches act as the single calls one after the other, the exact next is the model's. */
#include "harness/prove/cases.h"

#include "harness/prove/guard.h"
#include "harness/prove/judge.h"

#define LISTS   120u
#define CROWD   2000u
#define LONG    9000u
#define TOO_FAR 5u

/* Long batches: running and idle ones, due now, in the past, beyond the span, twice, and inside callbacks. */
static void build_long(struct operations *list, tw_tick span)
{
    list->capacity = LONG;
    list->now = 100000;
    for (tw_id id = 0; id < LONG; id += 50) {
        operations_on_start_many(list, id, 7, (id * 7) % LONG, '+', 1 + id % 9, 2);
        operations_on_start_many(list, id, 3, id, '-', id, 1);
        operations_on_stop_many(list, id + 40, 4, (id + 60) % LONG);
        operations_on_stop_many(list, id + 40, 4, (id + 61) % LONG);
    }
    operations_start_scattered(list, 0, LONG, 1, 200);
    operations_start_many(list, 100, 300, '-', 50, 3);
    operations_start_many(list, 350, 300, '+', span - TOO_FAR, 1);
    operations_start_many(list, 350, 20, '+', 0, 0);
    operations_start(list, 360, '+', 7);
    operations_start(list, 360, '+', 9);
    operations_inspect(list);
    operations_stop_shuffled(list, 800, 700);
    operations_stop_many(list, 1000, 100);
    operations_tick(list, 20);
    operations_inspect(list);
    operations_advance(list, '+', 150);
    operations_advance(list, '+', 200);
}

void run_batches(struct case_plan *plan, struct conform_report *report)
{
    struct operations *list = plan->operations;
    list->batch = guard_part(plan->backend, "batch");
    if (!list->batch)
        return;
    build_long(list, plan->strides->span);
    judge_replay(plan->backend, list, JUDGE_NOW_AND_THEN, report, NULL);
    for (uint64_t seed = 0; seed < LISTS && !report->rule; seed++) {
        list->count = 0;
        random_list_make(list, seed, plan->strides);
        judge_replay(plan->backend, list, JUDGE_ALWAYS, report, NULL);
    }
}

/* Crowds that are re-armed for later and stopped again and again, near and far, and looked at between; two of them lie a
 * round of any ring apart. */
static void build_left_behind(struct operations *list, tw_tick horizon)
{
    list->capacity = CROWD;
    list->now = 5000;
    list->horizon = horizon;
    for (uint64_t reach = 30; reach < UINT64_C(1) << 40; reach *= 7) {
        operations_start_scattered(list, 0, CROWD, 1, reach);
        operations_start_scattered(list, 0, CROWD / 2, reach / 2, reach);
        operations_stop_shuffled(list, CROWD / 4, CROWD / 2);
        operations_start(list, 3, '+', params_power_of_two(reach));
        operations_inspect(list);
        for (unsigned i = 0; i < 12; i++) {
            operations_stop_many(list, i * 150, 140);
            operations_advance(list, '+', i % 3 ? reach / 90 : 1);
            operations_inspect(list);
        }
        operations_stop_many(list, 0, CROWD);
        operations_start(list, 7, '+', reach);
        operations_start(list, 7, '+', 3 * reach);
        operations_inspect(list);
        operations_advance(list, '+', 2 * reach);
    }
    operations_start(list, 5, '+', 10000);
    operations_advance(list, '+', 6500);
    operations_start(list, 6, '+',
                     3900); /* where one ring has the horizon, the earlier one waits beside it */
    operations_inspect(list);
}

void run_exact(struct case_plan *plan, struct conform_report *report)
{
    struct operations *list = plan->operations;
    list->exact = guard_part(plan->backend, "exact");
    if (!list->exact)
        return;
    for (tw_tick horizon = 0; horizon <= 3000 && !report->rule; horizon += 3000) {
        list->count = 0;
        build_left_behind(list, horizon);
        judge_replay(plan->backend, list, JUDGE_NOW_AND_THEN, report, NULL);
    }
    list->horizon = 0;
    for (uint64_t seed = 0; seed < LISTS && !report->rule; seed++) {
        list->count = 0;
        random_list_make(list, seed, plan->strides);
        judge_replay(plan->backend, list, JUDGE_ALWAYS, report, NULL);
    }
}
