/*
 * measuring.h - candidates of an advice, measured in a session until the time is up.
 */
#ifndef TWBENCH_MEASURING_H
#define TWBENCH_MEASURING_H

#include "harness/measure/session/session.h"
#include "labs/advise/evidence.h"
#include "labs/advise/live.h"

struct measuring {
    struct setup setup;                     /* as given; its budget is that of all of it */
    struct setup matrix;                    /* of the plan at hand; its budget is that of a child */
    const struct tw_design *const *designs; /* to choose from */
    size_t design_count;
    struct live live; /* on the real clock: the runners to choose from */
    struct session session;
    struct advice_evidence evidence;
    bool has_sizes;             /* fewer tasks of the load can be tried */
    bool is_made;               /* the load's stream; else nothing can be measured */
    uint64_t stream_ns;         /* what it took to make that */
    uint64_t begin_ns, made_ns; /* of the command; of the race, once the load is made */
    uint64_t child_ns;          /* most of one child */
    double look_ns
        [CANDIDATES_MAX]; /* what a look at the load's own size took, by candidate; 0: unknown */
    const char *stage;    /* "look", as progress shows it */
    /* Of the plan at hand, for the cells that it names. */
    const size_t *chosen;
    uint64_t tasks;
    size_t round;
};

/* How candidates are measured together; a round stands for the same runs wherever it is used. */
struct measuring_step {
    const size_t *chosen;
    size_t count;
    uint64_t tasks;
    size_t round;
    uint64_t runs, warmup;
    uint64_t min_time_ns; /* work of a sample; 0: as the setup says */
};

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

/* Does the evidence have this candidate in this round at this size already? */
bool measuring_has(const struct measuring *measuring, size_t candidate, uint64_t tasks,
                   size_t round);

#endif
