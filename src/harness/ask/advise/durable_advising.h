/*
 * durable_advising.h - which store for messages that a crash must not lose, found by measuring within a budget.
 */
#ifndef TWBENCH_DURABLE_ADVISING_H
#define TWBENCH_DURABLE_ADVISING_H

#include "harness/ask/advise/choice.h"
#include "harness/ask/stores/storing.h"

/* What to advise on, as plain data; all that it points to outlives the advising. */
struct durable_advising {
    /* Stores; one policy, number of producers and batch; one number of messages, the last to be tried; setup's budget
     * is wall time for all of it.  kills: of the small run that proves the ledger.  rate: of the run on the real
     * clock; 0: as advise chooses. */
    const struct storing_request *request;
    struct wishes wishes; /* goal, late_ns, tail_ns, memory_bytes (per pending message) */
};

/* Measures until the budget is used up, and makes the document: that of stores with the key "advice".  The caller's.
 * DIAG_OK; STORING_INTERRUPTED, with a document of what was measured; or another status without one. */
int durable_advise(const struct durable_advising *asked, cJSON **document, struct diag *diag);

#endif
