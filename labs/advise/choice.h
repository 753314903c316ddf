/*
 * choice.h - compares candidates by their cells, and chooses among them.  Pure functions.
 */
#ifndef TWBENCH_CHOICE_H
#define TWBENCH_CHOICE_H

#include "harness/base/diag.h"
#include "harness/measure/plan/plan.h"
#include "harness/measure/stats/summary.h"

#include <cjson/cJSON.h>

/* ---- Reads the figures of a candidate from its cells, and compares two candidates.  Pure functions.
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
 *                Unclear, NaN, where the interval of what is left without the harness reaches nothing.
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
    bool on_clock;                  /* what follows is known, and tail and lateness are of it */
    struct summary caller_ns, late_ns;
    double late_p50_ns, start_p99_ns, stop_p99_ns;
};

/* All that the cells of a candidate say of it, from every round that ended well; NaN stands for what none of them knows.
 * Status and reason are those of the last cell, and stay its. */
struct criteria criteria_of(const struct criteria_cells *cells);

/* `left` over `right` by a criterion that is sampled, of the samples that both have in the same rounds; without enough of
 * these by the intervals of the round that knows most of both.  All NaN unless both are known and clear.  count is that of
 * the pairs; 0: the samples were not of one round.  confidence is below 0.95 where samples are few. */
struct summary criteria_ratio(const struct criteria_cells *left, const struct criteria_cells *right,
                              enum criterion criterion);
/* -1: the ratio is significantly below 1, 1: above it, 0: neither. */
int criteria_ratio_sign(const struct summary *ratio);

/* The figure that a criterion compares; NaN when it is not known. */
double criteria_value(const struct criteria *criteria, enum criterion criterion);

/* By what to measure next: the same, and 0 for a cost that is unclear, which may be the least. */
double criteria_promise(const struct criteria *criteria, enum criterion criterion);

/* A candidate and what is known of it. */
struct contender {
    struct criteria_cells cells;
    struct criteria of;
};

/* Does it have enough samples for an interval of its cost? */
bool criteria_is_raced(const struct contender *contender);
/* Is the criterion known by samples, and compared by their ratio? */
bool criteria_is_sampled(const struct contender *contender, enum criterion criterion);
/* -1: left is better by this criterion, 1: right is, 0: they do not differ significantly. */
int criteria_compare(const struct contender *left, const struct contender *right,
                     enum criterion criterion);
/* Might left turn out to be better by it, though it is not told yet?  By its figures as they stand: of a
 * cost of few samples, of a tail; of a cost that is unclear always. */
bool criteria_may_be_better(const struct contender *left, const struct contender *right,
                            enum criterion criterion);
/* The same, or worse by less than a tenth: few samples do not tell such a difference. */
bool criteria_may_be_near(const struct contender *left, const struct contender *right,
                          enum criterion criterion);

/* ---- The Pareto front: removes the candidates that another dominates, worse in something and better in nothing.
 *
 * "Do not differ significantly" is not transitive, so that three candidates may dominate each other in a ring.
 * They are removed one by one, the most expensive first, and only for one that is still there: so the front
 * is never empty.
 */

/* Is `other` told to be better in something, worse in nothing, and `than` nowhere likely to be better? */
bool front_dominates(const struct contender *other, const struct contender *than);

#define FRONT_ITSELF SIZE_MAX

/* by[i]: FRONT_ITSELF when contender i is on the front; else one that dominates it, of the front where
 * one there does; of a contender of which nothing is known, its own index.  O(count^2) comparisons. */
void front_find(const struct contender *contenders, size_t count, size_t *by);

/* ---- Chooses the contender that serves the wishes best.
 *
 * THE RULE.  Of the contenders that keep to the limits take the best by the goal, and with it all that do
 * not differ significantly from it and whose figure is worse by at most 3 % (of tails: by a factor of two).
 * Among these prefer the one that is better in the next of the goal's criteria in which two differ (memory
 * and wake-ups by 10 % here), and where there is none the simpler one: fewer settings of its own, then the
 * earlier in the list of designs.
 * Where some were sampled CRITERIA_PAIRS_MIN times and more, only these are recommended.
 */

struct wishes {
    enum criterion
        goal;      /* any but CRITERION_PRECISION; on the real clock any; CRITERIA: not given */
    bool on_clock; /* asked of runners and designs */
    bool goal_given;
    bool late;             /* lateness is allowed, by one of these; else only exact designs */
    uint64_t late_ns;      /* most, against what was asked for; 0: not given */
    double late_share;     /* most that a design may declare, of a delay; 0: not given */
    uint64_t memory_bytes; /* most per task; 0: no limit */
    uint64_t tail_ns;      /* longest advance; 0: no limit */
    uint32_t between;      /* two calls, as in struct plan_cell */
};

/* Of the wishes once all are known: DIAG_USAGE for one that virtual time, or the real clock, has no answer to.  On
 * the real clock the goal is lateness unless another is given. */
int wishes_finish(struct wishes *wishes, struct diag *diag);
/* "10ms" or "12.5%", or a share as a number below 1: DIAG_USAGE for anything else, or nothing. */
int wishes_parse_late(const char *value, const char *flag, struct wishes *out, struct diag *diag);

/* The rule in a sentence or two, with what is wished for. */
void wishes_describe(char *out, size_t size, const struct wishes *wishes);

/* Does it keep to the limits that are measured: lateness, memory, tail?  If not, why: in words with the
 * figures.  `as_due`: an exact design at the load's own tick, which is never too late.  Not for one of
 * which nothing is known. */
bool wishes_allow(const struct wishes *wishes, const struct contender *contender, bool as_due,
                  char *why, size_t size);

/* What is compared of a contender when everything measured is alike: less is simpler. */
struct choice_contender {
    const struct contender *contender;
    bool allowed;
    unsigned settings, place; /* settings of its own; its design's place in the registry */
};

#define CHOICE_NONE SIZE_MAX

struct choice {
    size_t best;   /* by the goal alone; CHOICE_NONE when none is allowed */
    size_t chosen; /* the recommended one */
    /* Why it is not `best`: the criterion, or CRITERIA when it is only simpler. */
    enum criterion because;
};

/* equal[i]: contender i may be recommended, and differs by the goal significantly neither from the best nor
 * from the chosen one. */
struct choice choice_make(const struct wishes *wishes, const struct choice_contender *contenders,
                          size_t count, bool *equal);

#endif
