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

#include "harness/measure/workload/agenda.h"
#include "harness/measure/workload/dist.h"
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

/* ---- The life of a timer (lives.c). -------------------------------------------------------- */

/* A population that is renewed for ever looks like this at a moment chosen at random: a timer is
 * met in a life of length L with a chance proportional to L, and the part still to come is uniform
 * over it.  Starting from it, a hold or a closed loop is stationary from the first tick.  The
 * lengths are those of the restart table, so this is exact for what the stream really does,
 * rounding included. */

/* Both in ticks from now; delay 0: it is over already, stop_after 0: no stop is planned. */
struct life {
    uint64_t delay, stop_after;
    uint64_t slack_ns; /* the delay is longer than the one drawn by so much: rounded up to ticks */
};

struct lives {
    const struct spec_phase *phase;
    struct rng *delays, *stops;
    double refresh_rate; /* of age "refreshed": per id and tick */
    size_t count; /* of age "stationary": lives to choose from, and the sum of their lengths */
    struct life *pool;
    double *cumulative;
};

/* `phase` starts timers; `tasks` ids share its refresh_min.  The random numbers stay the caller's. */
void lives_open(struct lives *lives, const struct spec_phase *phase, uint64_t tasks,
                struct rng *delays, struct rng *stops);
/* Empty afterwards. */
void lives_close(struct lives *lives);

/* A whole life. */
struct life lives_new(const struct lives *lives);
/* One as the phase's `age` says. */
struct life lives_aged(const struct lives *lives);

#endif
