/* batches.c - tests optional parts by lists: timers with slack fire in their windows, batches act as the single calls one after
 * the other, the exact next is the model's; and all that a design has together. */
#include "harness/prove/cases.h"

#include "harness/prove/guard.h"
#include "harness/prove/judge.h"

#define WINDOW_LISTS 160u
#define CROWD        2000u
/* A batch of that many is told of one callback; the longest is of eight times as many. */
#define LONG 9000u

/* ---- Slack ----------------------------------------------------------------------------------- */

static void start(struct operations *list, tw_id id, uint64_t ticks, uint64_t slack)
{
    operations_start(list, id, '+', ticks);
    list->list[list->count - 1].slack = slack;
}

/* Each slack beside another one, at each distance; windows that are replaced, by either start, while they are open too. */
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
            list->list[i].slack =
                i % 32 == 1  ? UINT64_MAX
                : i % 8 == 3 ? UINT64_C(1) << (hash >> 40) % 20
                             : 1 + hash * 5 % (UINT64_C(1) << (hash >> 40) % (i % 8 ? 20 : 64));
    }
}

void run_slack(struct case_plan *plan, struct conform_report *report)
{
    struct operations *list = plan->operations;
    if (!guard_part(plan->backend, "slack"))
        return;
    build_windows(list);
    judge_replay(plan->backend, list, JUDGE_ALWAYS, report, NULL);
    for (uint64_t seed = 0; seed < WINDOW_LISTS && !report->rule; seed++) {
        list->count = 0;
        random_list_make(list, seed, plan->strides);
        give_slack(list, seed);
        judge_replay(plan->backend, list, JUDGE_ALWAYS, report, NULL);
    }
}

/* ---- Batches --------------------------------------------------------------------------------- */

/* Long batches: running and idle ones, due now, in the past, beyond the span, twice, and inside callbacks. */
static void build_long(struct operations *list, uint32_t count, tw_tick span)
{
    list->count = 0;
    list->capacity = count;
    list->now = 100000;
    for (uint32_t block = 1; block < LONG; block += block < 256 ? 1 : block) { /* of every length */
        operations_start_many(list, 0, block, '+', block, -1);
        operations_stop_many(list, 0, block);
        operations_start_many(list, 0, block, '+', block, -1);
        operations_advance(list, '+', block);
    }
    for (tw_id id = 100; id-- > 0;) /* falling */
        operations_start(list, id, '+', 9);
    for (tw_id id = 0; id < count; id += count / 180) {
        operations_on_start_many(list, id, 7, (id * 7) % count, '+', 1 + id % 9, 2);
        operations_on_start_many(list, id, 3, id, '-', id, 1);
        operations_on_stop_many(list, id + 10, 4, (id + 60) % count);
        operations_on_stop_many(list, id + 10, 4, (id + 61) % count);
    }
    for (tw_id id = 0; id < LONG; id++)
        operations_on_start(list, 5, id, '+', 1 + id % 150, 1);
    operations_start_scattered(list, 0, count, 1, 200);
    operations_start_many(list, 100, 300, '-', 50, 3);
    operations_inspect(list);
    operations_start_many(list, 350, count - 350, '+', span - 5, 1);
    operations_start_scattered(list, 350, count - 350, 1, 200);
    operations_start_many(list, 350, 20, '+', 0, 0);
    for (unsigned i = 0; i < 256; i++)
        operations_start(list, 360, '+', 7 + i % 3);
    operations_inspect(list);
    operations_stop_shuffled(list, 800, 700);
    operations_stop_many(list, 1000, 100);
    operations_tick(list, 20);
    operations_inspect(list);
    operations_advance(list, '+', 150);
    operations_advance(list, '+', 200);
    operations_advance(list, '@', TW_DEADLINE_MAX - 300);
    operations_start_scattered(list, 0, count, 1, 500);
    operations_advance(list, '@', TW_DEADLINE_MAX); /* where all are refused */
    operations_start_many(list, 0, count, '+', 1, 0);
}

void run_batches(struct case_plan *plan, struct conform_report *report)
{
    struct operations *list = plan->operations;
    struct pace pace = {0};
    list->batch = guard_part(plan->backend, "batch");
    if (!list->batch)
        return;
    for (uint32_t count = LONG; count <= 8 * LONG && !pace.is_over && !report->rule;
         count *= PACE_GROWTH) {
        build_long(list, count, plan->strides->span);
        pace_judge(&pace, plan, 0.3, report); /* one call may take 2 s */
    }
}

/* ---- The exact next -------------------------------------------------------------------------- */

/* Crowds that are re-armed for later and stopped again and again, near and far, and looked at between; two of them lie a
 * round of any ring apart. */
static void build_left_behind(struct operations *list, tw_tick horizon)
{
    list->capacity = CROWD;
    list->now = 5000;
    list->horizon = horizon;
    operations_start(list, 7, '+', 70000); /* alone */
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
    for (tw_tick horizon = 0; horizon < 100000 && !report->rule; horizon = 30 * horizon + 3000) {
        list->count = 0;
        build_left_behind(list, horizon);
        judge_replay(plan->backend, list, JUDGE_NOW_AND_THEN, report, NULL);
    }
}

/* ---- Random lists ---------------------------------------------------------------------------- */

/* A window ends where a batch starts its timer again. */
void give_parts(struct operations *list, const struct tw_backend *backend, uint64_t seed)
{
    list->batch = seed % 8 >= 6 ? guard_part(backend, "batch") : NULL;
    list->exact = seed % 8 >= 5 ? guard_part(backend, "exact") : NULL;
    if (seed % 8 == 7 && guard_part(backend, "slack"))
        give_slack(list, seed);
}
