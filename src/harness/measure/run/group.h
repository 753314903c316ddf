/* group.h - measures all cells of one stream side by side.
 *
 * First every cell is proved (counted object, against the oracle); only what is right is measured
 * further: memory, latency, counters, steps, then `runs` rounds of timed samples.  In each round every
 * cell is sampled once, in an order shuffled anew, so that a drift of the machine falls on all alike.
 * Under a time for samples it ends earlier, with six samples at least once every interval is within 1 % of its median,
 * or with three or more when the next round would exceed that time, taken once per design that keeps timers; before
 * the sixth sample three times that.
 * With no runs at all it ends after the memory: counts, and nothing that reads a clock.
 */
#ifndef TWBENCH_GROUP_H
#define TWBENCH_GROUP_H

#include "harness/measure/run/job_pool.h"

struct group_options {
    uint64_t runs;        /* timed samples per cell; 0 .. OUTCOME_SAMPLES_MAX */
    uint64_t time_ns;     /* wall time for the samples of a design; 0: `runs` whatever they take */
    uint64_t warmup;      /* passes before the timed ones of each sample */
    uint64_t min_time_ns; /* work per sample; see group_passes */
    uint64_t seed;        /* of the order */
    double pace_ns;       /* the core's full pace, which timed passes wait for; 0: they do not */
    uint64_t patience_ns; /* how long those of a sample may wait for it */
    bool no_latency;      /* single calls are not timed */
    bool count;           /* read the processor's counters too */
    const struct stream *small; /* step through this one too; NULL: none */
};

/* Passes of a sample.  The same for every design, so it cannot come from how fast one is: min_time
 * is turned into operations at 10 ns each, and passes are added until the stream has given as many; of a stream
 * that a process times once there is one. */
uint64_t group_passes(const struct stream *stream, uint64_t min_time_ns);

struct group_progress {
    const struct job *job; /* that has just ended */
    size_t done, total;    /* jobs of the group; total shrinks when a cell drops out */
};
typedef void group_progress_fn(void *ctx, const struct group_progress *progress);

/* Measures cells[0 .. count) and fills outcomes[0 .. count); an outcome whose status is not
 * OUTCOME_OK on entry is left as it is and not measured.  `cycles` may be NULL without runs.  DIAG_OK, POOL_INTERRUPTED (outcomes are
 * incomplete then) or DIAG_RUN. */
int group_run(struct pool *pool, const struct plan_cell *cells, size_t count,
              const struct stream *stream, const struct cycles *cycles,
              const struct group_options *options, struct outcome *outcomes,
              group_progress_fn *progress, void *progress_ctx, struct diag *diag);

/* Median CPU time per call (start, stop, advance) over all phases of a pass; below 0 when there is
 * none.  Of null, which does nothing in a call and calls nothing back: the harness's own cost. */
double group_ns_per_call(const struct outcome *outcome);

#endif
