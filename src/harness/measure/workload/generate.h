/* generate.h - makes the operations from a workload file and a seed.
 *
 * The generator plays the workload with an agenda (agenda.h) of its own, so that it knows at every
 * tick what runs: planned stops hit only running timers, a closed loop knows who ended.
 *
 * One step of a run, from `now` to `to = now + step`: planned stops that fall after `now` up to
 * `to` are made; one advance call; then, at `to`, ended timers are replaced, and refreshes,
 * departures and arrivals are made.  A planned stop comes k ticks after its start, k in 1 .. delay,
 * thus always before the timer's own tick is processed.
 *
 * Delays, orders, stops and traffic draw from random numbers of their own, so that changing one of
 * them does not change the others.
 */
#ifndef TWBENCH_GENERATE_H
#define TWBENCH_GENERATE_H

#include "harness/measure/workload/spec.h"

/* Steps and firings that a workload may take before it is refused: some minutes. */
#define GENERATE_WORK_MAX (UINT64_C(1) << 32)

struct generate_limits {
    uint64_t work_max;     /* 0: GENERATE_WORK_MAX */
    struct deadline until; /* the stream is whole by then, or not made */
};

/* The finished stream; the caller frees it.  DEADLINE_OVER, within a small share of a second, when the
 * deadline comes first; else a status of diag.h. */
int generate_stream(const struct spec *spec, uint64_t seed, struct generate_limits limits,
                    struct stream **out, struct diag *diag);

#endif
