/* sample.h - times one cell in this process: what one fresh process brings to a paired comparison.
 *
 * A sample is so many passes, each from a newly opened instance and over the stream's next one (stream_of_pass); the
 * series is some samples one after another.  Whoever compares two programs takes the fastest of a series: each runs as
 * many operations of one kind, and what else happens on the machine can only make one slower.
 *
 * With a known full pace of the core (pace.h) a sample begins when the core has it, and one at whose end
 * the core has it no more is thrown away and taken again, until the patience is over.
 */
#ifndef TWBENCH_SAMPLE_H
#define TWBENCH_SAMPLE_H

#include "harness/measure/plan/plan.h"
#include "harness/measure/run/cycles.h"
#include "harness/measure/run/outcome.h"
#include "harness/measure/stats/histogram.h"

#define SAMPLE_MAX 32

struct sample_request {
    const struct plan_cell *plan;
    const struct stream *stream; /* with its further ones, which the passes go through in turn */
    uint64_t samples;            /* 1 .. SAMPLE_MAX */
    uint64_t passes;             /* of each; 0: as many as take min_time_ns here and now */
    uint64_t min_time_ns;        /* of each sample */
    double pace_ns;              /* the core's full pace; 0: not known, every sample is kept */
    uint64_t patience_ns;        /* how long all samples together may wait for it */
    uint64_t heap;               /* number of a heap layout (arena_pad); 0: none */
    bool dragged;                /* put the drag of instance.h over the design */
    double drag_share;
};

struct sample_series {
    enum outcome_status status;
    char reason[400]; /* empty when ok */
    uint64_t passes;  /* of each sample */
    uint64_t calls;   /* start, stop, advance and expiries of one pass, the mean over a sample */
    double pace_ns;   /* the core's best before and after the samples that were kept */
    uint64_t slow;    /* samples that were kept though the core was slow: the patience was over */
    /* Nanoseconds of a sample, all of its passes together, by phase of the stream. */
    double cpu_ns[SAMPLE_MAX][STREAM_PHASES_MAX], wall_ns[SAMPLE_MAX][STREAM_PHASES_MAX];
};

/* Passes before the first sample, which are thrown away: one touches the memory, and where `passes` is 0 the other says
 * how long one takes. */
uint64_t sample_warmup(uint64_t passes);

/* Takes the series.  The digest of every pass is held to the oracle's. */
void sample_take(const struct sample_request *request, struct sample_series *series);

/* The same; of a plugin in a child process, which has so much memory, and is taken to hang after SAMPLE_SECONDS. */
#define SAMPLE_SECONDS 600u
void sample_take_apart(const struct sample_request *request, uint64_t memory_bytes,
                       struct sample_series *series);

/* How many passes of pass_ns each it takes to fill min_time_ns: 1 or more. */
uint64_t sample_passes(uint64_t min_time_ns, double pass_ns);

/* ---- The own tail: passes in which every advance is timed (tailing.c). --------------------- */

/* They repeat one stream, since the least time of each call is kept; between two of them come untimed passes over its
 * others.  They give nothing but the tail: reading the clock around each call and writing it down costs time, which
 * no mean and no sample contains. */

struct tailing_request {
    const struct plan_cell *plan;
    const struct stream *stream;
    const struct cycles *cycles;
    uint64_t passes;  /* at most; below TAIL_PASSES_MIN nothing is kept but pass_max */
    uint64_t time_ns; /* no pass begins later, once TAIL_PASSES_MIN are made; 0: no limit */
    uint64_t
        pass_ns; /* what a pass takes; nothing is done where TAIL_PASSES_MIN would take longer than `long_ns` */
    uint64_t long_ns; /* 0: no limit */
};

/* Fills tails[0 .. stream->phase_count).  All zero, with OUTCOME_OK, where passes take too long, there is no memory for
 * the recorders, or the design waits for the machine's clock: the tail is unknown then.  Else what the design came
 * to, with `reason` (INSTANCE_REASON bytes) filled. */
enum outcome_status tailing_take(const struct tailing_request *request, struct tail *tails,
                                 char *reason);

#endif
