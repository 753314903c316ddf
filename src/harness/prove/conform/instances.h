/*
 * instances.h - cases about several instances that are open at the same time, and about what open derives
 * from a far horizon.
 */
#ifndef TWBENCH_CONFORM_INSTANCES_H
#define TWBENCH_CONFORM_INSTANCES_H

#include "harness/prove/conform/case_plan.h"

/* Horizons of more than 32 bits, up to the last tick. */
void run_horizons(struct case_plan *plan, struct conform_report *report);
/* Instances that have nothing in common, in turn; one is closed and opened again between the others. */
void run_mixed_instances(struct case_plan *plan, struct conform_report *report);
/* Many instances, all open. */
void run_many_instances(struct case_plan *plan, struct conform_report *report);

#endif
