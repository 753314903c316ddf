/*
 * runner.h - the contract between a runner and whoever starts timers on the real clock.
 *
 * A design (src/impls/backend.h) keeps timers and never reads a clock.  A runner owns the clock and
 * the threads: who sleeps, who may start and stop from where, who runs the task.  Any design stands
 * behind it.  This is the one header that a caller needs, and besides backend.h the one that a runner
 * has to keep; entries.h and moment.h are there to help with that.
 *
 *     open     a service: a design, its settings, a tick, threads, a cap
 *     enter    a seat for each thread that wants to start or stop
 *     start    a task, once or again and again        stop    exactly that start
 *     wait     the caller's way to sleep
 *     shut     no more: what had not fired comes back
 *     leave    each seat
 *     close    the memory
 *
 * TIME is CLOCK_MONOTONIC in nanoseconds (moment_now()), absolute.  The runner counts ticks of tick_ns
 * from its open; tick k is the moment open + k * tick_ns.  A timer due at d fires on the first tick that is
 * not before d, and on no account before d.  A due that has passed fires on the next tick that the
 * runner processes.  Ticks overslept are made up: the clock of the design never falls behind for good, and
 * the error of one tick is not carried into the next.
 *
 * A TIMER is one accepted start.  tw_timer names it and no other one, ever: the place that it had may
 * serve another timer later, under another name.  Its life ends in exactly one of three ways:
 *
 *     accepted = ran + stopped + returned
 *
 * ran: its task ran (a one-shot).  stopped: one stop answered TW_RUN_STOPPED.  returned: shut gave
 * it back.  A periodic timer runs as often as it likes and ends by the latter two.
 *
 * THREADS.  start, stop and wait may be called from any thread, by many at once, each with a seat of
 * its own.  A seat belongs to the thread that entered; it is what a runner has instead of thread-local
 * variables (a shard, a list of free places, a queue).  A task gets the seat of the thread that runs it, and
 * may start and stop any timer with it, its own included; it must not keep the seat, leave or close.
 *
 * ORDER OF MEMORY.  What a thread wrote before start is visible to the task.  What a task wrote is visible
 * after shut returned.  A stop that answers TW_RUN_TOO_LATE says nothing about what the task has written.
 *
 * FAILURE.  A task that returns other than 0 failed: the runner counts it and goes on.  Nothing here
 * prints, exits or keeps state at file scope.  Two services share nothing.
 *
 * TIMED AND PROVED.  Each runner is compiled twice.  With TW_PROVED defined, TW_RUNNER_POINT(seat, name)
 * calls the harness, which may delay the thread there (seeded); without it the macro vanishes, so the timed
 * object has no trace of it.  Put a point between any two steps that another thread may come between.
 */
#ifndef TWBENCH_RUNNER_H
#define TWBENCH_RUNNER_H

#include "impls/backend.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Version of this contract.  The harness refuses a runner built against another one. */
#define TW_RUNNER_ABI_VERSION 3u

/* One accepted start.  0 names none. */
typedef uint64_t tw_timer;

/* A due that never comes: the last moment there is. */
#define TW_DUE_MAX UINT64_MAX

/* What the calls answer.  0 and above: done, or nothing to do.  Below: refused, and nothing changed. */
enum tw_run_answer {
    TW_RUN_OK = 0, /* open, start, shut: done */
    TW_RUN_STOPPED =
        1, /* stop: it will not fire (a periodic one: not again), thanks to this call */
    TW_RUN_TOO_LATE = 2, /* stop: its task ran, runs, or runs for certain */
    TW_RUN_IDLE = 3,  /* stop: no such timer: stopped before, returned, never accepted, or ended so
                            long ago that its place serves another one */
    TW_RUN_FULL = -1, /* start: the cap on pending timers is reached */
    TW_RUN_CLOSED = -2, /* start, shut: the service was shut before */
    TW_RUN_RANGE = -3,  /* start: due further away than the design can hold */
    TW_RUN_MEMORY = -4, /* open, start: no memory */
    TW_RUN_BAD_SETTING =
        -5,             /* open: the error says which setting, of the runner or of its design */
    TW_RUN_INSIDE = -6, /* shut: called from a task, which shut would wait for */
    TW_RUN_SYSTEM = -7  /* open: the system gave no thread; the error says why */
};

/* ---- Tasks. ----------------------------------------------------------------------------------- */

struct tw_service; /* each runner defines its own */
struct tw_seat;

/* What a task learns of its firing.  Together with the moment it reads itself at its beginning, lateness
 * splits without a rest:
 *
 *     due_ns --tick--> tick_ns --queue--> turn_ns --dispatch--> (the task begins) --run--> (its end)
 */
struct tw_firing {
    tw_timer timer;
    uint64_t due_ns;  /* when it was meant to run: as given; of a periodic one, that run's */
    uint64_t tick_ns; /* the first tick not before due_ns */
    uint64_t
        turn_ns; /* the tick on which the design fired it.  Later than tick_ns if the start waited in
                         a queue of the runner, or was due in the past when it was made */
};

/* Returns 0, or anything else for "failed".  seat is that of the thread which runs the task. */
typedef int tw_task_fn(struct tw_seat *seat, void *argument, const struct tw_firing *firing);

enum tw_repeat {
    TW_ONCE,
    TW_FIXED_RATE, /* run k is due at due_ns + k * period_ns.  What was missed is made up, run by run, one on
                      each tick */
    TW_FIXED_DELAY /* each run is due period_ns after the end of the one before */
};

/* A task as it is started; copied by start. */
struct tw_task {
    tw_task_fn *run;
    void *argument;
    uint64_t due_ns;    /* of the first run, on the runner's clock */
    uint64_t period_ns; /* 1 or more when repeated; not read for TW_ONCE */
    enum tw_repeat repeat;
};

/* shut calls this once for each timer that it gives back, in any order, in the thread that called shut. */
typedef void tw_return_fn(void *ctx, tw_timer timer, void *argument);

/* ---- Points. ---------------------------------------------------------------------------------- */

/* What the proved object calls at its points.  reach may sleep, yield or do nothing; it must not call the
 * runner.  passed counts the points that the seat has come through, so that (seed, number, passed) decides
 * the delay and a seed replays it thread by thread. */
struct tw_points {
    void (*reach)(void *ctx, uint32_t number, uint64_t passed, const char *name);
    void *ctx;
};

/* The head of every seat.  A runner makes it the first member of a seat of its own.  Written by the
 * seat's thread alone. */
struct tw_seat {
    struct tw_service *service;
    const struct tw_points *points; /* NULL: none */
    uint64_t passed;
    uint32_t number;  /* 0 .. threads-1 are the runner's own, those after are in order of enter */
    uint32_t in_task; /* 1 in the seat that a task gets */
};

#ifdef TW_PROVED
#define TW_RUNNER(runner) tw_##runner##_runner_proved
#define TW_RUNNER_POINT(seat, name)                                                                \
    ((seat)->points                                                                                \
         ? (seat)->points->reach((seat)->points->ctx, (seat)->number, (seat)->passed++, #name)     \
         : (void)0)
#else
#define TW_RUNNER(runner)           tw_##runner##_runner_timed
#define TW_RUNNER_POINT(seat, name) ((void)(seat))
#endif

/* ---- Opening. --------------------------------------------------------------------------------- */

struct tw_runner_config {
    const struct tw_backend *design; /* any but those with TW_REAL_CLOCK, which open refuses */
    const struct tw_setting *design_settings; /* the design's, given explicitly */
    size_t design_setting_count;
    uint64_t horizon_ns;  /* longest delay expected, a hint for the design; 0 = unknown */
    uint64_t tick_ns;     /* 0 = the runner's default: runner_tick_ns() */
    uint32_t threads;     /* of the runner's own, or shards; 0 = its default.  A runner
                                                  that has a fixed number ignores it and says so in describe */
    uint32_t capacity;    /* places for timers: 1 .. TW_CAPACITY_MAX */
    uint32_t max_pending; /* cap on accepted timers that have not ended; 0 = capacity;
                                                  never above it */
    const struct tw_setting *settings; /* the runner's own, of its params */
    size_t setting_count;
    const struct tw_points *points; /* NULL in the timed object, which has none */
};

/* How it was opened; the same as long as the service is. */
struct tw_runner_description {
    uint64_t tick_ns;
    uint32_t threads;     /* of the runner's own */
    uint32_t max_pending; /* the cap in force: also the design's "max-running", if that was given */
    uint32_t shards;      /* instances of the design */
    size_t setting_count;
    struct tw_setting settings[4];
    struct tw_description design; /* of the first instance */
};

/* ---- Statistics. ------------------------------------------------------------------------------ */

/* One row each, and the only list of them: name and meaning.  Sums over the runner's threads, except for
 * what is called the most or the longest.  Results have those of version 2 of this contract always, those after it
 * since then. */
#define TW_RUNNER_STATS(X) TW_RUNNER_STATS_2(X) TW_RUNNER_STATS_3(X)

#define TW_RUNNER_STATS_2(X)                                                                       \
    X(wakeups, "Times that a thread of the runner's came out of waiting.")                         \
    X(useful_wakeups, "Wake-ups after which at least one task ran.")                               \
    X(runs, "Tasks run, each run of a periodic one too.")                                          \
    X(failed, "Tasks that returned other than 0.")                                                 \
    X(transferred, "Timers moved from a queue of the runner's into a design.")                     \
    X(most_transferred, "Most timers that one tick moved from a queue into a design.")             \
    X(overslept_ticks, "Ticks processed after the next one had begun.")                            \
    X(stalled, "Starts that the design refused after the runner had accepted, and tries again.")   \
    X(longest_pause_ns, "Longest work of a driver before its next task or look at what is due, "   \
                        "since the last call of stats.")                                           \
    X(cpu_ns, "Processor time of the runner's threads, tasks included.")                           \
    X(pending, "Timers accepted and not ended yet.")                                               \
    X(own_bytes, "Memory of the runner itself: places, queues, seats.")                            \
    X(design_bytes, "Memory of its designs, by their footprint.")

#define TW_RUNNER_STATS_3(X)                                                                       \
    X(longest_work_ns, "Most processor time that a driver used in such a pause: less than the "    \
                       "pause where the system took the core from it, or it waited for a lock.")

struct tw_runner_stats {
#define TW_RUNNER_STATS_MEMBER(name, meaning) uint64_t name;
    TW_RUNNER_STATS(TW_RUNNER_STATS_MEMBER)
#undef TW_RUNNER_STATS_MEMBER
};

/* ---- The table.  Every hook is required unless it says otherwise. ----------------------------- */

enum tw_runner_flag {
    TW_RUNNER_TICKS = 1u << 0,      /* wakes on each tick, whether anything is due or not */
    TW_RUNNER_LATE_PLACE = 1u << 1, /* the place of a stopped timer comes back later, by itself */
    TW_RUNNER_SPLIT_CAP = 1u << 2,  /* the cap is split among shards: a start may be refused as full
                                      when another shard has room.  Never more than the cap pend */
    TW_RUNNER_CALLERS_DRIVE =
        1u << 3, /* what a seat started fires in its thread, while that is in wait;
                                          after leave, a thread of the runner's takes it over */
    TW_RUNNER_ONE_DISPATCH =
        1u << 4, /* one thread runs all tasks: a slow one delays those behind it */
    TW_RUNNER_OWN_TIMERS =
        1u << 5,               /* keeps its timers itself and takes no design: config.design NULL */
    TW_RUNNER_PURGES = 1u << 6 /* stopped timers keep their places until they are due, or purge, if
                                  a setting of the runner's does not say otherwise */
};

struct tw_runner {
    uint32_t abi_version; /* TW_RUNNER_ABI_VERSION */
    const char *name;     /* key on the command line and in results: "tick-queue" */
    const char *summary;  /* one line for `twbench list` */
    const char *after;    /* whose strategy it is, and the settings that make it so */
    unsigned flags;       /* of enum tw_runner_flag */
    uint64_t
        tick_ns; /* default tick; 0 = 1 us over a design that is TW_TICKLESS, 1 ms over another */
    const struct tw_param
        *params; /* its own settings; ends with a NULL name.  No name of a design's */

    /* Opens a service with its threads running.  On TW_RUN_OK sets *out; on any other answer leaves it
     * alone and fills *error.  Memory for all places is taken here.  config and all it points to
     * are the caller's again, except for the table of the design and points. */
    int (*open)(struct tw_service **out, const struct tw_runner_config *config,
                struct tw_error *error);
    /* A seat for the calling thread, or NULL without memory.  Any thread, any time before close, also
     * after shut. */
    struct tw_seat *(*enter)(struct tw_service *service);
    /* Gives the seat back.  Its timers stay as they are. */
    void (*leave)(struct tw_seat *seat);

    /* TW_RUN_OK and *timer set, or TW_RUN_FULL, _CLOSED, _RANGE, _MEMORY and *timer alone.  The task may
     * run before start returns; it has its name in the firing. */
    int (*start)(struct tw_seat *seat, const struct tw_task *task, tw_timer *timer);
    /* TW_RUN_STOPPED, exactly once for a timer, or _TOO_LATE or _IDLE.  Does not wait for a task that
     * runs.  A periodic timer is stopped even while it runs: that run is its last. */
    int (*stop)(struct tw_seat *seat, tw_timer timer);
    /* Returns at until_ns or soon after; at once when that has passed.  A caller that has nothing to do
     * sleeps here, and one that always has comes by often (TW_RUNNER_CALLERS_DRIVE).  Not in a task. */
    void (*wait)(struct tw_seat *seat, uint64_t until_ns);
    /* The moment by which the thread has to be in wait again, or something of its own is late; it may
     * have passed.  TW_DUE_MAX when it has nothing.  What it starts itself may change it, what others do makes
     * it no earlier.  So a thread that sleeps elsewhere, in epoll_wait, takes it for its timeout and then calls
     * wait with 0.  By the seat's thread, not in a task.  NULL unless TW_RUNNER_CALLERS_DRIVE. */
    uint64_t (*next)(struct tw_seat *seat);
    /* Forgets what stopped timers still hold, if TW_RUNNER_PURGES; else NULL.  Places given back. */
    uint32_t (*purge)(struct tw_seat *seat);

    /* TW_RUN_OK: no start is accepted from here on, no task begins after the return, tasks that ran have
     * ended, and `returned` was called for each timer that had neither fired nor been stopped.
     * TW_RUN_CLOSED: another call did or does it.  TW_RUN_INSIDE: nothing changed.  returned may
     * call stop, and may be NULL. */
    int (*shut)(struct tw_seat *seat, tw_return_fn *returned, void *ctx);
    /* Frees the service: after shut returned TW_RUN_OK and every seat has left. */
    void (*close)(struct tw_service *service);

    /* Any thread, any time; what still moves is read without a common moment.  After shut: exact. */
    void (*stats)(struct tw_service *service, struct tw_runner_stats *out);
    void (*describe)(struct tw_service *service, struct tw_runner_description *out);
    /* NULL, or the first broken invariant in words.  After shut only; calls check of the designs. */
    const char *(*check)(struct tw_service *service);
};

/* A runner as it is found: in the registry, or in a shared object. */
struct tw_runner_entry {
    uint32_t abi_version; /* TW_RUNNER_ABI_VERSION, again: read before anything behind it */
    const struct tw_runner *timed;  /* without points */
    const struct tw_runner *proved; /* the same source with TW_PROVED; or the timed one again */
};

/* A plugin that brings a runner defines this symbol, with the macro. */
extern const struct tw_runner_entry tw_runner_plugin;
#define TW_RUNNER_PLUGIN(timed_table, proved_table)                                                \
    const struct tw_runner_entry tw_runner_plugin = {TW_RUNNER_ABI_VERSION, &(timed_table),        \
                                                     &(proved_table)}

/* The tick that a runner counts in: as given, else its default. */
static inline uint64_t runner_tick_ns(const struct tw_runner *runner,
                                      const struct tw_runner_config *config)
{
    if (config->tick_ns > 0)
        return config->tick_ns;
    if (runner->tick_ns > 0)
        return runner->tick_ns;
    return config->design && config->design->traits.flags & TW_TICKLESS ? 1000 : 1000000;
}

#ifdef __cplusplus
}
#endif

#endif
