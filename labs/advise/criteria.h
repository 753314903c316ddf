/*
 * criteria.h - reads the figures of a candidate from its cells, and compares two candidates.  Pure functions.
 *
 * A candidate is measured in rounds, each a cell of its own.  The candidates of a round are sampled in
 * turn, so that a drift of the machine falls on all alike.  Costs are therefore
 * compared by the ratio of samples of the same round, and everything else by exact figures, but for the
 * tail:
 *
 *     cost       ns of processor time per start, stop and expiry of the whole load.  Two differ significantly when the 95 % interval
 *                of the median ratio lies beyond 3 % on one side (below that a difference is as likely
 *                layout as design, docs/MEASUREMENT.md).  With fewer than six pairs the interval goes
 *                from half the least sample to the largest: what disturbs a sample makes it longer.
 *     memory     bytes of the peak per task, all of it.  Exact; 1 % is a difference.
 *     tail       longest advance: the least of the maxima of all passes, since the passes do the same
 *                and only an interruption makes one longer.  A difference is a factor of two, more
 *                than an interruption takes here, and a longer one that came again, within half as much,
 *                in another pass; else only its p99.9 is sure.
 *     precision  largest lateness against what was asked for.  Exact; 1 % is a difference.
 *     wake-ups   how often a driver has to wake up for the timers' sake: by ticks at each tick, by next
 *                at each advance that the load itself does not make.  Exact; 1 % is a difference.
 *
 * ON THE REAL CLOCK a candidate is a runner over a design, and three of these are of samples, each a run, and are
 * compared by the ratio as cost is; with fewer than six pairs the interval goes to twice the largest, too:
 *
 *     cost       processor time of all threads per start and stop
 *     tail       how long a start or a stop keeps its caller: the 99th percentile, of the longer of the two
 *     precision  lateness: the 99th percentile
 *     memory     bytes a timer, of runner and design.  Exact
 *     wake-ups   wake-ups a second while ten far timers wait.  Exact; NaN where that was not measured
 */
#ifndef TWBENCH_CRITERIA_H
#define TWBENCH_CRITERIA_H

#include "harness/measure/stats/summary.h"

#include <cjson/cJSON.h>
#include <stdbool.h>
#include <stddef.h>

#define CRITERIA_ROUNDS      8
#define CRITERIA_SAMPLES_MAX 400
#define CRITERIA_PAIRS_MIN   6
#define CRITERIA_MARGIN      0.03
#define CRITERIA_NEAR        0.10 /* few samples do not tell so small a share */
#define CRITERIA_EXACT       0.01
#define CRITERIA_TAIL_FACTOR 2.0

/* What candidates are compared by, in the order of the table above. */
enum criterion {
    CRITERION_COST,
    CRITERION_MEMORY,
    CRITERION_TAIL,
    CRITERION_PRECISION,
    CRITERION_WAKEUPS,
    CRITERIA
};

/* "cost", "memory", "tail", "precision", "wake-ups"; on the real clock "processor time", "memory", "caller's latency",
 * "lateness", "idle wake-ups". */
const char *criterion_name(enum criterion criterion, bool on_clock);

/* Cells by round, NULL where the candidate was not in it; all of the same load. */
struct criteria_cells {
    const cJSON *cells[CRITERIA_ROUNDS];
    const cJSON *idle; /* on the real clock: ten far timers and nothing else; NULL: not measured */
};

struct criteria {
    bool known;         /* a cell is ok and has times; else nothing below but status and reason */
    const char *status; /* of the last cell: "ok", "timeout", ..; "" without cells */
    const char *reason; /* "" when ok; both belong to the cells */
    struct summary cost_ns;
    double bytes_per_task, fixed_bytes, peak_bytes;
    double tail_p99_ns, tail_max_ns; /* of the worst phase */
    double tail_sure_ns;             /* what the longest advance takes at least */
    double interruption_ns; /* on this machine; for the caller to fill in, 0 when unknown */
    size_t tail_passes;
    double late_mean_ns, late_max_ns;
    double wakeups, useful_wakeups; /* NaN: the document does not tell */
    size_t failed;                  /* cells that are not ok */
    bool on_clock;                  /* what follows is known, and tail and lateness are of it */
    struct summary caller_ns, late_ns;
    double late_p50_ns, start_p99_ns, stop_p99_ns;
};

/* All that the cells of a candidate say of it, from every round that ended well; NaN stands for what none of them knows.
 * Status and reason are those of the last cell, and stay its. */
struct criteria criteria_of(const struct criteria_cells *cells);

/* Cost of `left` over that of `right`, of the samples that both have in the same rounds; without enough of
 * these by the intervals of the round that knows most of both.  All NaN unless both are known.  count is that of the
 * pairs; 0: the samples were not of one round.  confidence is below 0.95 where samples are few. */
struct summary criteria_ratio(const struct criteria_cells *left,
                              const struct criteria_cells *right);
/* The same of another criterion that is sampled; on the real clock, else all NaN but for cost. */
struct summary criteria_ratio_by(const struct criteria_cells *left,
                                 const struct criteria_cells *right, enum criterion criterion);
/* -1: the ratio is significantly below 1, 1: above it, 0: neither. */
int criteria_ratio_sign(const struct summary *ratio);

/* The figure that a criterion compares; NaN when it is not known. */
double criteria_value(const struct criteria *criteria, enum criterion criterion);

/* A candidate and what is known of it. */
struct contender {
    struct criteria_cells cells;
    struct criteria of;
};

/* Is the criterion known by samples, and compared by their ratio? */
bool criteria_is_sampled(const struct contender *contender, enum criterion criterion);
/* -1: left is better by this criterion, 1: right is, 0: they do not differ significantly. */
int criteria_compare(const struct contender *left, const struct contender *right,
                     enum criterion criterion);
/* Might left turn out to be better by it, though it is not told yet?  By its figures as they stand: of a
 * cost of few samples, of a tail. */
bool criteria_may_be_better(const struct contender *left, const struct contender *right,
                            enum criterion criterion);
/* The same, or worse by less than a tenth: few samples do not tell such a difference. */
bool criteria_may_be_near(const struct contender *left, const struct contender *right,
                          enum criterion criterion);

#endif
