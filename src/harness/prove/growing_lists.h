/* growing_lists.h - runs a list at growing sizes while the design is fast enough for the next.
 */
#ifndef TWBENCH_CONFORM_GROWING_LISTS_H
#define TWBENCH_CONFORM_GROWING_LISTS_H

#include "harness/prove/case_plan.h"
#include "harness/prove/judge.h"

#define PACE_GROWTH 4u /* from one size to the next */

/* What a story has taken at the last two sizes, in processor time. */
struct pace {
    double seconds, seconds_before;
    bool is_over; /* the next size would take longer than a story may */
};

/* Judges the list of the plan and keeps the time.  `seconds_max` is for one list. */
void pace_judge(struct pace *pace, struct case_plan *plan, double seconds_max,
                struct conform_report *report);

#endif
