/* lives.h - draws the life of a timer: its delay, a planned stop, what is left of both when met in the middle.
 *
 * A population that is renewed for ever looks like this at a moment chosen at random: a timer is
 * met in a life of length L with a chance proportional to L, and the part still to come is uniform
 * over it.  Starting from it, a hold or a closed loop is stationary from the first tick.  The
 * lengths are those of the restart table, so this is exact for what the stream really does,
 * rounding included.
 */
#ifndef TWBENCH_LIVES_H
#define TWBENCH_LIVES_H

#include "harness/measure/workload/spec.h"

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

/* `phase` starts timers; `tasks` ids share its refresh_min.  The random numbers stay the caller's.
 * False when there is no memory. */
bool lives_open(struct lives *lives, const struct spec_phase *phase, uint64_t tasks,
                struct rng *delays, struct rng *stops);
/* Empty afterwards. */
void lives_close(struct lives *lives);

/* A whole life. */
struct life lives_new(const struct lives *lives);
/* One as the phase's `age` says. */
struct life lives_aged(const struct lives *lives);

#endif
