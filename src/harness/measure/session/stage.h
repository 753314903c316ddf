/*
 * stage.h - what a lab gives a session: another stage to play cells on, and a part of the plan to play.
 */
#ifndef TWBENCH_STAGE_H
#define TWBENCH_STAGE_H

#include "harness/measure/plan/plan.h"
#include "harness/measure/run/job_pool.h"
#include "harness/measure/session/setup.h"
#include "harness/tell/result/document.h"

struct stage_request {
    const struct setup *setup;
    const struct plan_cell *cells;
    const struct stream *stream;
    const size_t *chosen; /* which of the cells */
    size_t count;
    struct pool *pool; /* whose interruption ends it */
    struct progress *progress;
};

/* Plays cells elsewhere than in virtual time: on the real clock.  Each function gets `ctx`. */
struct stage {
    void *ctx;
    /* The stream of a load that is no workload; `stream` NULL: all are. */
    int (*stream)(void *ctx, const struct workload_request *request, struct stream **out,
                  struct diag *diag);
    /* Before the first group, and after the last or when the plan is replaced; `close` in any case. */
    int (*open)(void *ctx, const struct setup *setup, const struct plan_cell *cells, size_t count,
                struct diag *diag);
    void (*close)(void *ctx);
    /* What all cells take on the stream, in seconds, and that in words: "10k timers, longest delay 6500 s". */
    double (*estimate)(void *ctx, const struct setup *setup, const struct stream *stream,
                       size_t cells, char *words, size_t size);
    /* Runs the chosen cells.  Outcomes, by cell, get the status.  DIAG_OK; or POOL_INTERRUPTED, then the first *finished
     * of the chosen ones have had all their runs. */
    int (*run)(void *ctx, const struct stage_request *request, struct outcome *outcomes,
               size_t *finished);
    /* What the cell's object says beside what every cell says. */
    const struct cell_extra *(*extra)(const void *ctx, size_t cell);
};

/* Runs a part of a plan: a shard. */
struct part {
    void *ctx;
    /* Leaves the plan its groups; `seconds` is the estimate of each group. */
    int (*keep)(void *ctx, const struct setup *setup, struct plan *plan, const double *seconds,
                struct diag *diag);
    void (*close)(void *ctx);
    /* The key "shard" of the document, the part's own; and whether a document can be gone on with. */
    const cJSON *(*record)(const void *ctx);
    int (*check)(const void *ctx, const struct result_document *document, const char *path,
                 struct diag *diag);
    /* What each part of the whole plan takes, on stdout. */
    void (*print)(const void *ctx);
};

#endif
