/*
 * durable_run.h - drives a store in child processes that are ended at random moments, and judges the ledger.
 *
 * Each open of the store is a child of its own (base/ward.h); the book is shared and outlives it.
 */
#ifndef TWBENCH_DURABLE_RUN_H
#define TWBENCH_DURABLE_RUN_H

#include "harness/base/interrupt.h"
#include "labs/durable/drive/book.h"

/* Word in results: "ok", "mismatch", "absent", "unsupported", "failed", "timeout", "crashed", "interrupted". */
const char *durable_end_name(enum durable_end end);
/* "always", "group", "interval", "none". */
const char *durable_sync_name(enum tw_sync_policy sync);

/* Makes the run in request->directory, which is there and empty, and fills the report.  `interrupt` may be NULL. */
void durable_run(const struct durable_request *request, const struct interrupt *interrupt,
                 struct durable_report *report);

/* One open of the store in a child, until it ends by itself: the exit status of drive.h in *ended.  False when it crashed
 * or took longer than budget_ns, with the reason.  For who judges the book himself. */
bool durable_open_once(const struct durable_request *request, const char *store_directory,
                       struct book *book, uint64_t budget_ns, int *ended, char *reason,
                       size_t reason_size);

#endif
