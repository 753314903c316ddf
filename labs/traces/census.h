/* census.h - counts what is in a trace: operations by kind, ends, delays, timers armed over time.
 *
 * A stretch is the time for which one start keeps a timer armed: from the start to the re-arm, the
 * cancel or the expiry that ends it.  Expiry follows the rule of trace.h; of a stretch that expires the
 * length is that to its deadline, at least one tick, however late the clock was looked at.  So the
 * mean number of armed timers is the sum of all lengths over the span.
 */
#ifndef TWBENCH_CENSUS_H
#define TWBENCH_CENSUS_H

#include "harness/measure/workload/trace.h"

/* What ended a stretch; LEFT: nothing did before the end of the span. */
enum census_end { CENSUS_REARMED, CENSUS_CANCELLED, CENSUS_EXPIRED, CENSUS_LEFT, CENSUS_ENDS };

struct census_stretch {
    int64_t delay;   /* asked for, in ticks; may be 0 or less */
    uint64_t length; /* in ticks; of one left armed, to the end of the span */
    unsigned end;    /* enum census_end */
};

/* A tick on which anything was started or cancelled. */
struct census_pass {
    tw_tick now;
    uint32_t operations, starts_new;
};

/* A delay that was asked for: how often, and how these stretches ended. */
struct census_delay {
    int64_t ticks;
    uint64_t count, ended[CENSUS_ENDS];
};

/* Parts of the span, and percentiles of the delays. */
enum { CENSUS_BINS = 240, CENSUS_PERCENTILES = 7 };

extern const char *const census_end_names[CENSUS_ENDS];               /* "rearmed" .. "left" */
extern const char *const census_percentile_names[CENSUS_PERCENTILES]; /* "min", "p1" .. "max" */

struct census {
    uint64_t unit_ns, ids, end; /* tick, ids 0 .. ids-1, last tick of the span */
    uint64_t operations, starts_new, ended[CENSUS_ENDS];
    uint64_t max_armed;
    double mean_armed;            /* over the span; 0 when it has no length */
    uint64_t operations_tick_max; /* most on one tick */
    size_t pass_count;            /* ticks with operations */
    struct census_pass *passes;
    size_t stretch_count;             /* starts, re-arms included */
    struct census_stretch *stretches; /* by delay, end and length, ascending */
    size_t delay_count;               /* distinct delays, ascending */
    struct census_delay *delays;
    /* Timers armed in each of CENSUS_BINS equal parts of the span. */
    double bin_mean[CENSUS_BINS];
    uint64_t bin_max[CENSUS_BINS];
};

/* Reads the trace to its end; the header goes to *header.  Memory follows the operations: 24 bytes per
 * start, 16 per active tick.  O(operations * log operations).  census_free on success. */
int census_of_trace(struct textfile *file, struct trace_header *header, struct census *out,
                    struct diag *diag);
/* Empty afterwards. */
void census_free(struct census *census);

/* Nearest rank: the smallest delay that at least that share of all starts asked for.  0 without any. */
void census_percentiles(const struct census *census, int64_t out[CENSUS_PERCENTILES]);
/* Indexes of the commonest delays, the commonest first, of equal ones the shorter first; how many. */
size_t census_commonest(const struct census *census, size_t *indexes, size_t most);
/* All starts: new ones and re-arms. */
uint64_t census_starts(const struct census *census);

#endif
