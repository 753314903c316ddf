/*
 * life.h - the written case of one instance that lives long: what goes wrong only after some number of
 * starts, stops or advances, goes wrong here.
 */
#ifndef TWBENCH_CONFORM_LIFE_H
#define TWBENCH_CONFORM_LIFE_H

#include "harness/prove/conform/case_plan.h"

/* Lets instances live for 4096 starts, then four times as many, up to plan->life_starts and some
 * more.  Few timers run at a time, so that O(n) designs come as far as others; one that is too slow
 * all the same is spared the next length. */
void run_life(struct case_plan *plan, struct conform_report *report);

#endif
