/* growing_lists.c - times one list and predicts what the next size takes. */
#include "harness/base/clock.h"
#include "harness/prove/cases.h"

#include "harness/prove/judge.h"

/* It grows as it grew last, and never less than its size. */
static bool pace_allows_next(const struct pace *pace, double seconds_max)
{
    double growth = pace->seconds_before > 0 ? pace->seconds / pace->seconds_before : PACE_GROWTH;
    growth = growth < PACE_GROWTH ? PACE_GROWTH : growth;
    return pace->seconds * growth < seconds_max;
}

static double cpu_seconds(void)
{
    return (double)clock_read_ns(CLOCK_PROCESS_CPUTIME_ID) / 1e9;
}

void pace_judge(struct pace *pace, struct case_plan *plan, double seconds_max,
                struct conform_report *report)
{
    double begin = cpu_seconds();
    judge_replay(plan->backend, plan->operations, JUDGE_NOW_AND_THEN, report, NULL);
    pace->seconds_before = pace->seconds;
    pace->seconds = cpu_seconds() - begin;
    pace->is_over = !pace_allows_next(pace, seconds_max);
}
