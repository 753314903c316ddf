/* several_instances.c - tests instances that are open together, and far horizons. */
#include "harness/prove/cases.h"

#include "harness/prove/judge.h"
#include "harness/prove/settings.h"
#include "harness/prove/watch.h"

#include <time.h>

#define MIXED 6u
#define MANY  300u
#define FEW   16u /* of a design on the real clock */
/* Processor time after which no horizon is begun: a design may have a slot for every tick. */
#define HORIZON_SECONDS 2.0

/* ---- Horizons -------------------------------------------------------------------------------- */

/* Up to the last tick, and all below that a layout may depend on. */
static tw_tick horizon_of(unsigned index)
{
    static const tw_tick far[] = {
        60000,      3600000,     86400000,        60000000,          3600000000,
        1000000000, 60000000000, TW_DEADLINE_MAX, UINT64_C(1) << 63, (UINT64_C(1) << 40) + 12345};
    if (index < sizeof far / sizeof far[0])
        return far[index];
    tw_tick power = UINT64_C(1) << (9 + index / 4);
    return index % 4 == 0 ? power - 128 : power + power / 3 * (index % 4 - 1);
}
#define HORIZON_END (4u * (33 - 9))

/* Distances in which the structure may have been laid out for the horizon. */
static void add_horizon(struct strides *strides, tw_tick horizon)
{
    tw_tick power = UINT64_C(1) << (63 - __builtin_clzll(horizon));
    const tw_tick reaches[] = {horizon, power, power / 2, 2 * power - 128};
    strides->count = sizeof reaches / sizeof reaches[0];
    memcpy(strides->ticks, reaches, sizeof reaches);
}

static void judge_horizon(struct case_plan *plan, unsigned index, struct conform_report *report)
{
    struct strides strides = *plan->strides;
    struct operations *list = plan->operations;
    add_horizon(&strides, horizon_of(index));
    for (uint64_t seed = 0; seed < 6 && !report->rule; seed++) {
        list->count = 0;
        random_list_make(list, 17 * index + seed, &strides);
        list->horizon = horizon_of(index);
        if (seed % 2 == 0) /* some layouts are for many */
            list->capacity = 4096;
        size_t given = list->setting_count;
        if (given == 0 && seed > 3)
            settings_variant(plan->backend, index % 16, list->settings, &list->setting_count,
                             report->watch);
        judge_replay(plan->backend, list, JUDGE_NOW_AND_THEN, report, NULL);
        list->setting_count = given;
    }
}

void run_horizons(struct case_plan *plan, struct conform_report *report)
{
    clock_t begin = clock();
    if (plan->backend->traits.flags & TW_REAL_CLOCK) {
        coverage_remark(&report->coverage, "far horizons: the design sleeps through its jumps");
        return;
    }
    unsigned step = plan->many_max > 0 ? 1 : 3;
    for (unsigned i = 0; i < HORIZON_END && !report->rule; i += step)
        if ((double)(clock() - begin) / CLOCKS_PER_SEC < HORIZON_SECONDS * plan->patience)
            judge_horizon(plan, i, report);
}

/* ---- Instances in turn ----------------------------------------------------------------------- */

static void build_turn(struct operations *list, uint32_t step)
{
    for (uint32_t round = 0; round < 60; round++) {
        tw_id id = (round * 7 + step) % list->capacity;
        operations_start(list, id, '+', 1 + (round * step * 5) % 900);
        operations_on_start(list, id, (id + 1) % list->capacity, '+', 1 + round * 3, 1);
        if (round % 4 == 3)
            operations_stop(list, (id + 3) % list->capacity);
        operations_advance(list, '+', round % 8 == 0 ? 40 * step : 1);
    }
    operations_advance(list, '+', 2000);
}

/* Capacity, clock, horizon and settings are different in each. */
static void build_mixed(const struct case_plan *plan, struct operations lists[MIXED],
                        struct watch *watch)
{
    static const uint32_t capacities[MIXED] = {1, 300, 16, 7, 64, 33};
    static const tw_tick clocks[MIXED] = {0,         (UINT64_C(1) << 32) - 70,
                                          123456789, (UINT64_C(1) << 63) - 5,
                                          5000,      (UINT64_C(1) << 20) + 3};
    static const tw_tick horizons[MIXED] = {0, 100, 5000, UINT64_C(1) << 20, 37, 0};
    size_t variants = 1;
    struct tw_setting settings[OPERATIONS_SETTINGS_MAX];
    size_t count;
    while (settings_variant(plan->backend, variants, settings, &count, watch))
        variants++;
    for (uint32_t i = 0; i < MIXED; i++) {
        operations_init(&lists[i], capacities[i]);
        lists[i].now = clocks[i];
        lists[i].horizon = horizons[i];
        settings_variant(plan->backend, i * (variants - 1) / (MIXED - 1), lists[i].settings,
                         &lists[i].setting_count, watch);
        build_turn(&lists[i], 1 + i);
    }
}

/* The second one is closed early, when the others are under way, and another takes its place. */
void run_mixed_instances(struct case_plan *plan, struct conform_report *report)
{
    struct operations lists[MIXED];
    struct judge *judges[MIXED] = {NULL};
    build_mixed(plan, lists, report->watch);
    for (uint32_t i = 0; i < MIXED && !report->rule; i++)
        judges[i] = judge_open(plan->backend, &lists[i], JUDGE_ALWAYS, report);
    for (size_t step = 0; step < lists[0].count && !report->rule; step++) {
        if (step == lists[0].count / 3) {
            judge_close(judges[1]);
            judges[1] =
                report->rule ? NULL : judge_open(plan->backend, &lists[1], JUDGE_ALWAYS, report);
        }
        for (uint32_t i = 0; i < MIXED && !report->rule; i++)
            judge_step(judges[i], &lists[i].list[step]);
    }
    for (uint32_t i = 0; i < MIXED; i++) {
        if (judges[i])
            judge_close(judges[i]);
        operations_clear(&lists[i]);
    }
}

/* Whoever waits for the machine's clock takes of what the kernel has few of: a process has 31 realtime signals. */
void run_many_instances(struct case_plan *plan, struct conform_report *report)
{
    struct judge *judges[MANY] = {NULL};
    size_t count = plan->backend->traits.flags & TW_REAL_CLOCK ? FEW : MANY;
    build_turn(plan->operations, 3);
    for (size_t i = 0; i < count && !report->rule; i++)
        judges[i] = judge_open(plan->backend, plan->operations, JUDGE_NOW_AND_THEN, report);
    for (size_t step = 0; step < plan->operations->count && !report->rule; step++)
        for (size_t i = 0; i < count && !report->rule; i += 1 + i / 8)
            judge_step(judges[i], &plan->operations->list[step]);
    for (size_t i = MANY; i-- > 0;)
        if (judges[i])
            judge_close(judges[i]);
}
