/*
 * advising.h - finds the design and the settings for one load by measuring within a budget.
 */
#ifndef TWBENCH_ADVISING_H
#define TWBENCH_ADVISING_H

#include "harness/measure/session/session.h"
#include "labs/advise/evidence.h"

/* ---- Runs on the real clock: the program of the lab live plays them, one run each. */

#define LIVE_RUNNERS_MAX 16

struct live {
    struct runner runners[LIVE_RUNNERS_MAX];
    size_t count;
    void *listing; /* the runners' texts */
};

/* Asks for the runners; `names` is "A,B" or "all".  live_close in any case.  DIAG_USAGE when the lab is not built, or has
 * no such runner. */
int live_open(struct live *live, const char *names, struct diag *diag);
void live_close(struct live *live);

/* Plays the load once, or ten far timers for a moment (`idle`), and answers the cell of that run, the caller's: identity,
 * status, reason, stream, clock.  NULL: the program failed, and has said why. */
cJSON *live_run(const struct setup *setup, const struct load *load,
                const struct candidate *candidate, bool idle);

/* ---- Candidates of an advice, measured in a session until the time is up. */

struct measuring {
    struct setup setup;                     /* as given; its budget is that of all of it */
    struct setup matrix;                    /* of the plan at hand; its budget is that of a child */
    const struct tw_design *const *designs; /* to choose from */
    size_t design_count;
    struct live live; /* on the real clock: the runners to choose from */
    struct session session;
    struct advice_evidence evidence;
    bool is_made;       /* the load's stream; else nothing can be measured */
    uint64_t stream_ns; /* what it took to make that */
    uint64_t begin_ns,
        made_ns; /* of the command; of the race, once the load is made: measuring_now_ns */
    uint64_t begin_wall_ns; /* of the command, by CLOCK_MONOTONIC */
    uint64_t child_ns;      /* most of one child */
    double look_ns
        [CANDIDATES_MAX]; /* what a look at the load's own size took, by candidate; 0: unknown */
    const char *stage;    /* "look", as progress shows it */
    /* Of the plan at hand, for the cells that it names. */
    const size_t *chosen;
    size_t round;
};

/* How candidates are measured together; a round stands for the same runs wherever it is used. */
struct measuring_step {
    const size_t *chosen;
    size_t count;
    size_t round;
    uint64_t runs, warmup;
    bool no_latency; /* single calls are not timed */
};

/* What the budget counts: processor time with that of the children; with --clock=real, where all wait, wall time. */
uint64_t measuring_now_ns(const struct measuring *measuring);
/* Share that is used up of what making the load left of the budget, 0 and more. */
double measuring_used(const struct measuring *measuring);
/* What a step will take, as a share of the budget, going by what the looks took. */
double measuring_predict(const struct measuring *measuring, const struct measuring_step *step);

/* Is the load at that tick still the same, its delays rounded up?  Those of a workload may be counted in
 * ticks, and would be others.  DIAG_OK with *same set, or why there is no such stream. */
int measuring_same_load(struct measuring *measuring, uint64_t tick_ns, bool *same,
                        struct diag *diag);

/* Runs what the document lacks of the step, candidates of one tick side by side, and notes which cells
 * they are.  DIAG_OK, POOL_INTERRUPTED or another status. */
int measuring_run(struct measuring *measuring, const struct measuring_step *step,
                  struct diag *diag);

/* Counts what the slack that was asked for would save on the load; does nothing where none was.  DIAG_OK,
 * POOL_INTERRUPTED or another status. */
int measuring_slack(struct measuring *measuring, struct diag *diag);

/* ---- Decides the order in which candidates are measured, and which go on: successive halving in a budget.
 *
 *     first     what everybody would try, one sample each: hashed, heap, hier, fast; on the real clock each runner
 *     look      each design as it comes, without a warm-up; the hopeless run into their limit
 *     around    other settings, next as driver, coarser ticks, of designs that are not beaten
 *     race      the best by the look, 6 samples each, interleaved
 *     final     round by round those that do not differ significantly, those that may be better, and the next, until the
 *               answer is settled and no rival can be much better
 *
 * Each step begins only if it is expected to end within its share of the budget.
 */

/* The candidates that are not left out, in the order in which they are looked at; *first of them before anything else:
 * the usual designs, or on the real clock each runner once.  Answers how many; room for all. */
size_t racing_order(const struct advice_evidence *evidence, size_t *order, size_t *first);

/* The session is open, the evidence has its load and its wishes.  After each step the document has the
 * advice of what is known by then.  DIAG_OK, POOL_INTERRUPTED or another status. */
int racing_run(struct measuring *measuring, struct diag *diag);

/* ---- Which design and which settings for one load, found by measuring within a budget. */

/* What to advise on, as plain data; all that it points to outlives the advising. */
struct advise_request {
    const struct setup *setup; /* its budget is for all of it, as measuring_now_ns counts */
    uint64_t deadline_ns;      /* wall time for all of it; 0: no limit */
    const char *load;          /* a workload or a trace, by name or as a file */
    const struct tw_design *const *designs;
    size_t design_count;
    uint64_t tasks;    /* 0: the workload's default */
    const char *slack; /* what it would save; NULL: not asked */
    /* On the real clock: names of runners, or "all"; threads that start and stop; pace; how much a run plays, 0: by the
     * budget. */
    const char *runners;
    uint32_t threads;
    double speed;
    uint64_t duration_ns;
    struct wishes wishes;
};

/* Makes the load, or where that takes too long the same with fewer tasks, opens the session and measures until the
 * budget is used up; *out, all zero before, is large: on the heap.  advising_close in any case.  The advice stands beside the
 * cells in the session's document.  DIAG_OK, POOL_INTERRUPTED or another status. */
int advising_run(const struct advise_request *request, struct measuring *out, struct diag *diag);
void advising_close(struct measuring *measuring);

#endif
