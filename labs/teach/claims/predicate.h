/*
 * predicate.h - judges the parts of a claim by the cells that were run for them.
 *
 * A part is tried for each design and each x that it leaves open.  It does not hold when one of these
 * trials refutes it; it is inconclusive when none does but one cannot tell - a cell that is not there or
 * did not end well, an interval on both sides of the bound, fewer samples than an interval of 95 % takes
 * - and else it holds.  The same goes for a claim and its parts, readings left out.
 *
 * Counts are exact and decide alone.  Times have an interval (95 %), and decide when all of it lies on one
 * side; of two designs on the same stream the ratio is taken sample by sample, because each round samples
 * both one after the other.
 */
#ifndef TWBENCH_PREDICATE_H
#define TWBENCH_PREDICATE_H

#include "labs/teach/claims/experiment.h"

/* Of a part or a claim; the worse ones come later. */
enum claim_verdict { CLAIM_HOLDS, CLAIM_INCONCLUSIVE, CLAIM_REFUTED };

/* "holds", "inconclusive", "does-not-hold" */
const char *claim_verdict_name(enum claim_verdict verdict);

/* A cell that a run asks for. */
struct evidence_cell {
    const struct experiment_run *run;
    const char *impl;
    double x;
    const cJSON *cell; /* NULL: not there */
};

struct evidence {
    const struct evidence_cell *cells;
    size_t count;
    bool counts_only; /* runs that take times were left out */
};

/* The cell of a design at one x; NULL when there is none. */
const cJSON *evidence_find(const struct evidence *evidence, const struct experiment_run *run,
                           const char *impl, double x);

#define PREDICATE_WHY_SIZE 700

struct judgement {
    enum claim_verdict verdict;
    char why[PREDICATE_WHY_SIZE]; /* the first trials that decided, with their figures */
    unsigned said, decided;       /* trials in `why`, and in all */
    cJSON *figures;               /* the caller's */
};

/* Tries the part on the cells and fills *out; out->figures is a new object, the caller's. */
void predicate_judge(const struct experiment_part *part, const struct evidence *evidence,
                     struct judgement *out);

/* The worse of two, as parts are added up. */
enum claim_verdict claim_verdict_and(enum claim_verdict a, enum claim_verdict b);

#endif
