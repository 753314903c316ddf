/* claims.h - what a claim says, what is run to test it, how it is judged, and what is drawn of it. */
#ifndef TWBENCH_CLAIMS_H
#define TWBENCH_CLAIMS_H

#include "harness/measure/plan/plan.h"
#include "harness/measure/session/setup.h"
#include "harness/tell/result/document.h"
#include "labs/teach/claims/reader.h"

#include <cjson/cJSON.h>

/*
 * experiment.c: what a claim says, what is run to test it, and what would refute it: a file.
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

/* command_words.c: the command line that runs cells of an experiment, for readers and for labs. */

#define COMMAND_WORDS_MAX 48
#define EVERY             SIZE_MAX

/* "twbench", "run", ..; ended by NULL. */
struct command_words {
    const char *words[COMMAND_WORDS_MAX + 1];
    size_t count;
    char text[4000]; /* of the words */
    size_t used;
};

/* Of one design or store of the run, or EVERY; of one point, or of EVERY one: they differ in their tasks alone. */
void command_make(struct command_words *out, const struct experiment_run *run, size_t point,
                  size_t impl);
__attribute__((format(printf, 2, 3))) void command_add(struct command_words *words,
                                                       const char *format, ...);

/* In one line, with quotes where a shell wants them. */
void command_print(char *out, size_t size, const struct command_words *words);

/*
 * formulas.c: two formulas as the documents print them, and as they have to be.
 *
 * What a document prints as code is not measured, it is worked out: over every case of a small world,
 * against what a wheel has to do.
 */

/* Of all the cases tried: in how many it is wrong, and the first of those in words. */
struct formula_outcome {
    uint64_t cases, wrong;
    char first[160]; /* "" when none is wrong */
};

/* Tries all cases and fills *out. */
typedef void formula_fn(struct formula_outcome *out);

/* A row of the table. */
struct formula {
    const char *name, *text; /* "slot-printed", "(delay / d) % size + tick" */
    formula_fn *run;
};

/* All of them; NULL when there is none of that name. */
extern const struct formula formulas[];
extern const size_t formula_count;
const struct formula *formula_find(const char *name);

/*
 * predicate.c: judges the parts of a claim by the cells that were run for them.
 *
 * A part is tried for each design and each x that it leaves open.  It does not hold when one of these
 * trials refutes it; it is inconclusive when none does but one cannot tell - a cell that is not there or
 * did not end well, an interval on both sides of the bound, fewer samples than an interval of 95 % takes
 * - and else it holds.  The same goes for a claim and its parts, readings left out.
 *
 * Counts are exact and decide alone.  Times have an interval (95 %), and decide when all of it lies on one
 * side; of two designs on the same stream the ratio is taken sample by sample, because each round samples
 * both one after the other.
 */

/* Of a part or a claim; the worse ones come later. */
enum claim_verdict { CLAIM_HOLDS, CLAIM_INCONCLUSIVE, CLAIM_REFUTED };

/* "holds", "inconclusive", "does-not-hold" */
const char *claim_verdict_name(enum claim_verdict verdict);

/* A cell that a run asks for. */
struct evidence_cell {
    const struct experiment_run *run;
    const char *impl;
    double x;
    const cJSON *cell; /* NULL: not there */
};

struct evidence {
    const struct evidence_cell *cells;
    size_t count;
    bool counts_only; /* runs that take times were left out */
};

/* The cell of a design at one x; NULL when there is none. */
const cJSON *evidence_find(const struct evidence *evidence, const struct experiment_run *run,
                           const char *impl, double x);

#define PREDICATE_WHY_SIZE 700

struct judgement {
    enum claim_verdict verdict;
    char why[PREDICATE_WHY_SIZE]; /* the first trials that decided, with their figures */
    unsigned said, decided;       /* trials in `why`, and in all */
    cJSON *figures;               /* the caller's */
};

/* Tries the part on the cells and fills *out; out->figures is a new object, the caller's. */
void predicate_judge(const struct experiment_part *part, const struct evidence *evidence,
                     struct judgement *out);

/* The worse of two, as parts are added up. */
enum claim_verdict claim_verdict_and(enum claim_verdict a, enum claim_verdict b);

/*
 * pictures.c: what a claim looks like: pictures said in its file, and their data in the document.
 *
 *     "pictures": [
 *       { "title": "A start searches the list; a stop does not", "x": { "label": "timers" },
 *         "panels": [
 *           { "title": "start", "y": { "label": "work per start", "unit": "steps" },
 *             "series": [ { "of": { "run": "cancel", "phase": "start", "figure": "work / start" },
 *                           "fit": true } ] } ] } ]
 *
 * A picture has a shape: "lines" over the x of a run (if nothing else is said), "bars" (the first point of
 * each series, side by side), or "shares": how many calls of advance took at most how long, up to the
 * longest; then "of" says "at", and no figure.  An axis has a label, a unit, and "scale": "log" (if nothing
 * else is said) or "linear".  A series is one line for each design of its "of", named after it; a "name" is
 * set behind that.  A series with "mark" (1 .. PICTURE_MARKS) is not of a design but a way of doing, one
 * with "reference" a prediction: these have their name alone, and a line style that no design has.  "fit":
 * the class of growth that the points leave possible, and its curve through them.
 *
 * The document has the same with points in place of "of", so that it can be drawn again at any time.
 */

#define PICTURES_MAX       3
#define PICTURE_PANELS_MAX 6
#define PICTURE_SERIES_MAX 8
#define PICTURE_MARKS      6

/* As "shape" says it. */
enum picture_shape { PICTURE_LINES, PICTURE_BARS, PICTURE_SHARES };

struct picture_axis {
    const char *label, *unit; /* unit NULL: none beyond the label */
    bool is_linear;
};

struct picture_series {
    struct experiment_selector of;
    const char *name; /* NULL: that of the design alone */
    unsigned mark;    /* 0: it is of a design */
    bool is_reference, fit;
};

/* One pair of axes; the panels of a picture share x. */
struct picture_panel {
    const char *title;
    struct picture_axis y;
    struct picture_series series[PICTURE_SERIES_MAX];
    size_t series_count;
};

/* As the file says it; texts point into the experiment's JSON. */
struct claim_picture {
    const char *title;
    enum picture_shape shape;
    struct picture_axis x;
    struct picture_panel panels[PICTURE_PANELS_MAX];
    size_t panel_count;
};

/* Texts point into the tree that was read. */
struct claim_pictures {
    struct claim_picture items[PICTURES_MAX];
    size_t count;
};

/* The "pictures" of an experiment whose runs are read already; NULL when there are none, or when one is
 * refused.  The caller frees it. */
struct claim_pictures *pictures_read(struct reader *reader, const struct experiment *experiment,
                                     const cJSON *array);

/* "pictures" of the document: those that the cells have points for.  `pictures` may be NULL. */
cJSON *pictures_make(const struct claim_pictures *pictures, const struct evidence *evidence);

/*
 * catalogue.c: loads experiment files: one, or those of a folder in the order of the claims.
 */

/* Reads and checks a file; *out is freed with experiment_free.  DIAG_USAGE with "FILE:line:column: .."
 * when it is not JSON and "FILE: key.path: .., expected .." when it is no experiment. */
int experiment_load(const char *path, struct experiment **out, struct diag *diag);
/* The same from a text. */
int experiment_parse(const char *text, const char *path, struct experiment **out,
                     struct diag *diag);
/* With its pictures and JSON; NULL is allowed. */
void experiment_free(struct experiment *experiment);

struct catalogue {
    struct experiment **items; /* T1, T2, .. T10, ..: by letter, then by number */
    size_t count;
};

/* Every *.json of the folder.  With `ids` only those, in any case ("t6"); one that is not there, or two
 * files of one id, are DIAG_USAGE.  catalogue_free in any case. */
int catalogue_load(const char *directory, const char *const *ids, size_t id_count,
                   struct catalogue *out, struct diag *diag);
/* Frees the experiments too; empty afterwards. */
void catalogue_free(struct catalogue *catalogue);

/*
 * verdicts.c: all claims judged, as the JSON that a claims document has beside its cells.
 *
 * A claims document is a result document with more keys (schema/claims-1.json): "kind", "quick",
 * "claims", "not_yet" and "lab_cells".  So --resume, report and the exports take it as any other result.
 */

/* Which cell of the document belongs to a run: `identity` is that of the cell. */
struct verdicts_cell {
    const struct experiment_run *run;
    const char *impl;
    double x;
    char *identity;
};

/* All of them; all zero is empty. */
struct verdicts_cells {
    struct verdicts_cell *items;
    size_t count, room;
};

/* Copies the identity. */
void verdicts_add_cell(struct verdicts_cells *cells, const struct experiment_run *run,
                       const char *impl, double x, const char *identity);
/* Of the document or of a lab in it; NULL: not there. */
const cJSON *verdicts_cell_of(const cJSON *document, const char *identity);
/* Frees the identities too; empty afterwards. */
void verdicts_free_cells(struct verdicts_cells *cells);

/* Judges every claim by what the document has, and attaches what came. */
void verdicts_attach(const struct catalogue *catalogue, const struct verdicts_cells *cells,
                     bool quick, struct result_document *document);

/*
 * claiming.c: what documents claim, measured and judged in one session.
 */

struct claims_request {
    const struct setup *setup;
    const char *directory;    /* of the experiment files */
    const char *const *names; /* of the claims; none: all that are there */
    size_t name_count;
    bool quick; /* counts only */
};

struct claiming;

/* Reads and plans every experiment before any runs: a mistake in the last file should not cost the time of the others.
 * Then opens the session; an interrupt before that ends claiming_run at once.  The request outlives it.
 * claiming_close in any case. */
int claiming_open(const struct claims_request *request, struct claiming **out, struct diag *diag);

/* Runs what the document lacks, and judges each claim by what there is then.  DIAG_OK, POOL_INTERRUPTED or another
 * status. */
int claiming_run(struct claiming *claiming, struct diag *diag);

/* With the verdicts beside its cells (schema/claims-1.json); claiming's. */
struct result_document *claiming_document(struct claiming *claiming);

/* NULL is nothing. */
void claiming_close(struct claiming *claiming);

#endif
