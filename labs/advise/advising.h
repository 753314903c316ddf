/*
 * advising.h - which design and which settings for one load, found by measuring within a budget.
 */
#ifndef TWBENCH_ADVISING_H
#define TWBENCH_ADVISING_H

#include "harness/measure/session/setup.h"
#include "harness/tell/result/document.h"
#include "labs/advise/choice.h"

/* What to advise on, as plain data; all that it points to outlives the advising. */
struct advise_request {
    const struct setup *setup; /* its budget is wall time for all of it */
    const char *load;          /* a workload or a trace, by name or as a file */
    const struct tw_design *const *designs;
    size_t design_count;
    uint64_t tasks; /* 0: the workload's default */
    /* On the real clock: names of runners, or "all"; threads that start and stop; pace; how much a run plays, 0: by the
     * budget. */
    const char *runners;
    uint32_t threads;
    double speed;
    uint64_t duration_ns;
    struct wishes wishes;
};

struct advising;

/* Makes the load, or where that takes too long the same with fewer tasks, opens the session and measures until the
 * budget is used up.  advising_close in any case.  DIAG_OK, POOL_INTERRUPTED or another status. */
int advising_run(const struct advise_request *request, struct advising **out, struct diag *diag);

/* Was anything measured on the load? */
bool advising_knows(const struct advising *advising);
/* With the advice beside its cells (schema/advice-1.json); advising's. */
struct result_document *advising_document(struct advising *advising);

/* NULL is nothing. */
void advising_close(struct advising *advising);

#endif
