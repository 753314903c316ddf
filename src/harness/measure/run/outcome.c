/* outcome.c - names the statuses of a cell. */
#include "harness/measure/run/outcome.h"

const char *outcome_status_name(enum outcome_status status)
{
    static const char *const names[] = {
        [OUTCOME_OK] = "ok",
        [OUTCOME_MISMATCH] = "mismatch",
        [OUTCOME_UNSUPPORTED] = "unsupported",
        [OUTCOME_TIMEOUT] = "timeout",
        [OUTCOME_OUT_OF_MEMORY] = "out-of-memory",
        [OUTCOME_CRASHED] = "crashed",
    };
    return names[status];
}

const char *outcome_catch_up_name(enum outcome_catch_up catch_up)
{
    static const char *const names[] = {
        [OUTCOME_NOTHING_TO_CATCH_UP] = NULL,
        [OUTCOME_SKIP] = "skip",
        [OUTCOME_BURST] = "burst",
    };
    return names[catch_up];
}

const char *outcome_end_name(enum outcome_end end)
{
    static const char *const names[] = {
        [OUTCOME_END_RUNS] = "runs",
        [OUTCOME_END_INTERVAL] = "interval",
        [OUTCOME_END_TIME] = "time",
    };
    return names[end];
}

const char *outcome_counter_name(enum outcome_counter counter)
{
    static const char *const names[] = {
        [OUTCOME_INSTRUCTIONS] = "instructions", [OUTCOME_CYCLES] = "cycles",
        [OUTCOME_CACHE_MISSES] = "cache_misses", [OUTCOME_BRANCH_MISSES] = "branch_misses",
        [OUTCOME_DTLB_MISSES] = "dtlb_misses",
    };
    return names[counter];
}
