/* long_cases.h - the written cases that take more than an operation list: they make many, or look at the process.
 *
 * Each judges by itself and fills *report.  Those about memory need a process in which the design's allocations are taken
 * over (guard.h), and do nothing in another.
 */
#ifndef TWBENCH_CONFORM_LONG_CASES_H
#define TWBENCH_CONFORM_LONG_CASES_H

#include "harness/prove/case_plan.h"

/* For every reach of the design's levels and for powers of two up to its span: thousands of timers about
 * that far away, of which the earliest is the first, the last or one between them.  The clock then
 * comes to all of them.  A jump that the design would walk is left out. */
void run_far_slots(struct case_plan *plan, struct conform_report *report);

/* Each allocation of open is refused, alone and with all that follow. */
void run_short_open(struct case_plan *plan, struct conform_report *report);
/* The same for what start allocates, at many places of one story; then there is memory again. */
void run_short_start(struct case_plan *plan, struct conform_report *report);
/* Each parameter at the upper end of its limits, with little memory. */
void run_upper_limits(struct case_plan *plan, struct conform_report *report);

/* Horizons of more than 32 bits, up to the last tick. */
void run_horizons(struct case_plan *plan, struct conform_report *report);
/* Instances that have nothing in common, in turn; one is closed and opened again between the others. */
void run_mixed_instances(struct case_plan *plan, struct conform_report *report);
/* Many instances, all open. */
void run_many_instances(struct case_plan *plan, struct conform_report *report);

/* Opens instances for 1024 timers, then for four times as many, up to plan->many_max, and lets timers
 * run, change and fire in all of them.  A design that slows down as they become more is spared the
 * next size once it would take too long, for each story by itself: some seconds in all.  So is one that
 * refuses to open with so many, for the machine's sake. */
void run_many(struct case_plan *plan, struct conform_report *report);

/* Lets instances live for 4096 starts, then four times as many, up to plan->life_starts and some
 * more.  Few timers run at a time, so that O(n) designs come as far as others; one that is too slow
 * all the same is spared the next length. */
void run_life(struct case_plan *plan, struct conform_report *report);

/* Random batches beside the same operations by single calls; nothing for a design without batch operations. */
void run_batches(struct case_plan *plan, struct conform_report *report);

/* The written case: each function is called several times, refusals among them. */
void run_residue(struct case_plan *plan, struct conform_report *report);

#endif
