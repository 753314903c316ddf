/*
 * dist.h - distributions of delays.
 *
 *     constant(delay)                  or just the delay: 30s
 *     choice(delay:weight, ...)        a few constants
 *     uniform(min, max)                each tick of the range, ends included
 *     exponential(mean)                hold increments of Jones (1986) and Brown: -ln r
 *     biased(mean)                     the same: .9 + .2 r
 *     bimodal(mean)                    the same: .95238 r, and + 9.5238 with probability .1
 *     triangular(mean)                 the same: 1.5 sqrt(r)
 *     pareto(min, shape, max)          cut off at max
 *     lognormal(median, sigma, max)    cut off at max
 *     loguniform(min, max)             each order of magnitude equally often
 *     lattice(step, from, to, jitter)  k * step + {-jitter .. jitter}, k from .. to
 *     powers(base, from, to, jitter)   base^k + {-jitter .. jitter}, k from .. to
 *     empirical(trace)                 the delays that a recorded trace asked for
 *
 * Delays are ticks, or times that are converted with the workload's tick and rounded up; a time may
 * not be 0.  At a tick that is coarser than the workload's own they are still drawn in the workload's
 * own, and then rounded up; only lattice and powers, which are about slots, are drawn in ticks.  Each distribution is one function, its quantile: a sample is the quantile of a uniform
 * number, the restart table of a phase is the quantiles at 2048 midpoints, and its mean is the
 * table's, so that all three agree.
 *
 * Jones's bimodal constants have the mean 10/7; here they are scaled so that the mean is the mean.
 */
#ifndef TWBENCH_DIST_H
#define TWBENCH_DIST_H

#include "harness/base/diag.h"
#include "harness/base/rng.h"
#include "harness/measure/workload/stream.h"

/* Longest delay that a distribution may name or answer: exact in a double. */
#define DIST_DELAY_MAX (UINT64_C(1) << 53)

struct dist;

/* What the meaning of the text depends on. */
struct dist_context {
    uint64_t tick_ns;
    const char *directory; /* where empirical(NAME) finds traces/NAME.tt.xz; NULL: nowhere */
    uint64_t unit_ns;      /* what delays are drawn in: a divisor of the tick; 0: the tick */
};

/* `what` names the place for the diagnostic, which goes on with the column.  *out is freed with
 * dist_free. */
int dist_parse(const char *text, const char *what, const struct dist_context *context,
               struct dist **out, struct diag *diag);
/* NULL is allowed. */
void dist_free(struct dist *dist);

/* A delay in ticks, 1 .. DIST_DELAY_MAX, and how much longer it is than what was drawn. */
struct dist_delay {
    uint64_t ticks, slack_ns;
};

/* p in (0, 1). */
struct dist_delay dist_draw(const struct dist *dist, double p);
/* The same without the slack. */
uint64_t dist_quantile(const struct dist *dist, double p);
uint64_t dist_sample(const struct dist *dist, struct rng *rng);
/* The delays of a restart rule, in ascending order (lattice and powers: of k).  False when one does
 * not fit 32 bits. */
bool dist_restart_table(const struct dist *dist, uint32_t table[STREAM_RESTART_SIZE]);
/* The slacks of the same delays; false when all are 0. */
bool dist_restart_slack(const struct dist *dist, uint64_t table_ns[STREAM_RESTART_SIZE]);
double dist_mean(const struct dist *dist);

/* The first of `count` >= 1 ascending sums that is above p of their last one; p in (0, 1).  O(log count). */
size_t dist_weighted(const double *cumulative, size_t count, double p);

#endif
