/*
 * listing.h - what there is to choose from: designs, parameters, workloads and traces, as text and as data.
 */
#ifndef TWBENCH_LISTING_H
#define TWBENCH_LISTING_H

#include "harness/base/diag.h"
#include "impls/backend.h"
#include "runners/runner.h"

#include <cjson/cJSON.h>
#include <stdio.h>

struct listing_request {
    const struct tw_design *const *plugins; /* these alone, without workloads; none: all there is */
    size_t plugin_count;
    const struct tw_runner_entry *const *runner_plugins; /* likewise */
    size_t runner_plugin_count;
    const char *workload_directory;
};

/* The names of a design's flags, NULL when it has not got the one at that place. */
#define LISTING_FLAGS 6
const char *listing_flag(const struct tw_traits *traits, size_t place);

/* The document: "designs" (those of the program, then the libraries that are built), "missing" (libraries that are not,
 * with what they need), "workloads" and "traces".  Loads the libraries.  The caller's.  DIAG_USAGE when a workload cannot
 * be read. */
int listing_json(const struct listing_request *request, cJSON **out, struct diag *diag);

/* The same as text of so many columns; of plugins no more than their designs and runners. */
int listing_print(FILE *out, unsigned columns, const struct listing_request *request,
                  struct diag *diag);

#endif
