/*
 * performance.h - one run while it goes on: the service, the accounts, and a book for each thread.
 */
#ifndef TWBENCH_PERFORMANCE_H
#define TWBENCH_PERFORMANCE_H

#include "harness/base/rng.h"
#include "labs/live/clock/clock_run.h"
#include "labs/live/runners/moment.h"

#include <stdatomic.h>

/* ---- The account of every timer (ledger.c): accepted = ran + stopped + returned, each exactly once.
 *
 * Each id of the load has an account.  A start that was accepted adds a hash of the timer's name, and each of
 * the three ends subtracts it.  At the end it is 0 exactly when every name ended once: a timer that fires
 * twice, or fires and is also stopped, leaves a remainder, and so does one that is lost. */

struct performance;

struct account {
    struct performance *performance;
    _Atomic uint64_t timer;   /* the last one accepted, for stop; 0: none */
    _Atomic uint64_t balance; /* sum of hashes: accepted less ended */
    bool is_periodic;         /* a run is no end of it; set before its start, by the same thread */
};

/* A cache line: what different threads write lies so far apart. */
#define LEDGER_APART 64

/* What one thread did, producer or not; it alone writes here. */
struct book {
    struct clock_ledger ledger;
    struct clock_times times;
    uint64_t operations;
    uint64_t last_ran_ns; /* when its last task began */
    char apart[LEDGER_APART];
};

static inline uint64_t ledger_hash(tw_timer timer)
{
    uint64_t h = (timer + UINT64_C(0x9e3779b97f4a7c15)) * UINT64_C(0xbf58476d1ce4e5b9);
    h = (h ^ (h >> 32)) * UINT64_C(0x94d049bb133111eb);
    return h ^ (h >> 29);
}

static inline void ledger_accept(struct account *account, tw_timer timer)
{
    atomic_fetch_add_explicit(&account->balance, ledger_hash(timer), memory_order_relaxed);
    atomic_store_explicit(&account->timer, timer, memory_order_relaxed);
}

static inline void ledger_end(struct account *account, tw_timer timer)
{
    atomic_fetch_sub_explicit(&account->balance, ledger_hash(timer), memory_order_relaxed);
}

/* Adds counts to counts, histograms to histograms; for the books of several threads or runs. */
void ledger_add(struct clock_ledger *into, const struct clock_ledger *from);
void ledger_add_times(struct clock_times *into, const struct clock_times *from);

/* Sets end and reason when the ledger does not add up, a timer was early, or an account has a remainder. */
void ledger_judge(const struct account *accounts, size_t count, struct clock_report *report);

/* ---- A stream as parts to play (score.c): each producer's operations with the ticks that they are meant for.  The ids
 * are dealt out, so that all operations of one timer are one thread's, in their order. */

/* A start or a stop. */
struct score_operation {
    uint64_t tick;     /* of the stream, at which it is meant to happen */
    uint64_t deadline; /* of a start, in ticks of the stream */
    uint32_t id;
    uint32_t is_start;
};

/* What one producer plays, in order of tick. */
struct score_part {
    struct score_operation *operations;
    size_t count;
};

/* What all of them play. */
struct score {
    struct score_part *parts;
    uint32_t part_count;
    uint64_t ticks;                           /* the length of what is played */
    uint64_t phase_begins[STREAM_PHASES_MAX]; /* first tick of each phase */
    const struct stream *stream;
};

/* What the stream has up to tick `last`; SCORE_ALL: the whole of it.  False without memory.  score_free in any case.
 * The stream outlives the score. */
#define SCORE_ALL UINT64_MAX
bool score_make(struct score *score, const struct stream *stream, uint32_t parts, uint64_t last);

/* The last tick of that stretch of the stream, at that speed; SCORE_ALL for a stretch of 0, which is none. */
uint64_t score_last(const struct stream *stream, double speed, uint64_t stretch_ns);
/* The stream stays. */
void score_free(struct score *score);

/* The phase that a tick belongs to. */
const struct stream_phase *score_phase(const struct score *score, uint64_t tick);

/* ---- Slack (windows.c): what a load allows its timers, for a design that takes it. */

struct windows {
    const struct tw_backend *design;
    const struct tw_slack *within;
    uint64_t tick_ns; /* of the runner */
    uint64_t ticks;   /* of slack, in those, for every timer */
    uint32_t shift;   /* and its delay >> shift on top; 0: nothing */
    uint64_t (*now_ns)(void);
};

/* The table for a runner to open instead of the design's.  One for the process: the next call replaces it. */
const struct tw_backend *windows_grant(const struct windows *windows);
/* Timers that the design fired on a tick past their windows, since then.  How late a wake-up is, is not its fault. */
uint64_t windows_past(void);

/* ---- The run. -------------------------------------------------------------------------------- */

/* Seats that a run may have: those of the runner's threads, the producers' and one for whoever shuts. */
#define PERFORMANCE_SEATS (4 * CLOCK_THREADS_MAX)

struct performance {
    const struct clock_request *request;
    const struct tw_runner *runner;
    struct tw_service *service;
    struct account *accounts;
    size_t account_count;
    struct book *books;          /* by the number of the seat */
    struct score score;          /* of a paced load */
    double tick_ns;              /* of the stream, at the speed asked for */
    uint64_t origin_ns;          /* the moment of the load's tick 0 */
    bool grants;                 /* the design takes the load's slack */
    uint64_t end_ns;             /* nothing is started again for later than this; 0: no restarts */
    uint64_t clock_cost_ns;      /* of two looks at the clock, to be subtracted */
    uint64_t longest_pause_ns;   /* of the runner's drivers since the window began */
    uint64_t longest_work_ns;    /* the same */
    const _Atomic uint32_t *cut; /* not 0: end before the load's time */
    _Atomic uint64_t tasks_begun;
    _Atomic uint32_t over;     /* the conductor has seen the end */
    pthread_barrier_t barrier; /* of the producers and the conductor */
    bool abandoned;            /* threads are left that still use all of this */
};

struct producer {
    struct performance *performance;
    struct tw_seat *seat;
    struct book *book;
    struct rng rng;
    uint32_t number;
    uint32_t calls; /* to time one of some */
    char apart[LEDGER_APART];
};

/* What loads do with it: prepare before the window, play within. */
typedef void performance_fn(struct producer *producer);

/* How the two calls are made by a producer.  With `timed`, how long the call took is noted. */
void performance_start(struct producer *producer, uint32_t id, uint64_t due_ns, bool timed);
/* Stops what was started last for this id; does nothing when that has been stopped. */
void performance_stop(struct producer *producer, uint32_t id, bool timed);

static inline bool is_cut(const struct performance *performance)
{
    return atomic_load_explicit(performance->cut, memory_order_relaxed) != 0;
}

/* Waits in the runner until then, or until the run is told to end; seat NULL: outside of the runner. */
void performance_wait(const struct performance *performance, struct tw_seat *seat, uint64_t until);

/* The moment of a tick of the stream. */
static inline uint64_t performance_moment(const struct performance *performance, uint64_t tick)
{
    double since = (double)tick * performance->tick_ns;
    return since < 9e18 ? moment_after(performance->origin_ns, (uint64_t)since) : TW_DUE_MAX;
}

/* ---- Loads (loads.c). ------------------------------------------------------------------------ */

struct load {
    performance_fn *prepare; /* before the window; NULL: nothing */
    performance_fn *play;    /* NULL: nothing */
    /* Whether the run waits after the last operation until this moment, or until all timers have ended. */
    uint64_t (*until)(const struct performance *performance);
    bool all_run;
};

/* The table's row of that load; constant. */
const struct load *load_of(enum clock_load load);

#endif
