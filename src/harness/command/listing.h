/*
 * listing.h - names what there is to choose from: designs, parameters, workloads, traces, and what labs have.
 */
#ifndef TWBENCH_LISTING_H
#define TWBENCH_LISTING_H

#include "harness/base/diag.h"
#include "impls/backend.h"

#include <cjson/cJSON.h>

struct listing_request {
    const struct tw_design *const *plugins; /* these alone, without workloads; none: all there is */
    size_t plugin_count;
    const char *workload_directory;
};

/* The document: "designs" (those of the program, then the libraries that are built), "missing" (libraries that are not,
 * with what they need), "workloads", "traces", and what the labs add (command.h).  Loads the libraries.  The caller's.
 * DIAG_USAGE when a workload cannot be read. */
int listing_json(const struct listing_request *request, cJSON **out, struct diag *diag);

/* The array that `list` shows under that heading: its items have name, summary, and perhaps note and parameters.  For
 * labs, whose object is `document`; the array is the document's. */
cJSON *listing_section(cJSON *document, const char *key, const char *heading);
/* An item of such an array, which owns it; `note` and `params` may be NULL. */
cJSON *listing_item(cJSON *section, const char *name, const char *summary, const char *note,
                    const struct tw_param *params);

/* The document as text of so many columns. */
void listing_print(FILE *out, unsigned columns, const cJSON *document);

#endif
