/*
 * claims_view.h - what the renderers of claims (docs/CLAIMS-FORMAT.md) have in common.
 */
#ifndef TWBENCH_CLAIMS_VIEW_H
#define TWBENCH_CLAIMS_VIEW_H

#include <cjson/cJSON.h>
#include <stdbool.h>
#include <stddef.h>

#define CLAIMS_LINE_SIZE 1000

/* Has the document claims beside its cells? */
bool claims_are_there(const cJSON *document);

/* "A, B" */
void claims_documents(char *out, size_t size, const cJSON *claim);
/* "12 hold, 3 do not hold, 1 is inconclusive" */
void claims_summary(char *out, size_t size, const cJSON *document);
/* "T15 (threads), T21 (disks)"; "" when there are none. */
void claims_not_yet(char *out, size_t size, const cJSON *document);

#endif
