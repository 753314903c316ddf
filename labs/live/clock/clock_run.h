/*
 * clock_run.h - drives a runner on the real clock: threads that start and stop timers, and the outcome.
 *
 * A run opens one service, lets `threads` producers loose on it and shuts it.  All of it happens in a child
 * process, because a runner that hangs or breaks is an outcome.  Moments are CLOCK_MONOTONIC; nothing here is on the
 * virtual clock of run/, and no figure of the one may stand beside a figure of the other.
 *
 * An operation has the moment that it was meant for.  The due of a timer counts from that, not from when the
 * producer came to it, so that a runner which holds its callers up shows in lateness (no coordinated omission).
 */
#ifndef TWBENCH_CLOCK_RUN_H
#define TWBENCH_CLOCK_RUN_H

#include "harness/base/interrupt.h"
#include "harness/measure/session/progress.h"
#include "harness/measure/stats/histogram.h"
#include "harness/measure/workload/stream.h"
#include "labs/live/runners/runner.h"

#define CLOCK_THREADS_MAX  64
#define CLOCK_SETTINGS_MAX 4

/* What the producers do. */
enum clock_load {
    CLOCK_PACED,  /* a stream at its own pace, times the speed */
    CLOCK_CLOSED, /* each thread stops and starts as fast as it can among the pending timers */
    CLOCK_BURST,  /* all timers are started at one moment, due a millisecond after it */
    CLOCK_STORM,  /* all timers pend, far; all threads stop them at one moment */
    CLOCK_IDLE,   /* all timers pend, far, and nothing happens */
    CLOCK_LOADS
};

/* What a task does before it returns; it sleeps, as a task does that waits for a disk or a lock. */
enum clock_work { CLOCK_NO_WORK, CLOCK_CONSTANT, CLOCK_EXPONENTIAL };

/* How runs are made; the same for all cells of a session. */
struct clock_wishes {
    enum clock_load load;
    double speed; /* of a paced load: 2 plays it in half of its time */
    uint64_t
        duration_ns; /* of the closed and the idle load; of a paced one the part that is played, 0: all */
    uint64_t tick_ns; /* of the runner; 0: its default */
    enum clock_work work;
    uint64_t work_ns;       /* constant, or the mean */
    uint64_t slow_ns;       /* the first task to run sleeps so long; 0: none does */
    uint64_t failing_every; /* each n-th task fails; 0: none does */
    struct tw_setting settings[CLOCK_SETTINGS_MAX]; /* of the runner */
    size_t setting_count;
};

/* One run of one runner. */
struct clock_request {
    const struct clock_wishes *wishes;
    const struct tw_runner_entry *entry; /* the runner as it was found; a plugin's is loaded in the
                                            child alone */
    const struct tw_runner *runner;      /* its timed table */
    const struct tw_backend *design;     /* NULL for a runner that keeps its timers itself */
    const struct tw_setting *settings;
    size_t setting_count;
    uint32_t threads; /* producers, and what the runner has of its own; 1 .. CLOCK_THREADS_MAX */
    uint64_t max_pending; /* 0: no cap */
    uint64_t seed;
    const struct stream *stream; /* paced: what is played; else only `tasks` of it counts */
    uint64_t budget_ns;          /* of the child, on top of what the load lasts; 0: ten minutes */
    uint64_t memory_bytes;       /* 0: no limit */
    const struct interrupt *interrupt; /* NULL: nothing ends it before its time */
    struct progress *progress;         /* NULL: none is shown */
};

/* How a run ended.  MISMATCH: the ledger does not add up. */
enum clock_end { CLOCK_OK, CLOCK_MISMATCH, CLOCK_UNSUPPORTED, CLOCK_TIMEOUT, CLOCK_CRASHED };

/* Every accepted timer ended in exactly one way: it ran, was stopped or returned.  clock_figures.def says what the rows are. */
#define CLOCK_LEDGER(X)                                                                            \
    X(accepted)                                                                                    \
    X(refused)                                                                                     \
    X(ran)                                                                                         \
    X(stopped)                                                                                     \
    X(returned)                                                                                    \
    X(early)                                                                                       \
    X(refused_full)                                                                                \
    X(refused_closed)                                                                              \
    X(refused_range)                                                                               \
    X(refused_memory)                                                                              \
    X(too_late)                                                                                    \
    X(idle)

/* One count for each row. */
struct clock_ledger {
#define CLOCK_LEDGER_MEMBER(name) uint64_t name;
    CLOCK_LEDGER(CLOCK_LEDGER_MEMBER)
#undef CLOCK_LEDGER_MEMBER
};

/* Histograms, one row each; figures.def says what they are of. */
#define CLOCK_TIMES(X)                                                                             \
    X(start)                                                                                       \
    X(stop)                                                                                        \
    X(behind)                                                                                      \
    X(late)                                                                                        \
    X(tick)                                                                                        \
    X(queue)                                                                                       \
    X(dispatch)                                                                                    \
    X(run)

/* One histogram for each row. */
struct clock_times {
#define CLOCK_TIMES_MEMBER(name) struct histogram name;
    CLOCK_TIMES(CLOCK_TIMES_MEMBER)
#undef CLOCK_TIMES_MEMBER
};

/* Plain data without pointers: it comes out of the child in shared memory. */
struct clock_report {
    _Atomic uint32_t
        is_cut; /* to end before its time, by the parent; then what is below is of a part of the load */
    enum clock_end end;
    char reason[400]; /* empty when ok */
    bool is_told;     /* what is below was told and checked, though the end is CLOCK_CRASHED */
    struct clock_ledger ledger;
    struct clock_times times;
    /* Of the window in which the load ran, after what it needs to begin with. */
    uint64_t window_ns, operations; /* starts and stops of the producers */
    uint64_t process_cpu_ns;        /* of all threads while it was watched; 0: not known */
    uint64_t watched_ns; /* what stats are of: the window, and what the runner had to do after it */
    struct tw_runner_stats stats; /* differences, but for bytes, pending and the greatest ones */
    uint32_t capacity;            /* places that the runner was opened with */
    uint64_t tick_ns;             /* as the runner resolved it */
    uint32_t runner_threads, shards, max_pending;
};

/* Word used on the command line and in results: "paced", "closed", "burst", "storm", "idle". */
extern const char *const clock_load_names[CLOCK_LOADS + 1];

/* Timers of that many threads: a closed load has as many for each. */
uint64_t clock_timers(const struct clock_wishes *wishes, const struct stream *stream,
                      uint32_t threads);

/* What one run of the load lasts, when the runner keeps up. */
uint64_t clock_lasts_ns(const struct clock_wishes *wishes, const struct stream *stream);

/* What stands for the stream of a load that is none: its name, and so many timers.  The caller frees it. */
int clock_stream(enum clock_load load, uint64_t tasks, uint64_t seed, struct stream **out,
                 struct diag *diag);

/* Runs it in a child and fills the report. */
void clock_run(const struct clock_request *request, struct clock_report *report);

/* Adds the figures of a further run of the same request: sums, merged histograms, the greater of what is the
 * greatest.  A run that went wrong makes the whole go wrong. */
void clock_merge(struct clock_report *into, const struct clock_report *from);

#endif
