/*
 * formulas.h - two formulas as the documents print them, and as they have to be.
 *
 * What a document prints as code is not measured, it is worked out: over every case of a small world,
 * against what a wheel has to do.
 */
#ifndef TWBENCH_FORMULAS_H
#define TWBENCH_FORMULAS_H

#include <stddef.h>
#include <stdint.h>

/* Of all the cases tried: in how many it is wrong, and the first of those in words. */
struct formula_outcome {
    uint64_t cases, wrong;
    char first[160]; /* "" when none is wrong */
};

/* Tries all cases and fills *out. */
typedef void formula_fn(struct formula_outcome *out);

/* A row of the table. */
struct formula {
    const char *name, *text; /* "slot-printed", "(delay / d) % size + tick" */
    formula_fn *run;
};

/* All of them; NULL when there is none of that name. */
extern const struct formula formulas[];
extern const size_t formula_count;
const struct formula *formula_find(const char *name);

#endif
