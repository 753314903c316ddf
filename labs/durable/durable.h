/*
 * durable.h - what the parts of the lab have in common: pages, pictures, cells and runs of stores.
 */
#ifndef TWBENCH_DURABLE_H
#define TWBENCH_DURABLE_H

#include "harness/command/command.h"
#include "harness/measure/session/setup.h"
#include "harness/tell/report/documents.h"
#include "harness/tell/report/plot.h"
#include "labs/durable/drive/durable_run.h"
#include "labs/durable/stores/store_modules.h"

#include <cjson/cJSON.h>

/* conform is that of stores: `conform --store`. */
extern const struct command cmd_stores, cmd_conform_stores;

/* --store-set and --directory, of a struct storing_request. */
#define STORE_FLAG_COUNT 2
extern const struct flag store_flags[STORE_FLAG_COUNT];

/* Prints every file, record and head of a wheel-log; the rest as stores_list. */
int stores_dump(const char *directory, bool *damaged, struct diag *diag);

/* Prints what is pending in the directory of a wheel-log, in the order of dispatch, and writes it as JSON to a file, "-" or NULL
 * (schema/stores-pending-1.json).  Changes nothing.  DIAG_USAGE, with file and reason, if it is none; *damaged: some of it
 * was named on stderr (stores_files.c).  40 bytes of memory for each message that the log has. */
int stores_list(const char *directory, const char *json, bool *damaged, struct diag *diag);

/* DIAG_USAGE when it is no document of stores that readers here can rely on. */
int stores_check(const cJSON *root, const char *what, struct diag *diag);

void page_stores(struct page *page, const cJSON *document); /* docs/STORES.md */

/* The picture of a stores document whose figures are known, for stores.gp: stores-puts.
 *
 * Block 0 has further "categories" and how many there are.  A block per panel, that is, number of producers and batch: title,
 * unit, names of the series (stores); then a category (policy) and of each series median, low, high. */
void stores_pictures(const cJSON *document, struct pictures *out);

/* ---- Stores cell (stores_cell.c). ------------------------------------------------------------- */

/* A cell of the stores document: one store under one policy and load, sums and samples of its runs. */

/* A figure that a run of a store is measured by; the key is that of the document. */
struct store_figure {
    const char *key, *unit, *meaning;
};

/* All of them, in the order in which a table shows them. */
extern const struct store_figure store_figures[];
extern const size_t store_figure_count;

/* A cell without a run. */
cJSON *stores_cell_new(const char *store, const struct durable_request *request);

/* Is it the cell of this store and request? */
bool stores_cell_is(const cJSON *cell, const char *store, const struct durable_request *request);

/* How many runs are in it; what ends as absent or unsupported needs no more. */
size_t stores_cell_runs(const cJSON *cell);
bool stores_cell_is_final(const cJSON *cell);

/* Adds a run: the ledger is summed, a sample of each figure added, the worst status kept.  is_next: it is a further load of the
 * run before, for kills that did not come. */
void stores_cell_add(cJSON *cell, const struct durable_request *request,
                     const struct durable_report *report, bool is_next);
/* A store that is not here, with the reason. */
void stores_cell_leave_out(cJSON *cell, const char *reason);

/* Is it one that makes the exit status 1? */
bool stores_cell_failed(const cJSON *cell);

/* ---- Runs stores side by side on durable loads, and makes the document of it (storing.c). ----- */

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
    uint64_t tasks[STORING_LIST_MAX] /* 0: what two seconds of syncs allow */,
        producers[STORING_LIST_MAX], batches[STORING_LIST_MAX];
    size_t task_count, producer_count, batch_count;
    struct durable_load load; /* all but tasks and seed */
    bool span_given;          /* else a store with a real clock gets a span of seconds */
    double rate;
    unsigned real_time; /* or the virtual clock */
    bool no_drain, is_cold;
    uint64_t kills, group_memory_bytes;               /* 0: no group */
    const char *directory;                            /* on the disk that is measured */
    struct tw_setting settings[DURABLE_SETTINGS_MAX]; /* each for the stores that have it */
    size_t setting_count;
};

/* What a load is unless it is asked otherwise: the delays of the workload delay-message, ten days at most; one message
 * in fifty cancelled, one in ten due at an hour's turn, payloads of 100 bytes. */
struct durable_load storing_default_load(void);

/* Makes a folder in the directory `where`, for the files of one call.  DIAG_OK, or DIAG_USAGE with --directory. */
int storing_make_root(const char *where, char root[PATH_MAX], struct diag *diag);

/* Runs all cells, round by round over the stores, and writes the document to setup->json after each run.  The document is
 * the caller's.  DIAG_OK; STORING_INTERRUPTED, with a document of what was run until then; or another status without
 * one. */
#define STORING_INTERRUPTED 1
int storing_run(const struct storing_request *request, cJSON **document, struct diag *diag);

#endif
