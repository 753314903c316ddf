/*
 * candidates.h - what could be recommended for a load: designs with settings, a tick and a driver.
 *
 * The list is made from the registry and the load alone; nothing is run here.  What a design would
 * choose by itself comes first, and what lies around it when that has shown its values: wheels with a
 * quarter and four times the slots, other sizes of levels, driven by next, and, where lateness is
 * allowed, coarser ticks.
 */
#ifndef TWBENCH_CANDIDATES_H
#define TWBENCH_CANDIDATES_H

#include "harness/measure/plan/plan.h"
#include "labs/advise/choice.h"

#define CANDIDATES_MAX     128
#define CANDIDATE_NAME_MAX 160

/* Who owns the clock and the threads, as lab live lists it. */
struct runner {
    const char *name, *summary, *after;
};

struct candidate {
    const struct tw_design *design;
    const struct runner *runner; /* on the real clock: who drives it; else NULL */
    enum plan_drive drive;
    uint64_t tick_ns; /* 0: the load's own, or the runner's */
    struct tw_setting settings[PLAN_SETTINGS_MAX];
    size_t setting_count; /* 0: as the design chooses them */
    unsigned place;       /* of the design in the list of candidates_default */
    char left_out[200];   /* why it is not to be measured; "" */
};

struct load {
    const char *workload; /* as given */
    bool is_trace;
    uint64_t tasks, tick_ns;
    uint32_t capacity;
    tw_tick horizon;
    uint32_t threads;   /* on the real clock: that start and stop; else 0 */
    double speed;       /* on the real clock: at which it is played */
    uint64_t played_ns; /* on the real clock: how much of it a run plays; 0: all */
};

/* "hashed", "hashed slots=512 drive=next tick=10 ms". */
void candidate_name(char *out, size_t size, const struct candidate *candidate);
/* Exact, at the load's own tick; on the real clock nothing is. */
bool candidate_is_exact(const struct candidate *candidate);
/* The same design, runner, settings, drive and tick? */
bool candidate_equal(const struct candidate *left, const struct candidate *right);

/* Each of the designs as it comes, by ticks, but for those that keep nothing.  Those that no figure of the
 * virtual clock can recommend, and those that the wishes rule out by what they declare, have `left_out`.
 * Answers how many. */
size_t candidates_default(const struct wishes *wishes, const struct tw_design *const *designs,
                          size_t design_count, struct candidate *out, size_t max);

/* On the real clock: each design behind each runner.  Answers how many. */
size_t candidates_on_clock(const struct runner *runners, size_t runner_count,
                           const struct tw_design *const *designs, size_t design_count,
                           struct candidate *out, size_t max);

/* What lies around `of`, whose default settings resolved to `slots` (0: it has none).  Answers how many. */
size_t candidates_around(const struct candidate *of, const struct load *load, uint64_t slots,
                         struct candidate *out, size_t max);
/* The same candidate at coarser ticks than the load's, as far as the wishes allow; most first. */
size_t candidates_coarser(const struct candidate *of, const struct load *load,
                          const struct wishes *wishes, struct candidate *out, size_t max);

#endif
