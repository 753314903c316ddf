/*
 * performance.h - one run while it goes on: the service, the accounts, and a book for each thread.
 */
#ifndef TWBENCH_PERFORMANCE_H
#define TWBENCH_PERFORMANCE_H

#include "harness/base/rng.h"
#include "labs/live/clock/ledger.h"
#include "labs/live/clock/score.h"
#include "labs/live/runners/moment.h"

/* Seats that a run may have: those of the runner's threads, the producers' and one for whoever shuts. */
#define PERFORMANCE_SEATS (4 * CLOCK_THREADS_MAX)

struct performance {
    const struct clock_request *request;
    const struct tw_runner *runner;
    struct tw_service *service;
    struct account *accounts;
    size_t account_count;
    struct book *books;        /* by the number of the seat */
    struct score score;        /* of a paced load */
    double tick_ns;            /* of the stream, at the speed asked for */
    uint64_t origin_ns;        /* the moment of the load's tick 0 */
    uint64_t end_ns;           /* nothing is started again for later than this; 0: no restarts */
    uint64_t clock_cost_ns;    /* of two looks at the clock, to be subtracted */
    uint64_t longest_pause_ns; /* of the runner's drivers since the window began */
    uint64_t longest_work_ns;  /* the same */
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
