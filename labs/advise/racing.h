/*
 * racing.h - decides the order in which candidates are measured, and which go on: successive halving in a budget.
 *
 *     trial     where time is short: each design with so few tasks that all can be tried
 *     look      each design as it comes, twice, without a warm-up; the hopeless run into their limit
 *     around    other settings, next as driver, coarser ticks, of designs that are not beaten
 *     race      the front by the look, 6 samples each, interleaved
 *     final     those that do not differ significantly, and the next, with as many samples as the budget has
 *     settle    until each was looked at, and those that may be the answer have enough samples
 *
 * Each step begins only if it is expected to end within its share of the budget.
 */
#ifndef TWBENCH_RACING_H
#define TWBENCH_RACING_H

#include "labs/advise/measuring.h"

/* The session is open, the evidence has its load and its wishes.  After each step the document has the
 * advice of what is known by then.  DIAG_OK, POOL_INTERRUPTED or another status. */
int racing_run(struct measuring *measuring, struct diag *diag);

#endif
