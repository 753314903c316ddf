/*
 * far.h - the written case of many timers in one far slot, with nothing nearer.
 */
#ifndef TWBENCH_CONFORM_FAR_H
#define TWBENCH_CONFORM_FAR_H

#include "harness/prove/conform/case_plan.h"

/* For every reach of the design's levels and for powers of two up to its span: thousands of timers about
 * that far away, of which the earliest is the first, the last or one between them.  The clock then
 * comes to all of them.  A jump that the design would walk is left out. */
void run_far_slots(struct case_plan *plan, struct conform_report *report);

#endif
