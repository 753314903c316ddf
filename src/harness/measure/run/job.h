/* job.h - does one piece of work for one child process: a cell, and what to do with it. */
#ifndef TWBENCH_JOB_H
#define TWBENCH_JOB_H

#include "harness/measure/plan/plan.h"
#include "harness/measure/run/cycles.h"
#include "harness/measure/run/outcome.h"
#include "harness/measure/run/replay.h"

enum job_kind {
    JOB_PROVE,    /* the counted object, checked: digest, lateness, work */
    JOB_SCHEDULE, /* the timed object under one dispatch thread: dispatch.h */
    JOB_MEMORY,   /* the timed object in an arena of its own, exact */
    JOB_LATENCY,  /* the timed object, call by call */
    JOB_COUNT,    /* the timed object, between readings of the processor's counters */
    JOB_STEP,     /* the timed object: chosen calls stepped through, instruction by instruction */
    JOB_TIME,     /* the timed object: warm-up passes, then timed passes; one sample */
    JOB_OTHER,    /* no design: what a lab measures of the machine */
    JOB_LOOK /* the timed object as JOB_PROVE has it, as many passes as there would be timed ones: a run of another
                     kind took too long, and it is asked whether a function hangs */
};

struct job_report;

#define JOB_OTHER_VALUES 8

struct job {
    enum job_kind kind;
    size_t cell; /* index into the group's cells */
    const struct plan_cell *plan;
    const struct stream *stream;
    const struct cycles *cycles;
    const struct counters_event *events; /* of JOB_COUNT; NULL: the hardware's */
    uint64_t passes;                     /* of JOB_COUNT and JOB_TIME, after `warmup` ones */
    uint64_t warmup;
    bool is_watched;      /* of JOB_TIME: standard input is a socket whose other end reads clocks */
    double pace_ns;       /* of JOB_TIME: the core's full pace (pace.h); 0: not waited for */
    uint64_t patience_ns; /* how long all passes together may wait for it */
    /* Of JOB_OTHER, which has no plan, stream and passes: fills status, reason and other[]. */
    void (*other)(const void *task, struct job_report *report);
    const void *task;
};

/* What a job leaves in shared memory.  Filled by the child as it goes; a child that dies early
 * leaves `done` false. */
struct job_report {
    bool done;
    int status; /* enum outcome_status */
    char reason[400];
    tw_tick span_ticks;
    size_t setting_count;
    struct outcome_setting settings[OUTCOME_SETTINGS_MAX];
    struct replay_proof proof;                      /* JOB_PROVE */
    struct outcome_phase phases[STREAM_PHASES_MAX]; /* JOB_PROVE: work; JOB_LATENCY: latency */
    size_t schedule_count;                          /* JOB_SCHEDULE */
    struct outcome_schedule schedules[OUTCOME_SCHEDULES_MAX];
    struct replay_pass total; /* JOB_TIME: times summed over the passes, counts of one pass */
    double rest_wall_ns, rest_cpu_ns; /* JOB_TIME, watched: between the marks, less total's */
    double marks_cpu_ns;              /* the same: at the marks, with what stood still there */
    uint64_t retaken, slow; /* JOB_TIME: passes taken again, and kept, though the core was slow */
    uint64_t page_faults;   /* JOB_TIME: within the passes that count */
    struct outcome_memory memory;                      /* JOB_MEMORY */
    struct outcome_pages pages;                        /* JOB_MEMORY, JOB_TIME */
    struct outcome_stepped stepped;                    /* JOB_STEP */
    struct counters_reading counts[STREAM_PHASES_MAX]; /* JOB_COUNT: summed over the passes */
    char counters_reason[OUTCOME_COUNTERS_REASON];     /* JOB_COUNT */
    double other[JOB_OTHER_VALUES];                    /* JOB_OTHER */
    uint64_t end;                                      /* WARD_DONE: the child came to it */
};

/* Does the job in this process and fills the report.  Called in a child. */
void job_do(const struct job *job, struct job_report *report);

/* Holds a report that comes from a child to what can be: counts, names and words, and once more the digest to the
 * oracle's.  What cannot be becomes OUTCOME_CRASHED, a wrong digest OUTCOME_MISMATCH.  Texts are ended and made
 * printable on the way. */
void job_report_check(const struct job *job, struct job_report *report);

/* Holds the report of a watched JOB_TIME to the processor time of its process between the two marks, as the kernel told
 * it to the parent: a wall time, or processor time, that is shorter by more than 20 % of the passes becomes
 * OUTCOME_MISMATCH.  A process that waits for the processor has a longer wall time, so load makes none. */
void job_report_check_clock(struct job_report *report, uint64_t outside_ns);

/* What the report of a child that did not come to its end becomes: this outcome, and of what the child had written only the settings, where they are
 * some. */
void job_report_fail(struct job_report *report, enum outcome_status status, const char *reason);

#endif
