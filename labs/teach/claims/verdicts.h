/*
 * verdicts.h - all claims judged, as the JSON that a claims document has beside its cells.
 *
 * A claims document is a result document with more keys (schema/claims-1.json): "kind", "quick",
 * "claims", "not_yet" and "lab_cells".  So --resume, report and the exports take it as any other result.
 */
#ifndef TWBENCH_VERDICTS_H
#define TWBENCH_VERDICTS_H

#include "harness/tell/result/document.h"
#include "labs/teach/claims/catalogue.h"
#include "labs/teach/claims/predicate.h"

/* Which cell of the document belongs to a run: `identity` is that of the cell. */
struct verdicts_cell {
    const struct experiment_run *run;
    const char *impl;
    double x;
    char *identity;
};

/* All of them; all zero is empty. */
struct verdicts_cells {
    struct verdicts_cell *items;
    size_t count, room;
};

/* Copies the identity. */
void verdicts_add_cell(struct verdicts_cells *cells, const struct experiment_run *run,
                       const char *impl, double x, const char *identity);
/* Frees the identities too; empty afterwards. */
void verdicts_free_cells(struct verdicts_cells *cells);

/* Judges every claim by what the document has, and attaches what came. */
int verdicts_attach(const struct catalogue *catalogue, const struct verdicts_cells *cells,
                    bool quick, struct result_document *document, struct diag *diag);

#endif
