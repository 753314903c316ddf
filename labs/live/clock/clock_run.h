/*
 * clock_run.h - drives a runner on the real clock: threads that start and stop timers, and the outcome.
 *
 * A run opens one service, lets `threads` producers loose on it and shuts it.  All of it happens in a child
 * process, because a runner that hangs or breaks is an outcome.  Moments are CLOCK_MONOTONIC; nothing here is on the
 * virtual clock of run/, and no figure of the one may stand beside a figure of the other.
 *
 * An operation has the moment that it was meant for.  The due of a timer counts from that, not from when the
 * producer came to it, so that a runner which holds its callers up shows in lateness (no coordinated omission).
 */
#ifndef TWBENCH_CLOCK_RUN_H
#define TWBENCH_CLOCK_RUN_H

#include "labs/live/clock/clock_data.h"

/* Word used on the command line and in results: "paced", "closed", "burst", "storm", "idle". */
const char *clock_load_name(enum clock_load load);

/* What stands for the stream of a load that is none: its name, and so many timers.  The caller frees it. */
int clock_stream(enum clock_load load, uint64_t tasks, uint64_t seed, struct stream **out,
                 struct diag *diag);

/* Runs it in a child and fills the report. */
void clock_run(const struct clock_request *request, struct clock_report *report);

/* Adds the figures of a further run of the same request: sums, merged histograms, the greater of what is the
 * greatest.  A run that went wrong makes the whole go wrong. */
void clock_merge(struct clock_report *into, const struct clock_report *from);

#endif
