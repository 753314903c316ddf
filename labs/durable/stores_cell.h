/* stores_cell.h - a cell of the stores document: one store under one policy and load, sums and samples of its runs. */
#ifndef TWBENCH_STORES_CELL_H
#define TWBENCH_STORES_CELL_H

#include "labs/durable/drive/durable_run.h"

#include <cjson/cJSON.h>

/* A figure that a run of a store is measured by; the key is that of the document. */
struct store_figure {
    const char *key, *unit, *meaning;
    bool more_is_better;
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

/* Adds a run: the ledger is summed, a sample of each figure added, the worst status kept. */
void stores_cell_add(cJSON *cell, const struct durable_request *request,
                     const struct durable_report *report);
/* A store that is not here, with the reason. */
void stores_cell_leave_out(cJSON *cell, const char *reason);

/* Is it one that makes the exit status 1? */
bool stores_cell_failed(const cJSON *cell);

#endif
