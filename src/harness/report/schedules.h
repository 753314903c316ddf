/*
 * schedules.h - one line per way of catching up: what a dispatch thread made of periodic tasks.
 */
#ifndef TWBENCH_SCHEDULES_H
#define TWBENCH_SCHEDULES_H

#include "harness/report/view.h"

#include <stdio.h>

/* Nothing when the workload has no schedule.  Designs that agree, as exact ones do, share a line; one
 * that differs gets its own, with its name. */
void schedules_write(FILE *out, const struct view_group *group);

#endif
