/*
 * cell.h - one cell of the result document: the request and the outcome, as JSON.
 */
#ifndef TWBENCH_CELL_H
#define TWBENCH_CELL_H

#include "harness/measure/plan/plan.h"

#include "harness/measure/run/outcome.h"
#include "harness/measure/workload/stream.h"

#include <cjson/cJSON.h>

/* What a lab that plays cells elsewhere than in virtual time adds to their objects. */
struct cell_extra {
    const void *ctx;
    /* What of it makes a cell another experiment: "runner=locked threads=2" */
    void (*identity)(char *out, size_t size, const void *ctx);
    /* The settings that tell cells of one table apart. */
    void (*params)(cJSON *params, const void *ctx);
    /* The keys of its figures. */
    void (*add)(cJSON *cell, const void *ctx);
};

/* Which experiment a cell is; workload, tasks, tick and seed come from its stream. */
struct cell_identity {
    const char *impl;
    const struct tw_traits *traits;
    bool takes_slack; /* it is late by the stream's slack, then, and not by its traits */
    const struct tw_setting *settings; /* asked for; the resolved ones are in the outcome */
    size_t setting_count;
    enum plan_drive drive;
    enum plan_pages pages;
    uint32_t batch;        /* 0: nobody asked */
    uint32_t between;      /* as in struct plan_cell */
    uint64_t runs, warmup; /* samples asked for (0: counts only), passes thrown away before */
    bool same_pass;        /* every pass is to replay the same operations */
    bool rename;           /* of a trace: passes are to differ in the ids, however long it is */
    uint64_t max_pending;  /* cap on pending timers; 0: none */
    uint64_t budget_ns;    /* time the cell may take; 0: no limit */
    uint64_t memory_limit_bytes; /* 0: no limit */
    int pin_cpu;                 /* below 0: not pinned */
    const struct outcome
        *harness; /* null, measured beside it in the same way: is taken off; NULL: nothing is */
    const struct cell_extra *extra; /* of a cell that a lab played; NULL: virtual time */
};

/* Enough for four settings of TW_VALUES_MAX values. */
#define CELL_IDENTITY_SIZE 2048

/* What makes two cells the same experiment, as one line for people and for strcmp: design and
 * settings asked for, the stream with its hash, how it was sampled.  Not the limits: see
 * result_has_cell. */
void cell_identity_text(char *out, size_t size, const struct cell_identity *identity,
                        const struct stream *stream);

/* The cell object, owned by the caller. */
cJSON *cell_make(const struct cell_identity *identity, const struct stream *stream,
                 const struct outcome *outcome, double harness_ns_per_op);

/* Adds the figures that results of older versions lack and that follow from others: memory.peak_bytes_per_task.
 * `cell` keeps the shape of a cell (document.h). */
void cell_complete(cJSON *cell);

#endif
