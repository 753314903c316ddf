/*
 * race_data.h - what a proof of a runner is asked, and what it answers, as plain data.
 */
#ifndef TWBENCH_RACE_DATA_H
#define TWBENCH_RACE_DATA_H

#include "labs/live/race/race_rules.h"
#include "labs/live/runners/runner.h"

#define RACE_SETTINGS_MAX 4

/* Sums over the services of a proof, in the caller's books. */
#define RACE_SUMS(X)                                                                               \
    X(operations, "starts and stops")                                                              \
    X(accepted, "starts accepted")                                                                 \
    X(refused, "starts refused")                                                                   \
    X(ran, "one-shot timers that ran")                                                             \
    X(stopped, "timers stopped")                                                                   \
    X(returned, "timers that shut gave back")                                                      \
    X(runs, "runs of tasks")                                                                       \
    X(points, "points passed")                                                                     \
    X(delays, "points at which a thread slept or yielded")                                         \
    X(holds, "points at which a thread was held while others acted")

/* One sum for each row. */
struct race_sums {
#define RACE_SUM_MEMBER(name, meaning) uint64_t name;
    RACE_SUMS(RACE_SUM_MEMBER)
#undef RACE_SUM_MEMBER
};

struct race_options {
    const struct tw_backend *const
        *designs; /* exact ones; none for a runner with timers of its own */
    size_t design_count;
    const struct tw_setting *design_settings; /* of the only design */
    size_t design_setting_count;
    const struct tw_setting *settings; /* of the runner; none: varied */
    size_t setting_count;
    uint64_t seed;       /* service k of the random ones is made from seed + k */
    uint64_t operations; /* at least so many starts and stops in random services; 0: cases alone */
    uint32_t threads;    /* most threads of callers, 1 .. RACE_THREADS_MAX */
    uint32_t
        patience_s; /* seconds (race_clock) without progress after which a call hangs, or a timer
                            is lost */
};

#define RACE_THREADS_MAX 16

struct race_report {
    enum race_rule rule; /* RACE_HOLDS: nothing was found */
    char detail[400];
    char service[200];   /* how the service was opened that broke it */
    char case_name[100]; /* "": a random service */
    uint64_t seed;       /* of that service */
    const struct tw_backend *design;
    struct race_sums sums;
    uint64_t services, cases; /* random ones; written ones and holds */
};

#endif
