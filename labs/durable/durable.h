/* durable.h - the commands of the lab, what its documents must have, their pages and pictures. */
#ifndef TWBENCH_DURABLE_H
#define TWBENCH_DURABLE_H

#include "harness/command/core_commands.h"
#include "harness/tell/report/documents.h"
#include "harness/tell/report/plot.h"
#include "labs/durable/storing.h"

/* conform and compare are those of stores: `conform --store`, and `compare` of documents of stores. */
extern const struct command cmd_stores, cmd_store, cmd_conform_stores, cmd_compare_stores;

/* --store-set and --directory, of a struct storing_request. */
#define STORE_FLAG_COUNT 2
extern const struct flag store_flags[STORE_FLAG_COUNT];

/* DIAG_USAGE when it is no document of stores that readers here can rely on. */
int stores_check(const cJSON *root, const char *what, struct diag *diag);

void page_stores(struct page *page, const cJSON *document);            /* docs/STORES.md */
void page_stores_comparison(struct page *page, const cJSON *document); /* the same page */

/* The pictures of a stores document whose figures are known, for stores.gp and recovery.gp.
 *
 * Block 0 has further "categories" and how many there are.  A block per panel: title, unit, names of the series; then a
 * category and of each series median, low, high.  Times are nanoseconds.  stores-puts: policies across, a series per store, a
 * panel per number of producers and batch.  stores-lateness: stores across, a series per percentile, a panel per policy.
 * stores-bytes: stores across, a series per policy.  stores-recovery is as cost, of recoveries at two numbers of messages
 * or more: messages across, a series per store. */
void stores_pictures(const cJSON *document, struct pictures *out);

#endif
