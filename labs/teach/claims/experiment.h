/*
 * experiment.h - what a claim says, what is run to test it, and what would refute it: a file.
 *
 *     { "id": "T9", "statement": "More slots make cheaper ticks.", "documents": ["A", "B"],
 *       "runs": {
 *         "slots": { "designs": ["hashed"], "workload": "hold", "tasks": "10k", "measure": "counts",
 *                    "points": [ { "x": 64, "settings": { "slots": 64 } },
 *                                { "x": 512, "settings": { "slots": 512 } } ] } },
 *       "parts": [
 *         { "id": "visits", "statement": "An expiry costs fewer visits.", "kind": "order",
 *           "of": { "run": "slots", "phase": "steady", "figure": "visits / expire" },
 *           "is": "falling" } ],
 *       "meaning": { "holds": "...", "does-not-hold": "..." } }
 *
 * A RUN is cells: designs x the values of x.  x is the number of tasks where "tasks" is a list, and
 * what "points" say it is where there are points; a point may have its own settings, set (parameters
 * of the workload), tick, drive, tasks, workload.  "measure": "counts" takes no times.
 *
 * Where "lab" names a lab, its program runs the cells: of "live" on the real clock, of "durable" on the "stores" that stand
 * in place of "designs".  "flags" are for that program, and a point may add some.
 *
 * A design that "libraries" of the file names may not be built; what asks for it is inconclusive then.
 *
 * A PART is a statement with a predicate.  Its "of" names a run, and perhaps designs, a phase, one x
 * ("at"), and a figure (quantity.h); what it leaves open is tried for all there are, and the part
 * holds when it holds for each.
 *
 *     growth    over x, of each design: "at_most": "O(log n)" and / or "at_least": "O(n)"
 *     compare   "is": above | below | equal, "times": factor (1), what: "to": another "of" (which
 *               takes from the first what it does not say), or "predict": an expression over the
 *               figures of the same cell.  equal wants "within": a share
 *     order     over x, of each design: "is": rising | falling | flat (flat wants "within")
 *     formula   "name" of a printed formula (formulas.h)
 *
 * "pictures" say what is drawn of the figures (pictures.h).
 *
 * "role": "reading" is another way to read a statement that is not exact: it is judged and shown, and
 * does not count for the claim.  A file with "waits_for" has no runs: an experiment that cannot be made
 * yet.  labs/teach/docs/CLAIMS.md has every key.
 */
#ifndef TWBENCH_EXPERIMENT_H
#define TWBENCH_EXPERIMENT_H

#include "harness/measure/plan/plan.h"
#include "labs/teach/claims/reader.h"

#include <cjson/cJSON.h>

#define EXPERIMENT_RUNS_MAX    16
#define EXPERIMENT_PARTS_MAX   16
#define EXPERIMENT_DESIGNS_MAX 24
#define EXPERIMENT_POINTS_MAX  24
#define EXPERIMENT_SETS_MAX    12
#define EXPERIMENT_FLAGS_MAX   12
/* Of a cell that a lab runs: an interval of 95 % takes six samples. */
#define EXPERIMENT_LAB_RUNS 6

/* The cells of one x: everything that makes a plan but the designs. */
struct experiment_point {
    double x;
    uint64_t tasks; /* 0: the workload's default */
    const char *workload;
    uint64_t tick_ns; /* 0: the workload's */
    enum plan_drive drive;
    struct tw_setting settings[PLAN_SETTINGS_MAX];
    size_t setting_count;
    struct workload_setting sets[EXPERIMENT_SETS_MAX];
    size_t set_count;
    const char *flags[EXPERIMENT_FLAGS_MAX]; /* of the lab's program */
    size_t flag_count;
};

struct experiment_run {
    const char *name;
    const char *impls[EXPERIMENT_DESIGNS_MAX]; /* keys of the designs, or of the stores */
    size_t impl_count;
    const struct tw_design
        *designs[EXPERIMENT_DESIGNS_MAX]; /* those of impls; NULL: a store, or not built */
    const char *lab;                      /* whose program runs it; NULL: this one */
    bool timed, on_stores;
    struct experiment_point points[EXPERIMENT_POINTS_MAX];
    size_t point_count;
};

/* What a figure is looked up with; NULL and NaN: each there is. */
struct experiment_selector {
    const struct experiment_run *run;
    const char *impls[EXPERIMENT_DESIGNS_MAX]; /* all of them in the run */
    size_t impl_count;                         /* 0: each of the run */
    const char *phase;                         /* NULL: all phases together */
    const char *figure;
    bool timed; /* the figure rests on time */
    double at;  /* one x; NaN: each of the run */
    /* The claim uses the figure of a design elsewhere too: its label has to name the run, or the phase. */
    bool names_run, names_phase;
};

/* What a part may be, as "kind" and "is" say it. */
enum experiment_kind { KIND_GROWTH, KIND_COMPARE, KIND_ORDER, KIND_FORMULA };
enum experiment_relation { IS_ABOVE, IS_BELOW, IS_EQUAL, IS_RISING, IS_FALLING, IS_FLAT };

struct experiment_part {
    const char *id, *statement;
    bool is_reading;
    enum experiment_kind kind;
    struct experiment_selector of, to;
    bool has_to;         /* of KIND_COMPARE: to, else predict */
    const char *predict; /* an expression; a plain number is one */
    double times, within;
    enum experiment_relation relation;
    bool has_at_most, has_at_least;
    enum tw_growth at_most, at_least;
    const char *formula;
};

struct experiment {
    char *path;
    const char *id, *statement;
    const char *waits_for; /* NULL: it can be made */
    struct experiment_run runs[EXPERIMENT_RUNS_MAX];
    size_t run_count;
    struct experiment_part parts[EXPERIMENT_PARTS_MAX];
    size_t part_count;
    struct claim_pictures *pictures; /* NULL: none (pictures.h) */
    cJSON *json, *texts; /* the file, and numbers of it as text; strings here point into them */
};

/* Fills the experiment from out->json, but for its pictures.  out->texts is an array that the caller made and
 * frees.  Answers the reader's status. */
int experiment_read(struct reader *reader, struct experiment *out);

/* Reads { "run", "impl", "phase", "figure", "at" }, or refuses it at `place`.  What the object does not
 * say stays as it is in `out`: there a comparison has what it is compared with. */
void experiment_read_selector(struct reader *reader, const struct experiment *experiment,
                              const struct reader_place *place, const cJSON *object,
                              struct experiment_selector *out);

/* The keys that it selects: its own, or else all of its run. */
const char *const *experiment_impls(const struct experiment_selector *selector, size_t *count);

#define EXPERIMENT_LABEL_SIZE 200
/* "work / start of heap", or with the run or phase that it names: "work / start of heap (run descending)". */
void experiment_label(char out[EXPERIMENT_LABEL_SIZE], const struct experiment_selector *selector,
                      const char *impl);

/* "growth", "compare", "order", "formula"; "above", "below", .. */
const char *experiment_kind_name(enum experiment_kind kind);
const char *experiment_relation_name(enum experiment_relation relation);

#endif
