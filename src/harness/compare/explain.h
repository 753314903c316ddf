/*
 * explain.h - where a difference of time comes from, as far as counters tell.
 *
 * A difference of time per call is split into what goes with more or fewer instructions, with
 * misses of the last cache, with mispredicted branches, and the rest: layout, and what is not
 * counted.  It is an estimate.  Misses can overlap with each other and with other work, so that
 * their part is rather too large than too small and the rest may have the other sign.
 */
#ifndef TWBENCH_EXPLAIN_H
#define TWBENCH_EXPLAIN_H

#include "harness/compare/comparison.h"
#include "harness/measure/run/penalties.h"

/* Sets `explained` and `explanation` from the cell's ns per call and its change of instructions,
 * and from the counters of the two cells of result documents.  A part whose counter (or penalty)
 * is unknown on either side is NAN, and what it may be is in the rest.  Not explained when the
 * time per call of a side is unknown.  All parts are rounded to two digits of the largest one. */
void explain_cell(struct compared_cell *cell, const cJSON *before, const cJSON *after,
                  const struct penalties *penalties);

#endif
