/* session.h - runs plans and collects their cells in one document.
 *
 * A session has the children, the clock and the document; plans come and go.  The document is written
 * after every group; whatever happens afterwards, the file on the disk is a valid result with every cell
 * that was finished.
 */
#ifndef TWBENCH_SESSION_H
#define TWBENCH_SESSION_H

#include "harness/measure/run/job_pool.h"
#include "harness/measure/session/progress.h"
#include "harness/measure/session/stage.h"
#include "harness/tell/result/document.h"

/* Called after each group, for each cell of the plan, with the `identity` that its cell in the document
 * has: whether it was run just now or was there already. */
typedef void session_named_fn(void *ctx, const struct plan_group *group,
                              const struct plan_cell *cell, const char *identity);

struct session {
    const struct setup *setup; /* of the plan */
    struct plan plan;
    struct plan_cell *cells; /* the plan's, and null behind them unless it is among them */
    size_t cell_count;
    struct outcome *outcomes;
    bool *hopeless; /* by cell: over its time at fewer tasks of the same workload */
    struct pool *pool;
    int cpu; /* of the first child; below 0: unpinned */
    struct cycles cycles;
    double pace_ns; /* the core's full pace (pace.h); 0: not waited for */
    char counters_reason[OUTCOME_COUNTERS_REASON]; /* why none are read; "" when they are */
    struct deadline deadline; /* of all, streams too; the caller's, before session_open */
    struct result_document *document;
    struct stream *kept; /* the last one made, in case it is asked for again; and which it is */
    char *kept_key;
    struct progress progress; /* the caller's to begin */
    char span[200];           /* of the stage's last estimate, its words */
    session_named_fn *named;  /* may be NULL */
    void *named_ctx;
};

/* All of a session that is zero is closed.  These can be called in either order: */

/* Replaces the plan.  Everything about the streams comes from `setup`, which must outlive the plan,
 * as must what the selection points to.  A small stream of each workload is made and thrown away: a
 * mistake in the third workload should not cost the time of the first two. */
int session_plan(struct session *session, const struct setup *setup,
                 const struct plan_selection *selection, struct diag *diag);
/* The same for exactly these cells on one stream; nothing is made beforehand. */
int session_plan_cells(struct session *session, const struct setup *setup,
                       const struct plan_group *group, const struct plan_cell *cells, size_t count,
                       struct diag *diag);
/* The group's stream under the plan's setup; the session's, until it makes another one.  DEADLINE_OVER
 * when it is not whole by the session's deadline, or after four budgets of a child in processor time. */
int session_stream(struct session *session, const struct setup *setup,
                   const struct plan_group *group, struct stream **out, struct diag *diag);
/* Opens the pool, tries the counters, begins the document or, with --resume, loads it.  session_close
 * in any case. */
int session_open(struct session *session, const struct setup *setup, struct diag *diag);
/* Closes the pool, and frees document, plan and stream. */
void session_close(struct session *session);

/* Of the plan's groups, in the unit of progress_begin. */
double session_weight(const struct session *session);
/* About how long session_run takes for all of the plan with nothing done before, at 10 ns per operation: seconds.  Makes
 * small streams, and whole ones of traces, and runs nothing. */
int session_estimate(struct session *session, double *seconds, struct diag *diag);
/* Runs what the document lacks of the plan, each child within the budget of the plan's setup.  Without a
 * deadline a group whose stream takes too long is named in "left_out" of the document.  DIAG_OK,
 * POOL_INTERRUPTED or another status. */
int session_run(struct session *session, struct diag *diag);

#endif
