/* setup.h - says how cells are measured, as plain data: whoever wants cells fills it in, be it from flags or from a file.
 *
 * Times are in nanoseconds.  Pointers are the caller's and outlive the session.
 */
#ifndef TWBENCH_SETUP_H
#define TWBENCH_SETUP_H

#include "harness/base/clock.h"

/* Counters of the processor: when there are any, never, or else an error; or when there are any, and
 * single steps as well. */
enum setup_counters { COUNTERS_AUTO, COUNTERS_OFF, COUNTERS_REQUIRED, COUNTERS_STEP };

/* What stderr shows of it; AUTO is a bar on a terminal, else nothing. */
enum setup_progress { PROGRESS_AUTO, PROGRESS_BAR, PROGRESS_LINES, PROGRESS_NEVER };

/* All that a session is told. */
struct setup {
    int argc; /* the command line, for the record */
    char **argv;
    enum setup_progress progress;

    /* Streams. */
    const char *workload_directory;
    const struct workload_setting *sets;
    size_t set_count;
    uint64_t tick_ns; /* 0: the workload's */
    uint64_t seed;
    uint64_t max_pending; /* 0: no cap */

    /* Samples. */
    uint64_t runs, warmup;
    uint64_t time_ns;     /* for the samples of a design on a stream; 0: as long as `runs` take */
    uint64_t min_time_ns; /* work of one sample */
    uint64_t patience_ns; /* longest wait for the core's full pace */
    bool counts_only;     /* runs is 0 then */
    bool no_latency;      /* single calls are not timed */
    bool same_pass;       /* every pass of a process replays the same operations */
    bool rename;          /* passes over a trace differ in the ids, however long it is */
    enum setup_counters counters;

    const struct stage *stage; /* plays the cells (stage.h); NULL: in virtual time */
    const struct part *part;   /* of the plan only this part (stage.h); NULL: all */

    /* Children. */
    uint64_t budget_ns; /* wall time of one; 0: no limit */
    uint64_t memory_limit_bytes;
    uint64_t jobs; /* at a time; 0: claims, which knows itself how many do no harm */
    int pin_cpu;   /* below 0: the last core this process may use */
    bool pin_none, no_system_check;

    /* The document. */
    const char *kind;      /* its key of that name: which lab shows it; NULL: a result has none */
    const char *json;      /* file, "-" or NULL */
    bool resume;           /* go on with it */
    const char *reference; /* design whose times the others are shown over; NULL: none */
    const char *commit;    /* whose result it is: of the plugin's repository; NULL: unknown */
    char commit_date[24];  /* "2026-11-25T12:00:00Z"; "": unknown */
};

/* Making a stream may take the processor for so many budgets of a child. */
#define SETUP_MAKING_BUDGETS 4

/* What a stream made from now on has, where the command has no deadline. */
static inline struct deadline setup_making(const struct setup *setup)
{
    bool is_long = setup->budget_ns > UINT64_MAX / SETUP_MAKING_BUDGETS;
    return deadline_of_cpu(is_long ? 0 : SETUP_MAKING_BUDGETS * setup->budget_ns);
}

#endif
