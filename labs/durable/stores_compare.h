/* stores_compare.h - compares two documents of stores: which figures changed, and did a ledger break? */
#ifndef TWBENCH_STORES_COMPARE_H
#define TWBENCH_STORES_COMPARE_H

#include "harness/base/diag.h"

#include <cjson/cJSON.h>
#include <stdbool.h>

/* Is the file a document of stores?  False when it cannot be read. */
bool stores_compare_is_one(const char *path);

/* How the whole ended. */
enum stores_verdict { STORES_SAME, STORES_IMPROVED, STORES_INCONCLUSIVE, STORES_REGRESSED };

/* The document (docs/STORES.md, "Two documents"), the caller's; *verdict: the worst of its cells.  A figure changed when its
 * median moved by more than `margin` (a share) and the intervals of the two sides do not meet; when they meet it is
 * inconclusive.  DIAG_USAGE when a file cannot be read or is no document of stores. */
int stores_compare(const char *before, const char *after, double margin, cJSON **document,
                   enum stores_verdict *verdict, struct diag *diag);

#endif
