/*
 * race.h - proves a runner: written cases, then random services, each in a child process.
 *
 * Used by `twbench conform --runner`.  Callers, tasks and shut race under delays at the points that the proved object
 * has.  A runner that crashes or hangs is an outcome like any other; its child is ended.  What follows from the
 * seed are the operations of each caller and the delays at each thread's points.  The order in which the threads come
 * is the machine's, so that a finding may take more than one try to be seen again.
 */
#ifndef TWBENCH_RACE_H
#define TWBENCH_RACE_H

#include "harness/base/diag.h"
#include "labs/live/race/race_data.h"

#include <stdio.h>

/* Proves the entry's proved table.  DIAG_OK with *report filled, also when a rule is broken; DIAG_RUN when the machine
 * gives no process or memory.  Takes about 3 s per million operations on two cores, and 1 s for the cases. */
int race_run(const struct tw_runner_entry *entry, const struct race_options *options,
             struct race_report *report, struct diag *diag);

/* Can a runner be proved over it?  Those whose lateness is bounded by nothing but their ticks, and that keep timers. */
bool race_is_fit(const struct tw_backend *design);

#endif
