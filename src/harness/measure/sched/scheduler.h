/* scheduler.h - schedules one-shot and periodic tasks over any design, on the virtual clock.
 *
 * A design knows timers: an id, a deadline, one expiry.  What people schedule are tasks: they come
 * again, take time, and come late when another one took too much of it.  This layer makes
 * the ones out of the others, in the words of java.util.concurrent.ScheduledThreadPoolExecutor:
 *
 *     SCHEDULE_ONCE              one run, `delay` from now
 *     SCHEDULE_AT_FIXED_RATE     run k is due at t0 + k * period, t0 being the first run's tick
 *     SCHEDULE_WITH_FIXED_DELAY  each run is due `period` after the end of the one before
 *
 * ONE DISPATCH THREAD, simulated.  Runs are made one after the other, the earliest due first, those
 * due on the same tick in the order in which they were armed.  A run takes as many ticks as its
 * callback answers; meanwhile the clock goes on in one jump, and what becomes due waits until the
 * thread is free.  Its lateness is start - due.  A run of 0 ticks is one shorter than a tick.
 *
 * LATE CATCH-UP.  When a run at a fixed rate ends after the next one was due, the late ones are
 *
 *     SCHEDULE_BURST  made all the same, as soon as the thread is free, until the rate is kept again:
 *                     what the JDK does (scheduleAtFixedRate)
 *     SCHEDULE_SKIP   left out and counted as missed; the next one is the first of t0 + k * period
 *                     that is not yet over: overruns of POSIX (timer_getoverrun), hrtimer_forward of
 *                     Linux, tickers of Go
 *
 * A fixed delay has nothing to catch up with.
 *
 * THE DESIGN holds those that wait, one timer each, and is moved by next(): what is due already is
 * never started, because the contract would make it fire a tick late.  Its own lateness, where it
 * declares some, is part of the lateness seen here.  All exact designs give the same runs, at the
 * same ticks, in the same order.
 *
 * COST.  Adding and each run: one start of the design and O(log of the ready tasks).  Memory: some
 * 100 bytes per task of the capacity.
 */
#ifndef TWBENCH_SCHEDULER_H
#define TWBENCH_SCHEDULER_H

#include "impls/backend.h"

struct scheduler;

/* When a task comes again, and what is done with runs that are late; as above. */
enum schedule_kind { SCHEDULE_ONCE, SCHEDULE_AT_FIXED_RATE, SCHEDULE_WITH_FIXED_DELAY };
enum schedule_catch_up { SCHEDULE_BURST, SCHEDULE_SKIP };

/* `times` of a task that never ends by itself. */
#define SCHEDULE_FOR_EVER UINT64_MAX

/* A run that begins now. */
struct schedule_run {
    tw_id id;
    tw_tick due;     /* when it should have begun */
    tw_tick start;   /* when it begins: scheduler_now() */
    uint64_t number; /* 1 for the first run of the task */
    uint64_t missed; /* runs of this task left out so far */
};

/* The work of a task.  It may add tasks, but not advance or close.  Answers how many
 * ticks it took. */
typedef uint64_t schedule_run_fn(void *ctx, struct scheduler *scheduler,
                                 const struct schedule_run *run);

/* What is asked for. */
struct schedule {
    unsigned kind;     /* enum schedule_kind */
    unsigned catch_up; /* enum schedule_catch_up, at a fixed rate */
    uint64_t delay;    /* ticks from now to the first run; 0 is rounded up to 1 */
    uint64_t period;   /* ticks, >= 1: the rate's, or from an end to the next start */
    uint64_t times; /* runs, >= 1, or SCHEDULE_FOR_EVER; SCHEDULE_ONCE: 1, whatever stands here */
    schedule_run_fn *run;
    void *ctx;
};

/* Below 0: refused, and nothing changed. */
enum scheduler_status {
    SCHEDULER_OK = 0,
    SCHEDULER_ROUNDED_UP =
        1, /* added, but a delay below one tick cannot be honoured: it is 1 now */
    SCHEDULER_SHORT_PERIOD = -1, /* a period below one tick */
    SCHEDULER_NO_TIMES = -2,     /* 0 runs */
    SCHEDULER_FULL = -3,         /* as many tasks as the capacity already */
    SCHEDULER_REFUSED =
        -4, /* the design refused the start: beyond its span, its cap or its memory */
};

/* Counts of all runs since open. */
struct scheduler_totals {
    uint64_t runs;
    uint64_t missed;    /* left out by SCHEDULE_SKIP */
    uint64_t late_runs; /* begun after they were due */
    uint64_t late_max_ticks;
    double late_mean_ticks; /* over all runs; 0 without any */
    uint64_t busy_ticks;    /* of the thread */
    uint64_t refused;       /* tasks that ended because the design refused their next start */
};

/* A scheduler of at most `capacity` tasks over an open instance of `design` with the same capacity or
 * more, nothing running and its clock at `now`.  The instance stays the caller's, who closes it after
 * the scheduler and leaves its timers alone meanwhile.  NULL when there is no memory. */
struct scheduler *scheduler_open(const struct tw_backend *design, struct tw_timers *timers,
                                 uint32_t capacity, tw_tick now);
/* Stops what waits; callbacks are not called.  NULL is fine. */
void scheduler_close(struct scheduler *scheduler);

/* Adds a task; *id (may be NULL) is set when it was added, and is its own until it ends.  As long as
 * none has ended, ids are 0, 1, 2, ... in the order of the calls. */
enum scheduler_status scheduler_add(struct scheduler *scheduler, const struct schedule *schedule,
                                    tw_id *id);

/* Makes all runs that begin at or before `to`.  The last of them may end later: the clock is at `to`,
 * or at its end. */
void scheduler_advance(struct scheduler *scheduler, tw_tick to);
tw_tick scheduler_now(const struct scheduler *scheduler);
struct scheduler_totals scheduler_totals(const struct scheduler *scheduler);

#endif
