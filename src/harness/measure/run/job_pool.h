/* job_pool.h - runs jobs in child processes: one each, with a core, a time budget and a memory bound.
 *
 * A child inherits the stream by fork, writes its report into shared memory and exits; whatever it does - crash, hang, eat
 * memory - becomes a status with a reason, and the parent goes on.  Children die with it.  No two ever share a core.
 */
#ifndef TWBENCH_JOB_POOL_H
#define TWBENCH_JOB_POOL_H

#include "harness/base/clock.h"
#include "harness/base/interrupt.h"
#include "harness/measure/run/job.h"

#include <sched.h>

struct pool_bounds {
    uint64_t budget_ns;    /* of one child: processor time; wall time where it sleeps */
    uint64_t memory_bytes; /* address space on top of what the parent has mapped; 0: no limit */
};

struct pool; /* the slots, their shared memory and the signals that interrupt */

/* `cpus` cores, one child on each; cpus[i] < 0 leaves a child unpinned (then count must be 1).
 * While a pool is open SIGINT and SIGTERM are blocked and read by pool_run. */
int pool_open(struct pool **out, const int *cpus, size_t count, const struct pool_bounds *bounds,
              struct diag *diag);
/* Gives the signals back and frees the pool; no job may be under way. */
void pool_close(struct pool *pool);
/* Another budget for the children that begin from now on. */
void pool_set_budget(struct pool *pool, uint64_t budget_ns);
/* When everything has to be done, whatever the children have left of their budgets. */
void pool_set_deadline(struct pool *pool, struct deadline deadline);
/* Called in the parent as each job ends, in the order in which they end. */
typedef void pool_done_fn(void *ctx, const struct job *job, const struct job_report *report);

#define POOL_INTERRUPTED 1

/* Runs the jobs in order, as many at a time as there are cores.  DIAG_OK, POOL_INTERRUPTED or
 * DEADLINE_OVER (the running children were killed; their jobs are not reported) or DIAG_RUN. */
int pool_run(struct pool *pool, const struct job *jobs, size_t count, pool_done_fn *done, void *ctx,
             struct diag *diag);

/* For who asks whether one has come, or waits for something else than the pool; as long as the pool is open. */
const struct interrupt *pool_interrupt(const struct pool *pool);

#endif
