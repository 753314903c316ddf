/*
 * race.h - proves a runner: written cases, then random services, each in a child process.
 *
 * Used by `twbench conform --runner`.  Callers, tasks and shut race under delays at the points that the proved object
 * has.  A runner that crashes or hangs is an outcome like any other; its child is ended.  What follows from the
 * seed are the operations of each caller and the delays at each thread's points.  The order in which the threads come
 * is the machine's, so that a finding may take more than one try to be seen again.
 */
#ifndef TWBENCH_RACE_H
#define TWBENCH_RACE_H

#include "harness/base/diag.h"
#include "labs/live/runners/runner.h"

#include <stdatomic.h>

/* One row each: key and the sentence that is printed. */
#define RACE_RULES(X)                                                                              \
    X(OPEN, "open takes what the table allows and refuses the rest")                               \
    X(START, "start answers what is so")                                                           \
    X(STOP, "stop answers what is so")                                                             \
    X(EARLY, "no timer fires early")                                                               \
    X(LOST, "no timer is lost")                                                                    \
    X(TWICE, "no timer ends twice")                                                                \
    X(STOPPED, "a stopped timer runs no more")                                                     \
    X(DUE, "what is due runs")                                                                     \
    X(CATCH_UP, "overslept ticks are made up")                                                     \
    X(REPEAT, "a periodic timer keeps its dues")                                                   \
    X(FIRING, "a firing tells its timer and its moments")                                          \
    X(CAP, "the cap on pending timers holds")                                                      \
    X(PLACES, "places come back")                                                                  \
    X(NAMES, "a name is of one timer alone")                                                       \
    X(LIMIT, "a tick moves no more than its limit")                                                \
    X(SHUT, "shut ends all tasks and is done once")                                                \
    X(INSIDE, "shut in a task is refused")                                                         \
    X(STATS, "statistics agree with the books")                                                    \
    X(LATE, "a timer is as late as its tick and a thread that sleeps")                             \
    X(IDLE, "a runner that has nothing to do sleeps")                                              \
    X(TRAITS, "a runner is what its flags declare")                                                \
    X(SEATS, "seats come back")                                                                    \
    X(MEMORY, "close gives back what open and start took")                                         \
    X(CHECK, "check finds nothing broken")                                                         \
    X(RETURNS, "every call returns")                                                               \
    X(CRASH, "no call crashes")

/* A rule for each row; RACE_HOLDS: none was broken. */
enum race_rule {
    RACE_HOLDS,
#define RACE_RULE_KEY(key, sentence) RACE_##key,
    RACE_RULES(RACE_RULE_KEY)
#undef RACE_RULE_KEY
        RACE_RULE_COUNT
};

/* The sentences; "" for RACE_HOLDS. */
extern const char *const race_rule_names[RACE_RULE_COUNT];

/* The first finding of a service.  Any thread may offer one; those after the first are dropped. */
struct race_finding {
    _Atomic uint32_t taken; /* somebody fills it */
    _Atomic uint32_t rule;  /* of enum race_rule; the text is whole when this is not RACE_HOLDS */
    char detail[400];
};

/* Offers a finding, from any thread; printf-like.  Only the first is kept. */
void race_find(struct race_finding *finding, enum race_rule rule, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

static inline bool race_is_found(const struct race_finding *finding)
{
    return atomic_load_explicit(&finding->taken, memory_order_relaxed) != 0;
}

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
    X(holds, "points at which a thread was held while others acted")                               \
    X(cut, "pairs of callers whose orders were not all tried for want of time")

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

/* Proves the entry's proved table.  DIAG_OK with *report filled, also when a rule is broken; DIAG_RUN when the machine
 * gives no process or memory.  Takes about 3 s per million operations on two cores, and 3 s for the cases. */
int race_run(const struct tw_runner_entry *entry, const struct race_options *options,
             struct race_report *report, struct diag *diag);

/* Can a runner be proved over it?  Those whose lateness is bounded by nothing but their ticks, and that keep timers. */
bool race_is_fit(const struct tw_backend *design);

#endif
