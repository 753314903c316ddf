/*
 * limiting.h - what this machine can do at best, measured here and now.
 */
#ifndef TWBENCH_LIMITING_H
#define TWBENCH_LIMITING_H

#include "harness/measure/session/setup.h"
#include "labs/advise/limits/limit_rounds.h"

#include <cjson/cJSON.h>

struct limits_request {
    const struct setup *setup;
    const uint64_t *tasks; /* numbers of nodes, each at least LIMIT_TASKS_MIN */
    size_t task_count;     /* 0: powers of ten from 1e3 to 1e7 */
    struct limit_pages pages;
};

/* Looks at the system (which takes 100 ms), warns, and measures in children, with progress on stderr.  The document
 * (limits_json.h) is the caller's.  DIAG_OK; POOL_INTERRUPTED, with a document of what was measured until then; or
 * another status without one. */
int limits_measure(const struct limits_request *request, cJSON **document, struct diag *diag);

#endif
