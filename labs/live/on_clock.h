/*
 * on_clock.h - runs cells that have a runner, on the real clock.
 */
#ifndef TWBENCH_ON_CLOCK_H
#define TWBENCH_ON_CLOCK_H

#include "harness/measure/plan/plan.h"
#include "harness/measure/run/job_pool.h"
#include "harness/measure/session/setup.h"
#include "labs/live/clock_record.h"

/* The outcome of each cell of a plan; all NULL without runners. */
struct on_clock {
    struct clock_wishes *wishes; /* the setup's, with the cell's tick; by cell */
    struct clock_record *records;
    struct clock_report *reports;
    cJSON *
        *documents; /* of the cells that an original ran: what its driver said in the last round */
    cJSON **rounds; /* of each cell the figures of its runs, an array */
    size_t count;
};

/* Room for that many cells, which stay where they are; DIAG_RUN without memory.  on_clock_free in any case. */
int on_clock_open(struct on_clock *on_clock, const struct setup *setup,
                  const struct plan_cell *cells, size_t count, struct diag *diag);
/* Empty afterwards. */
void on_clock_free(struct on_clock *on_clock);

struct on_clock_request {
    const struct setup *setup;
    const struct plan_cell *cells;
    const struct stream *stream;
    const size_t *chosen; /* which of the cells */
    size_t count;
    struct pool *pool; /* whose interruption ends it */
};

/* Runs the chosen cells in setup->runs rounds, each cell once in a round, and adds their rounds up.  Outcomes, by
 * cell, get the status; what else came of a cell is in its record.  DIAG_OK or POOL_INTERRUPTED. */
int on_clock_run(struct on_clock *on_clock, const struct on_clock_request *request,
                 struct outcome *outcomes);

#endif
