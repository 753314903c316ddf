/*
 * many.h - the written case of very many timers: what goes wrong only at some size, goes wrong here.
 */
#ifndef TWBENCH_CONFORM_MANY_H
#define TWBENCH_CONFORM_MANY_H

#include "harness/prove/conform/case_plan.h"

/* Opens instances for 1024 timers, then for four times as many, up to plan->many_max, and lets timers
 * run, change and fire in all of them.  A design that slows down as they become more is spared the
 * next size once it would take too long, for each story by itself: some seconds in all.  So is one that
 * refuses to open with so many, for the machine's sake. */
void run_many(struct case_plan *plan, struct conform_report *report);

#endif
