/*
 * limit_rounds.h - all limits, measured side by side.
 *
 * In each round every point is sampled once by a fresh process of the pool, in an order shuffled anew, so that a drift of
 * the machine falls on all alike.  A point that fails once is not tried again.
 */
#ifndef TWBENCH_LIMIT_ROUNDS_H
#define TWBENCH_LIMIT_ROUNDS_H

#include "harness/measure/run/job_pool.h"
#include "labs/advise/limits/limit_sample.h"

struct limit_result {
    struct limit_point point;
    enum outcome_status status;
    char reason[OUTCOME_COUNTERS_REASON]; /* empty when ok */
    size_t sample_count;
    double samples_ns[OUTCOME_SAMPLES_MAX]; /* per operation, one for each process */
    uint64_t retaken, slow;                 /* stretches of all samples */
    /* The least of all samples; not of LIMIT_NULL_CALL and LIMIT_BRANCH_MISS. */
    bool pages_known;
    uint64_t touched_bytes, huge_bytes;
};

struct limit_progress {
    size_t done, total; /* samples */
};
typedef void limit_progress_fn(void *ctx, const struct limit_progress *progress);

struct limit_request {
    uint64_t runs; /* 1 .. OUTCOME_SAMPLES_MAX */
    uint64_t seed; /* of which node is where, and of the order of the points */
    const struct cycles *cycles;
    double pace_ns;
    uint64_t patience_ns;
    /* Of the null calls: the cell, and a stream for each number of tasks that a point of them has. */
    const struct plan_cell *null_cell;
    struct stream *const *streams;
    size_t stream_count;
    uint64_t min_time_ns; /* work of one sample of them; see group_passes */
    limit_progress_fn *progress;
    void *progress_ctx;
};

/* Measures results[0 .. count), whose points are given and the rest zero.  The permutations that say which node is where are
 * kept meanwhile: 4 bytes for each node of each number of tasks.  DIAG_OK, POOL_INTERRUPTED - what was sampled until
 * then is there - or DIAG_RUN. */
int limit_rounds_run(struct pool *pool, const struct limit_request *request,
                     struct limit_result *results, size_t count, struct diag *diag);

#endif
