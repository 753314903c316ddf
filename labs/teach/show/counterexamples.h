/*
 * counterexamples.h - the examples that a script cannot say: one that needs too many timers to draw,
 * and two printed formulas beside what a running wheel does.
 */
#ifndef TWBENCH_COUNTEREXAMPLES_H
#define TWBENCH_COUNTEREXAMPLES_H

#include "harness/base/diag.h"
#include "labs/teach/show/worked_result.h"

/* W13: a wheel of 7200 slots filled with a thousandth of the entries. */
int fill_slots(struct worked_result *result, struct diag *diag);

/* Document C's formula, as printed and with the remainder taken last, against every pair of pointer and
 * delay of a running wheel of 8 slots. */
int slot_formula(struct worked_result *result, struct diag *diag);

/* Document D's walk over a bucket, as printed and put right, against who fires when a running wheel
 * comes to that bucket. */
int bucket_walk(struct worked_result *result, struct diag *diag);

#endif
