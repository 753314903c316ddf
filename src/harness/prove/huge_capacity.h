/* huge_capacity.h - instances for up to 10^9 timers, of which a few dozen run.
 *
 * What such an instance takes is mapped and mostly never touched.  A size that was computed in 32 bits is
 * found by the timers with high numbers, whose place does not exist.  A design that writes to all of its memory cannot
 * run there: then each allocation of its open is compared with that for 2^18 timers, open writing to a few pages that
 * stand for all.
 */
#ifndef TWBENCH_CONFORM_HUGE_CAPACITY_H
#define TWBENCH_CONFORM_HUGE_CAPACITY_H

#include "harness/prove/child.h"
#include "harness/prove/conform.h"

/* Opens, runs and closes instances in child processes of their own, which `child` starts; its limits are
 * left as they were.  A design that refuses for want of memory, writes to much of it, or takes
 * seconds is not wrong: what was not covered goes to the remarks.  0, 1 with a broken rule in *report,
 * or -1 when no child can be made. */
int huge_run(struct child *child, const struct conform_options *options,
             struct conform_report *report);

#endif
