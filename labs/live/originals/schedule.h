/* schedule.h - writes the load of a request as a schedule for the drivers of originals/ (labs/live/originals/README.md). */
#ifndef TWBENCH_SCHEDULE_H
#define TWBENCH_SCHEDULE_H

#include "labs/live/clock/clock_run.h"

#include <stdio.h>

/* The ids are dealt out, so that all operations of one timer are one producer's, as clock/ does it.  Each load ends
 * a while after its last operation, so that what is late still runs; *end_ns is when.  DIAG_USAGE for what a schedule
 * cannot say: timers that are started again by their own tasks.  DIAG_RUN without memory, or when `file` takes no
 * more.  O(operations). */
int schedule_write(const struct clock_request *request, FILE *file, uint64_t *end_ns,
                   struct diag *diag);

#endif
