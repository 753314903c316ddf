/* batches.c - tests that batch operations answer and act as the single calls one after the other: lists, by batches. */
#include "harness/prove/cases.h"

#include "harness/prove/guard.h"
#include "harness/prove/judge.h"
#include "impls/registry.h"

#define LISTS   120u
#define CROWD   2000u
#define TOO_FAR 5u

/* Long batches: running and idle ones, due now, in the past, beyond the span, twice, and inside callbacks. */
static void build_long(struct operations *list, tw_tick span)
{
    list->capacity = CROWD;
    list->now = 100000;
    for (tw_id id = 0; id < CROWD; id += 50) {
        operations_on_start_many(list, id, 7, (id * 7) % CROWD, '+', 1 + id % 9, 2);
        operations_on_start_many(list, id, 3, id, '-', id, 1);
        operations_on_stop_many(list, id + 40, 4, (id + 60) % CROWD);
        operations_on_stop_many(list, id + 40, 4, (id + 61) % CROWD);
    }
    operations_start_scattered(list, 0, CROWD, 1, 200);
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
    const struct tw_batch *batch = registry_batch(plan->backend);
    list->batch = batch ? batch : guard_batch(plan->backend);
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
