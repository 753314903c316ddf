/*
 * shortage.h - cases in which there is not enough memory.
 *
 * They need a process in which the design's allocations are taken over (guard.h), and do nothing in
 * another.
 */
#ifndef TWBENCH_CONFORM_SHORTAGE_H
#define TWBENCH_CONFORM_SHORTAGE_H

#include "harness/prove/conform/case_plan.h"

/* Each allocation of open is refused, alone and with all that follow. */
void run_short_open(struct case_plan *plan, struct conform_report *report);
/* The same for what start allocates, at many places of one story; then there is memory again. */
void run_short_start(struct case_plan *plan, struct conform_report *report);
/* Each parameter at the upper end of its limits, with little memory. */
void run_upper_limits(struct case_plan *plan, struct conform_report *report);

#endif
