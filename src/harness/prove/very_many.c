/* very_many.c - tests up to 2^22 timers in one instance, at growing sizes.
 *
 * One story goes to the largest size: everything at once, of which some is left when the instance is closed.  Six go to a
 * sixteenth of it: timers in no order, whose callbacks start, stop and re-arm others; equal deadlines, the horizon known or not;
 * few timers, far apart, in an instance for very many; all in one far slot; delays so different that hashes of them meet.
 */
#include "harness/base/clock.h"
#include "harness/prove/cases.h"
#include "harness/prove/guard.h"
#include "harness/prove/judge.h"
#include "harness/prove/settings.h"
#include "harness/prove/watch.h"

#define SIZE_FIRST 512u /* or more */
/* So that ids, and not only the capacity, go beyond the power of two. */
#define ROOM_ABOVE(size) ((size) + (size) / 4)
#define SIZE_DEFAULT     16384u
/* The largest size divided by this is where the far stories end. */
#define FAR_SHARE 16u
/* Processor time that one list may be expected to take, in the story of all at once and in the far ones. */
#define LARGEST_SECONDS 24.0
#define FAR_SECONDS     1.0
/* No list of either part is begun when its lists together have taken this much. */
#define PART_SECONDS 4.0

void pace_judge(struct pace *pace, struct case_plan *plan, double seconds_max,
                struct conform_report *report)
{
    uint64_t begin_ns = clock_read_ns(CLOCK_PROCESS_CPUTIME_ID);
    judge_replay(plan->backend, plan->operations, JUDGE_NOW_AND_THEN, report, NULL);
    double before = pace->seconds;
    pace->seconds = (double)(clock_read_ns(CLOCK_PROCESS_CPUTIME_ID) - begin_ns) / 1e9;
    double growth = before > 0 ? pace->seconds / before : 0;
    pace->is_over = pace->seconds * (growth > PACE_GROWTH ? growth : PACE_GROWTH) >= seconds_max;
}

/* ---- The stories that go furthest ------------------------------------------------------------ */

/* As many ticks as wished, if the design can hold such a delay and its clock can jump so far. */
static uint64_t within_reach(const struct case_plan *plan, uint64_t ticks)
{
    uint64_t most = plan->strides->span / 4 + 1;
    if (plan->strides->walk > 0 && plan->strides->walk / 4 + 1 < most)
        most = plan->strides->walk / 4 + 1;
    return ticks < most ? ticks : most;
}

static void story_mixed(struct case_plan *plan, uint32_t count)
{
    struct operations *list = plan->operations;
    uint32_t quarter = count / 4;
    uint64_t ticks = within_reach(plan, count);
    operations_on_start_many(list, 0, quarter, quarter, '+', 3, 1);
    operations_on_stop_many(list, quarter, quarter, 2 * quarter);
    operations_on_start_many(list, 2 * quarter, quarter, 3 * quarter, '+', 7, 1);
    operations_on_start_many(list, 3 * quarter, quarter, 3 * quarter, '+', ticks / 2 + 1, 1);
    operations_start_scattered(list, 0, count, 10, ticks);
    operations_next(list);
    operations_start_scattered(list, count / 8, quarter, ticks / 8 + 20, ticks);
    list->list[list->count - 1].slack = 40;
    operations_stop_shuffled(list, 2 * quarter, count / 8);
    operations_inspect(list);
    operations_advance(list, '+', ticks / 4);
    operations_tick(list, 50);
    operations_stop_shuffled(list, 3 * quarter, count / 16);
    operations_advance(list, '+', ticks / 4);
    operations_next(list);
    operations_advance(list, '+', ticks);
    operations_advance(list, '+', ticks);
}

/* Deadlines on three ticks, given in one order, some of them twice; one callback starts a half, one stops a half.  Then
 * all on one tick, and again, when each of one half stops one of the other. */
static void story_equal(struct case_plan *plan, uint32_t count)
{
    struct operations *list = plan->operations;
    uint64_t ticks = within_reach(plan, 300);
    operations_start_scattered(list, 0, count, ticks, 3);
    operations_start_scattered(list, count / 3, count / 8, ticks, 3);
    operations_stop_shuffled(list, count / 2, count / 16);
    operations_on_stop_many(list, 5, 1, count - 1);
    for (tw_id id = 0; id < count / 2; id++)
        operations_on_start(list, 6, count / 2 + id, '+', 1 + id % 2, 1);
    for (tw_id id = 0; id < count / 2; id++)
        operations_on_stop(list, 7, count / 4 + id);
    operations_start_many(list, count / 2, count / 32, '+', ticks + 1, 0);
    operations_advance(list, '+', ticks - 1);
    operations_tick(list, 1);
    operations_inspect(list);
    operations_advance(list, '+', 3);
    operations_start_many(list, 0, count, '+', ticks, 0);
    operations_advance(list, '+', ticks);
    operations_on_stop_many(list, 0, count / 2, count / 2);
    operations_start_many(list, 0, count, '+', ticks, 0);
    operations_advance(list, '+', ticks);
}

/* Empty ticks, as many as there could be timers. */
static void story_sparse(struct case_plan *plan, uint32_t count)
{
    struct operations *list = plan->operations;
    uint64_t ticks = within_reach(plan, count);
    list->horizon = count;
    for (uint64_t jump = ticks / 8; jump <= 2 * ticks; jump += ticks / 8 + 1) {
        operations_start_many(list, count - 4, 4, '+', jump - 1, 1);
        operations_start_many(list, count / 2 - 2, 4, '+', jump / 2, 7);
        operations_start(list, 0, '+', jump);
        operations_advance(list, '+', jump);
        operations_next(list);
        operations_tick(list, 3);
    }
}

/* So many different delays that two of them have the same hash of 32 bits.  Some are put off, and come and go. */
#define STEADY 1500u
static void story_wide(struct case_plan *plan, uint32_t count)
{
    uint64_t ticks = within_reach(plan, UINT64_C(1) << 50);
    operations_start_scattered(plan->operations, 0, count, 1, ticks);
    for (uint32_t i = 0; i < STEADY; i++) {
        operations_start_many(plan->operations, 16 * i % (count - 16), 16, '+', 40, 1);
        operations_tick(plan->operations, 1);
    }
    for (unsigned i = 0; i < 4; i++)
        operations_advance(plan->operations, '+', ticks / 4 + 1);
}

/* With a clock that is far as well, all of them far away within few ticks, one in the middle before the others; the clock comes in three
 * steps. */
static void story_far(struct case_plan *plan, uint32_t count)
{
    struct operations *list = plan->operations;
    uint64_t ticks = within_reach(plan, UINT64_C(1) << (20 + 2 * __builtin_ctz(count)));
    uint64_t spread = ticks < 2000 ? ticks : 2000;
    list->now = UINT64_C(5) << 61;
    operations_start_many(list, 0, count / 2, '+', ticks + 9, 0);
    operations_start(list, count / 2, '+', ticks);
    operations_start_scattered(list, count / 2 + 1, count / 2 - 1, ticks + 5, spread);
    operations_next(list);
    operations_advance(list, '+', ticks / 2);
    operations_advance(list, '-', 1);
    operations_start(list, 1, '+', 1);
    operations_next(list);
    operations_advance(list, '+', ticks - ticks / 2 - 1);
    operations_next(list);
    operations_tick(list, 4);
    operations_advance(list, '+', spread / 2);
    operations_inspect(list);
    operations_advance(list, '+', spread);
    operations_advance(list, '+', ticks);
}

/* As many run as there is room for; then so many are stopped that, with the sizes before, stops meet every number of running
 * timers.  All fire in one advance, and the last ids start each other.  The last part is pending when the instance is closed, with some
 * re-armed and some stopped. */
static void story_all(struct case_plan *plan, uint32_t count)
{
    struct operations *list = plan->operations;
    uint64_t ticks = within_reach(plan, count);
    operations_start_scattered(list, 0, count, 2, ticks);
    operations_start_many(list, count - 64, 64, '+', ticks / 2 + 1, 1);
    operations_stop_shuffled(list, count / 2, count / 64);
    operations_start_many(list, count - 2, 2, '+', ticks / 4 + 1, 0);
    operations_on_start_many(list, count - 64, 64, 0, '+', 2, 1);
    operations_on_start_many(list, count - 128, 64, count - 64, '+', 2, 1);
    operations_on_start_many(list, 0, count / 4, count / 4, '+', 2, 1);
    operations_next(list);
    operations_stop_many(list, 0, count - count / 16);
    operations_next(list);
    operations_start_many(list, 0, count / 2, '+', 2, 0); /* on one tick */
    operations_start_many(list, count / 2, count / 2, '+', 2, ticks < count ? 0 : 1);
    operations_inspect(list);
    operations_advance(list, '+', ticks - ticks / 4);
    operations_start_many(list, 0, count / 4, '+', ticks / 2 + 1, 0); /* pending at close */
}

static void story_horizon(struct case_plan *plan, uint32_t count)
{
    plan->operations->horizon = 1000;
    story_equal(plan, count);
}

/* The first one to the largest size, the others less far. */
static void (*const stories[])(struct case_plan *plan, uint32_t count) = {
    story_all, story_mixed, story_equal, story_sparse, story_far, story_horizon, story_wide};

/* So many may be more than the machine has files, signals or memory for: which is no mistake, where
 * the design says so. */
static bool is_refused(struct case_plan *plan, uint32_t count, struct conform_report *report)
{
    struct operations *list = plan->operations;
    const struct tw_config config = {count, 0, 0, list->settings, list->setting_count};
    list->count = 0;
    list->capacity = count;
    watch_list(report->watch, list);
    int status = settings_try(plan->backend, &config, report->watch, report);
    return status == TW_REFUSED_FULL || status == TW_REFUSED_MEMORY;
}

struct part {
    void (*const *stories)(struct case_plan *plan, uint32_t count);
    size_t kinds;
    uint32_t most;
    double list_seconds;
};

static void run_part(struct case_plan *plan, const struct part *part, struct conform_report *report)
{
    struct pace paces[sizeof stories / sizeof *stories] = {{0}};
    double seconds = 0;
    uint32_t size = part->most;
    while (size / PACE_GROWTH >= SIZE_FIRST)
        size /= PACE_GROWTH;
    for (; size <= part->most && !report->rule; size *= PACE_GROWTH) {
        uint32_t count = ROOM_ABOVE(size);
        if (size > SIZE_FIRST * PACE_GROWTH && is_refused(plan, count, report)) {
            coverage_remark(&report->coverage, "instances for %" PRIu32 " timers, refused by open",
                            count);
            return;
        }
        for (size_t i = 0;
             i < part->kinds && !report->rule && seconds < PART_SECONDS * plan->patience; i++) {
            if (paces[i].is_over)
                continue;
            plan->operations->count = 0;
            plan->operations->capacity = count;
            plan->operations->horizon = 0;
            plan->operations->now = 0;
            plan->operations->batch = i % 2 == 1 ? guard_part(plan->backend, "batch") : NULL;
            plan->operations->exact = guard_part(plan->backend, "exact");
            part->stories[i](plan, count);
            pace_judge(&paces[i], plan, part->list_seconds * plan->patience, report);
            seconds += paces[i].seconds;
        }
    }
}

void run_many(struct case_plan *plan, struct conform_report *report)
{
    uint32_t most = plan->many_max > 0 ? plan->many_max : SIZE_DEFAULT;
    const struct part parts[] = {
        {stories, 1, most, LARGEST_SECONDS},
        {stories + 1, sizeof stories / sizeof *stories - 1, most / FAR_SHARE, FAR_SECONDS},
    };
    for (size_t i = 0; i < sizeof parts / sizeof parts[0] && !report->rule; i++)
        run_part(plan, &parts[i], report);
}
