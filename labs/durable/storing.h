/*
 * storing.h - runs stores side by side on durable loads, and makes the document of it.
 */
#ifndef TWBENCH_STORING_H
#define TWBENCH_STORING_H

#include "harness/measure/session/setup.h"
#include "labs/durable/drive/durable_run.h"
#include "labs/durable/stores/store_modules.h"

#include <cjson/cJSON.h>

#define STORING_LIST_MAX 16

struct storing_sync {
    enum tw_sync_policy policy;
    uint32_t interval_ms; /* of TW_SYNC_INTERVAL */
};

struct storing_request {
    const struct setup
        *setup; /* command line, seed, runs, json, resume, progress, budget, memory */
    const struct store_row *stores[STORING_LIST_MAX];
    size_t store_count;
    struct storing_sync syncs[STORING_LIST_MAX];
    size_t sync_count;
    uint64_t tasks[STORING_LIST_MAX], producers[STORING_LIST_MAX], batches[STORING_LIST_MAX];
    size_t task_count, producer_count, batch_count;
    struct durable_load load; /* all but tasks and seed */
    bool span_given;          /* else a store with a real clock gets a span of seconds */
    double rate;
    bool real_time, no_tend, no_drain, is_cold;
    uint64_t kills;
    const char *directory;                            /* on the disk that is measured */
    struct tw_setting settings[DURABLE_SETTINGS_MAX]; /* each for the stores that have it */
    size_t setting_count;
};

/* What a load is unless it is asked otherwise: the delays of the workload delay-message, ten days at most; one message
 * in fifty cancelled, one in ten due at an hour's turn, payloads of 100 bytes. */
struct durable_load storing_default_load(void);

/* Runs all cells, round by round over the stores, and writes the document to setup->json after each run.  The document is
 * the caller's.  DIAG_OK; STORING_INTERRUPTED, with a document of what was run until then; or another status without
 * one. */
#define STORING_INTERRUPTED 1
int storing_run(const struct storing_request *request, cJSON **document, struct diag *diag);

/* Cells that make the exit status 1. */
size_t storing_count_failed(const cJSON *document);

/* Reads a stores document; "-" is stdin.  DIAG_USAGE when it is none. */
int storing_load(const char *path, cJSON **document, struct diag *diag);

#endif
