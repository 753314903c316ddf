/* cases.h - the written cases: each names one thing that designs get wrong.
 *
 * A case is an operation list made for the design at hand (its span, the sizes it describes),
 * judged against the model like any other list.  The few things that a list cannot say have a
 * function of their own.
 */
#ifndef TWBENCH_CONFORM_CASES_H
#define TWBENCH_CONFORM_CASES_H

#include "harness/prove/operations.h"
#include "harness/prove/report.h"
#include "harness/prove/strides.h"

/* ---- What a case is made from and for. --------------------------------------- */

struct case_plan {
    const struct tw_backend *backend;
    const struct strides *strides;
    struct operations *operations; /* initialised, with the settings in place */
    uint32_t many_max;             /* most timers of the case of very many; 0: some thousands */
    uint32_t patience;             /* how many times the usual processor time */
    uint32_t life_starts;          /* starts in the longest life; 0: some thousands */
    bool is_timed;                 /* another table of the design counts */
    const struct process_state *before; /* of the case, in a child process; or NULL */
};

/* The name of the case that says which function changes the process. */
#define CASE_PROCESS "the process, and many lives"
/* The name of the case whose memory has no fences. */
#define CASE_THREADS "two threads"

struct written_case {
    const char *name;
    void (*build)(struct case_plan *plan); /* makes the list; NULL when `run` judges by itself */
    void (*run)(struct case_plan *plan, struct conform_report *report);
    /* Not run with every variant of the settings: it takes long, or has settings of its own. */
    bool is_once;
};

/* Ends with a NULL name. */
extern const struct written_case written_cases[];

/* ---- A list at growing sizes, while the design is fast enough for the next (very_many.c). ------ */

#define PACE_GROWTH 8u /* from one size to the next */

struct pace {
    double seconds; /* processor time of a story at the last size */
    bool is_over;   /* the next size would take longer than a story may */
};

/* Judges the list of the plan and keeps the time; the next size is expected to take at least PACE_GROWTH times it. */
void pace_judge(struct pace *pace, struct case_plan *plan, double seconds_max,
                struct conform_report *report);

/* ---- The cases that take more than an operation list. ----------------------- */

/* Each judges by itself and fills *report.  Those about memory need a process in which the design's allocations are taken
 * over (guard.h), and do nothing in another. */

/* Each allocation of open is refused, alone and with all that follow. */
void run_short_open(struct case_plan *plan, struct conform_report *report);
/* The same for what start allocates, at many places of one story; then there is memory again. */
void run_short_start(struct case_plan *plan, struct conform_report *report);
/* Each parameter at the upper end of its limits, with little memory. */
void run_upper_limits(struct case_plan *plan, struct conform_report *report);

/* Random lists with horizons of 2^9 to 2^33, and up to the last tick, with delays about them. */
void run_horizons(struct case_plan *plan, struct conform_report *report);
/* Instances that have nothing in common, in turn; one is closed and opened again between the others. */
void run_mixed_instances(struct case_plan *plan, struct conform_report *report);
void run_many_instances(struct case_plan *plan, struct conform_report *report);

/* Opens instances for thousands of timers, then for eight times as many, up to plan->many_max, and lets timers run, change
 * and fire in all of them.  A design that slows down as they become more is spared the next size once it would take too
 * long, for each story by itself: some seconds in all.  So is one that refuses to open with so many, for the machine's
 * sake. */
void run_many(struct case_plan *plan, struct conform_report *report);

/* Lets an instance live for 2^18 calls, then for plan->life_starts of each kind, with an episode in which each call matters
 * before every power of two.  Few timers run at a time, so that O(n) designs come as far as others; one that is too slow
 * all the same has a life of a quarter. */
void run_life(struct case_plan *plan, struct conform_report *report);

/* Many short lives, after which the process is as it was and holds no more; then two threads, each with an instance that
 * another thread has opened (surroundings.c). */
void run_surroundings(struct case_plan *plan, struct conform_report *report);
void run_threads(struct case_plan *plan, struct conform_report *report);

/* Lists whose starts have slack; nothing for a design that takes none. */
void run_slack(struct case_plan *plan, struct conform_report *report);
/* Lists by batches; nothing for a design without batch operations. */
void run_batches(struct case_plan *plan, struct conform_report *report);
/* Lists after whose steps the exact next is asked; nothing for a design that has none (batches.c). */
void run_exact(struct case_plan *plan, struct conform_report *report);
/* What some of the random lists are run with, where the design has it: batches, the exact next, slack. */
void give_parts(struct operations *list, const struct tw_backend *backend, uint64_t seed);

#endif
