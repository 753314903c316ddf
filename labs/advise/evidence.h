/*
 * evidence.h - who could be recommended, which cells are of whom, and what they say.
 */
#ifndef TWBENCH_EVIDENCE_H
#define TWBENCH_EVIDENCE_H

#include "harness/measure/plan/plan.h"
#include "harness/measure/workload/stream.h"
#include "harness/tell/result/document.h"
#include "labs/advise/choice.h"

/* ---- What could be recommended for a load: designs with settings, a tick and a driver.
 *
 * The list is made from the registry and the load alone; nothing is run here.  What a design would
 * choose by itself comes first, and what lies around it when that has shown its values: wheels with a
 * quarter and four times the slots, other sizes of levels, driven by next, and, where lateness is
 * allowed, coarser ticks.
 */

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
    const char *workload; /* as given, and with what was set */
    const struct workload_setting *sets;
    size_t set_count;
    bool is_trace;
    uint64_t tasks, tick_ns;
    uint32_t capacity;
    tw_tick horizon;
    uint32_t threads;   /* on the real clock: that start and stop; else 0 */
    double speed;       /* on the real clock: at which it is played */
    uint64_t played_ns; /* on the real clock: how much of it a run plays; 0: all */
};

/* "hashed", "hashed slots=512 tickless tick=10 ms". */
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

/* Place among those that everybody would try, and that are tried first; CANDIDATES_USUAL: none of them. */
#define CANDIDATES_USUAL 4
unsigned candidate_usual(const struct tw_design *design);
/* The same, by their names. */
extern const char *const candidates_usual[CANDIDATES_USUAL];

/* On the real clock: each runner before the first design, then each before the next.  Answers how many. */
size_t candidates_on_clock(const struct runner *runners, size_t runner_count,
                           const struct tw_design *const *designs, size_t design_count,
                           struct candidate *out, size_t max);

/* What lies around `of`, whose default settings resolved to `slots` (0: it has none).  Answers how many. */
size_t candidates_around(const struct candidate *of, const struct load *load, uint64_t slots,
                         struct candidate *out, size_t max);
/* The same candidate at coarser ticks than the load's, as far as the wishes allow; most first. */
size_t candidates_coarser(const struct candidate *of, const struct load *load,
                          const struct wishes *wishes, struct candidate *out, size_t max);

/* ---- Which cell of the document is of which candidate, at which size and in which round. */

/* One cell, by its identity. */
struct evidence_item {
    size_t candidate;
    size_t round;
    char *identity;
    const cJSON *cell; /* found by evidence_look; NULL: not there (yet) */
};

/* What slack would save: wake-ups driven by next, counted of an exact design and of those that take slack. */
#define SLACK_DESIGNS 3

struct slack_count {
    const char *impl;
    double wakeups, expiries, late_p50_ns, late_p99_ns; /* NaN: not known */
};

/* Round of cells on the real clock in which nothing happens: they say how often a runner wakes up all the same. */
#define EVIDENCE_IDLE CRITERIA_ROUNDS

struct advice_evidence {
    struct load load;
    struct wishes wishes;
    struct candidate candidates[CANDIDATES_MAX];
    size_t candidate_count;
    struct evidence_item *items;
    size_t item_count, item_room;
    cJSON *runs; /* on the real clock: an array of cells, which the items point into; else NULL */
    const char *slack; /* as it was asked for; NULL: it was not */
    struct stream_slack granted;
    struct slack_count slack_counts[SLACK_DESIGNS]; /* the exact one first */
    double interruption_ns; /* what one takes on this machine, typically; 0: not known */
    uint64_t budget_ns, used_ns;
    char unmade[1024]; /* why the load asked for is not the one that is measured; "" */
    size_t untried;    /* candidates for which there was no time */
    bool interrupted;
    bool cut; /* a step was ended because the time was up; its cells are not there */
};

/* Answers the candidate's index, that of an equal one when there is one already; CANDIDATES_MAX when
 * there is no room. */
size_t evidence_add_candidate(struct advice_evidence *evidence, const struct candidate *candidate);
/* Copies the identity. */
void evidence_add(struct advice_evidence *evidence, size_t candidate, size_t round,
                  const char *identity);
/* Adds a run on the real clock, which it takes, to the candidate's others of the same round. */
void evidence_add_run(struct advice_evidence *evidence, size_t candidate, size_t round,
                      cJSON *cell);
/* Finds the cells of all items in the document and among the runs, which they point into from then on. */
void evidence_look(struct advice_evidence *evidence, const cJSON *document);
/* Frees the items and runs; empty afterwards.  The document is the caller's. */
void evidence_free(struct advice_evidence *evidence);

/* Was any candidate measured? */
bool evidence_knows(const struct advice_evidence *evidence);

/* Does it have this candidate in this round? */
bool evidence_has(const struct advice_evidence *evidence, size_t candidate, size_t round);
/* What is known of a candidate. */
struct contender evidence_contender(const struct advice_evidence *evidence, size_t candidate);

/* Contenders, all candidates in their order, and what the wishes say of them. */
struct field {
    size_t count;
    struct contender contenders[CANDIDATES_MAX];
    struct choice_contender entries[CANDIDATES_MAX];
    char why[CANDIDATES_MAX][120]; /* not allowed; "" */
    size_t by[CANDIDATES_MAX];     /* of front_find, among those that are allowed */
    bool equal[CANDIDATES_MAX];
    struct choice choice;
};

/* *out is large: on the heap, with memory_take.  Points into `evidence` and into *out itself. */
void field_fill(struct field *out, const struct advice_evidence *evidence);

/* ---- The sentences of an advice, each made of figures that stand beside it in the document. */

#define WORDS_SIZE         700
#define WORDS_COST_UNCLEAR "cost unclear: overhead too large to subtract"

/* The reasons for the choice of the field, sentences; the caller's. */
cJSON *words_reasons(const struct advice_evidence *evidence, const struct field *field);

/* "No clear answer between hashed and round by cost", when another design than the chosen one does not differ
 * significantly by the goal, or when no other was measured; "" else.  The field has a choice. */
void words_unclear(char *out, size_t size, const struct advice_evidence *evidence,
                   const struct field *field);

/* What the chosen design is, and which starts it refuses as it was measured. */
void words_is(char *out, size_t size, const struct advice_evidence *evidence,
              const struct field *field);

/* Why a candidate is not the answer: what it lost by, or that it was not measured and why. */
void words_why(char *out, size_t size, const struct advice_evidence *evidence,
               const struct field *field, size_t candidate);

/* A command line that measures the candidate again. */
void words_command(char *out, size_t size, const struct load *load,
                   const struct candidate *candidate);

/* ---- From evidence to the JSON of the advice: a pure function of the cells it names.
 *
 * An advice document is a result document with the keys "kind" and "advice" (labs/advise/schema/advice-1.json), so
 * that --resume, report and the exports take it as any other result.
 */

/* The object "advice", owned by the caller; keys are left out without memory.  The evidence has been
 * looked up (evidence_look). */
cJSON *advice_make(const struct advice_evidence *evidence);

/* Looks the evidence up in the document, makes the advice and puts it there. */
void advice_attach(struct advice_evidence *evidence, struct result_document *document);

#endif
