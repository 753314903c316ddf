/*
 * claiming.h - what documents claim, measured and judged in one session.
 */
#ifndef TWBENCH_CLAIMING_H
#define TWBENCH_CLAIMING_H

#include "harness/measure/session/setup.h"
#include "harness/tell/result/document.h"

struct claims_request {
    const struct setup *setup;
    const char *directory;    /* of the experiment files */
    const char *const *names; /* of the claims; none: all that are there */
    size_t name_count;
    bool quick; /* counts only */
};

struct claiming;

/* Reads and plans every experiment before any runs: a mistake in the last file should not cost the time of the others.
 * Then opens the session.  The request outlives it.  claiming_close in any case. */
int claiming_open(const struct claims_request *request, struct claiming **out, struct diag *diag);

/* Runs what the document lacks, and judges each claim by what there is then.  DIAG_OK, POOL_INTERRUPTED or another
 * status. */
int claiming_run(struct claiming *claiming, struct diag *diag);

/* With the verdicts beside its cells (schema/claims-1.json); claiming's. */
struct result_document *claiming_document(struct claiming *claiming);

/* NULL is nothing. */
void claiming_close(struct claiming *claiming);

#endif
