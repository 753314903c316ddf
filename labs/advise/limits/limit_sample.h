/* limit_sample.h - measures one of the machine's limits once, in this process.
 *
 * After one stretch that is thrown away LIMIT_STRETCHES of them are timed, LIMIT_STRETCH_OPERATIONS operations each, by
 * the cycle counter; the median counts, so that an interrupt costs a stretch and not the figure.  A stretch begins when the core has
 * its full pace (pace.h), and one at whose end it is gone is taken again while the patience lasts.
 */
#ifndef TWBENCH_LIMIT_SAMPLE_H
#define TWBENCH_LIMIT_SAMPLE_H

#include "harness/measure/run/cycles.h"
#include "harness/measure/run/job.h"
#include "labs/advise/limits/limit_kinds.h"

#define LIMIT_STRETCHES          15u
#define LIMIT_STRETCH_OPERATIONS 32768u

struct limit_task {
    struct limit_point
        point; /* of any kind but LIMIT_NULL_CALL, which is a pass of the replay loop */
    const uint32_t
        *order; /* a random permutation of 0 .. tasks - 1; NULL where there are no tasks */
    const struct cycles *cycles;
    double pace_ns; /* the core's full pace; 0: not waited for */
    uint64_t patience_ns;
};

struct limit_sample {
    double ns;              /* per operation */
    uint64_t retaken, slow; /* stretches taken again, and kept, though the core was slow */
    bool pages_known;       /* what the system says of the mapping: */
    uint64_t touched_bytes; /* that are there */
    uint64_t huge_bytes;    /* of these, on pages of 2 MiB */
};

/* OUTCOME_OK; or OUTCOME_OUT_OF_MEMORY or OUTCOME_UNSUPPORTED, with `reason` filled. */
enum outcome_status limit_sample_take(const struct limit_task *task, struct limit_sample *sample,
                                      char *reason, size_t reason_size);

/* The same as a job of the pool (JOB_OTHER), and what its report says. */
void limit_sample_job(const void *task, struct job_report *report);
struct limit_sample limit_sample_of(const struct job_report *report);

#endif
