/* tailing.h - measures the own tail of a design on a stream: passes in which every advance is timed (stats/tail.h).
 *
 * These passes give nothing but the tail: reading the clock around each call and writing it down costs time, which
 * no mean and no sample contains.
 */
#ifndef TWBENCH_TAILING_H
#define TWBENCH_TAILING_H

#include "harness/measure/plan/plan.h"
#include "harness/measure/run/cycles.h"
#include "harness/measure/run/outcome.h"
#include "harness/measure/stats/tail.h"

struct tailing_request {
    const struct plan_cell *plan;
    const struct stream *stream;
    const struct cycles *cycles;
    uint64_t passes; /* at most; below TAIL_PASSES_MIN nothing is kept but pass_max */
    uint64_t
        time_ns; /* no further pass begins after it, once TAIL_PASSES_MIN are made; 0: no limit */
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
