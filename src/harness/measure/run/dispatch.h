/* dispatch.h - plays a stream's periodic tasks through one dispatch thread over one design.
 *
 * The replay of a periodic phase has every task run on time, as with a pool of enough workers.  Here
 * the same tasks, at the same periods and from the same first ticks, share one thread
 * (measure/sched/scheduler.h), with the run times and the slow task of stream->schedule: once for each way of
 * catching up, so that the two can be compared.
 */
#ifndef TWBENCH_DISPATCH_H
#define TWBENCH_DISPATCH_H

#include "harness/measure/plan/plan.h"
#include "harness/measure/run/outcome.h"

/* Plays the schedule of the stream over instances of `design` of its own, from tick 0.  Answers how
 * many of schedules[] it filled: two at a fixed rate, one with a fixed delay; none when the stream has
 * no schedule, the design keeps nothing, or it refuses one of the tasks. */
size_t dispatch_play(const struct tw_backend *design, const struct plan_cell *plan,
                     const struct stream *stream,
                     struct outcome_schedule schedules[OUTCOME_SCHEDULES_MAX]);

#endif
