/* sweep.c - fits growth to a sweep, and prints the classes. */
#include "harness/tell/report/standing.h"

#include "harness/base/json.h"
#include "harness/tell/report/builders.h"
#include "harness/tell/report/view.h"

#define CLASSES_SIZE 64

static const char *const operation_names[SWEEP_OPERATIONS] = {
    [SWEEP_START] = "start",
    [SWEEP_STOP] = "stop",
    [SWEEP_EXPIRE] = "expire",
    [SWEEP_TICK] = "tick",
};

/* One operation of a sweep, by counts and by times. */
struct sweep {
    const cJSON *first; /* cell */
    const char *phase;
    enum sweep_operation operation;
    size_t count;
    struct growth_point work[GROWTH_POINTS_MAX], time[GROWTH_POINTS_MAX];
};

/* ---- From cells to points. ------------------------------------------------------------------- */

/* SWEEP_OPERATIONS when the phase mixes kinds, or has more ticks than expiries. */
static enum sweep_operation operation_of(const cJSON *phase)
{
    bool starts = json_get_number(phase, "operations.start") > 0;
    bool stops = json_get_number(phase, "operations.stop") > 0;
    bool advances = json_get_number(phase, "operations.advance") > 0;
    double expires = json_get_number(phase, "operations.expire");
    if (starts + stops + advances != 1)
        return SWEEP_OPERATIONS;
    if (starts || stops)
        return starts ? SWEEP_START : SWEEP_STOP;
    if (expires == 0)
        return SWEEP_TICK;
    return json_get_number(phase, "operations.advance") <= expires ? SWEEP_EXPIRE
                                                                   : SWEEP_OPERATIONS;
}

static bool same_experiment(const cJSON *a, const cJSON *b)
{
    static const char *const keys[] = {"impl", "requested", "workload", "tick_ns",
                                       "limits.max_pending"};
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++) {
        const cJSON *left = json_get(a, keys[i]), *right = json_get(b, keys[i]);
        if ((left || right) && !cJSON_Compare(left, right, true))
            return false;
    }
    return true;
}

static const cJSON *phase_named(const cJSON *cell, const char *name)
{
    struct view_row row = {.cell = cell};
    return view_phase(&row, name);
}

/* Times of several machines are not on one line. */
static bool is_on_machine_of(const cJSON *first, const cJSON *cell)
{
    return cJSON_Compare(json_get(first, "on_machine"), json_get(cell, "on_machine"), true) ||
           (!json_get(first, "on_machine") && !json_get(cell, "on_machine"));
}

static void add_point(struct sweep *sweep, const cJSON *cell, const cJSON *phase)
{
    static const char *const divisors[SWEEP_OPERATIONS] = {
        "operations.start", "operations.stop", "operations.expire", "operations.advance"};
    const cJSON *time = NULL;
    if (is_on_machine_of(sweep->first, cell))
        time = json_get(phase, sweep->operation == SWEEP_TICK ? "ns_per_advance" : "ns_per_op");
    double n = json_get_number(cell, "tasks");
    double work =
        (json_get_number(phase, "work.comparisons") + json_get_number(phase, "work.visits") +
         json_get_number(phase, "work.moves") + json_get_number(phase, "work.link_writes")) /
        json_get_number(phase, divisors[sweep->operation]);
    sweep->work[sweep->count] = (struct growth_point){n, work, work, work};
    sweep->time[sweep->count++] =
        (struct growth_point){n, json_get_number(time, "median"), json_get_number(time, "low"),
                              json_get_number(time, "high")};
}

/* All cells of the experiment of `first` in which the phase is of the same operation. */
static struct sweep collect(const cJSON *first, const cJSON *phase, enum sweep_operation operation)
{
    struct sweep sweep = {
        .first = first, .phase = json_get_text(phase, "name"), .operation = operation};
    for (const cJSON *cell = first; cell && sweep.count < GROWTH_POINTS_MAX; cell = cell->next) {
        const cJSON *own = phase_named(cell, sweep.phase);
        if (json_says(cell, "status", "ok") && own && same_experiment(first, cell) &&
            operation_of(own) == sweep.operation)
            add_point(&sweep, cell, own);
    }
    return sweep;
}

/* Small sizes may tell of another operation in the same phase, so this is asked for each. */
static bool is_first(const cJSON *cells, const cJSON *cell, const cJSON *phase)
{
    for (const cJSON *before = cells->child; before != cell; before = before->next) {
        const cJSON *own = phase_named(before, json_get_text(phase, "name"));
        if (json_says(before, "status", "ok") && own && operation_of(own) == operation_of(phase) &&
            same_experiment(before, cell))
            return false;
    }
    return true;
}

typedef void sweep_visit_fn(void *ctx, const struct sweep *sweep, const struct growth_fit *work);

static void visit_phases(const cJSON *cells, const cJSON *cell, sweep_visit_fn *visit, void *ctx)
{
    json_each(phase, cell, "phases") {
        enum sweep_operation operation = operation_of(phase);
        if (operation == SWEEP_OPERATIONS || !is_first(cells, cell, phase))
            continue;
        struct sweep sweep = collect(cell, phase, operation);
        struct growth_fit work = growth_fit(sweep.work, sweep.count);
        if (work.status != GROWTH_TOO_FEW && sweep.count >= GROWTH_SIZES_MIN)
            visit(ctx, &sweep, &work);
    }
}

static void visit_sweeps(const cJSON *document, sweep_visit_fn *visit, void *ctx)
{
    const cJSON *cells = json_get(document, "cells");
    json_each(cell, cells, "")
        if (json_says(cell, "status", "ok") &&
            !cJSON_IsTrue(json_get(cell, "traits.keeps_nothing")))
            visit_phases(cells, cell, visit, ctx);
}

/* ---- The section. ---------------------------------------------------------------------------- */

/* "O(n)", "O(1) or O(log n)", "O(1) to O(n)", or why there is none. */
static void name_classes(char out[CLASSES_SIZE], const struct growth_fit *fit)
{
    if (fit->classes == 0) {
        snprintf(out, CLASSES_SIZE, "%s", fit->status == GROWTH_FITTED ? "none fits" : "-");
        return;
    }
    growth_name_classes(out, CLASSES_SIZE, fit);
}

/* Results of older versions do not say what the design declares. */
static void put_declared(struct page *page, const struct sweep *sweep, const struct place *cell)
{
    char path[48];
    snprintf(path, sizeof path, "traits.costs.%s", operation_names[sweep->operation]);
    page_cell(page, "%s", json_get(cell->json, path) ? "" : "-");
    page_put(page, cell, path);
}

/* No "-0.00". */
static double two_digits(double value)
{
    return fabs(value) < 0.005 ? 0 : value;
}

static void put_exponent(struct page *page, const struct growth_fit *fit)
{
    page_cell(page, "%s", "");
    if (isnan(fit->exponent))
        page_span(page, "-");
    else
        page_derived(page, fit->exponent, "%.2f (%.2f to %.2f)", two_digits(fit->exponent),
                     two_digits(fit->exponent_low), two_digits(fit->exponent_high));
}

static void put_classes(struct page *page, const struct growth_fit *fit)
{
    char classes[CLASSES_SIZE];
    name_classes(classes, fit);
    page_cell(page, "%s", "");
    page_derived(page, NAN, "%s", classes);
}

static void open_growth(struct page *page)
{
    static const struct {
        const char *title, *unit;
        int keep;
    } columns[] = {{"", "design", 0},         {"", "workload, phase", 2}, {"", "operation", 0},
                   {"class", "by counts", 0}, {"class", "by times", 4},   {"", "declared", 3},
                   {"exponent", "counts", 1}};
    page_heading(page, 2, "growth", "Growth with the number of tasks");
    page_table(page, NULL, "Growth");
    for (size_t i = 0; i < sizeof columns / sizeof *columns; i++)
        page_column(page, columns[i].title, columns[i].unit, PAGE_LEFT | (i ? 0 : PAGE_NAMES),
                    columns[i].keep);
}

struct growth {
    struct page *page;
    struct place cells;
    bool any;
};

static void add_growth(void *ctx, const struct sweep *sweep, const struct growth_fit *work)
{
    struct growth *growth = ctx;
    struct page *page = growth->page;
    char params[64];
    struct growth_fit time = growth_fit(sweep->time, sweep->count);
    struct place cell = place_of(&growth->cells, sweep->first);
    if (!growth->any)
        open_growth(page);
    growth->any = true;
    json_format_params(params, sizeof params, json_get(sweep->first, "requested"));
    page_row(page);
    page_cell(page, "%s%s%s", json_get_text(sweep->first, "impl"), params[0] ? " " : "", params);
    page_cell(page, "%s, %s", json_get_text(sweep->first, "workload"), sweep->phase);
    page_cell(page, "%s", operation_names[sweep->operation]);
    put_classes(page, work);
    put_classes(page, &time);
    put_declared(page, sweep, &cell);
    put_exponent(page, work);
}

void page_growth(struct page *page, const cJSON *document)
{
    struct place root = place_root(document);
    struct growth growth = {.page = page, .cells = place_get(&root, "cells")};
    visit_sweeps(document, add_growth, &growth);
    if (growth.any)
        page_text(page, "Classes of growth that no curve rules out; 'or', 'to': several remain.  "
                        "Counts are comparisons, visits, moves and link writes per operation; "
                        "times include effects of caches.");
}

/* ---- Claims. --------------------------------------------------------------------------------- */

static const char *skip_blanks(const char *at)
{
    return at + strspn(at, " \t");
}

/* The longest of names[0 .. count) that the text begins with; count when none does. */
static size_t match(const char *at, const char *(*name)(size_t), size_t count)
{
    size_t best = count;
    for (size_t i = 0; i < count; i++)
        if (strncmp(at, name(i), strlen(name(i))) == 0 &&
            (best == count || strlen(name(i)) > strlen(name(best))))
            best = i;
    return best;
}

static const char *operation_name(size_t operation)
{
    return operation_names[operation];
}

static const char *class_name(size_t class)
{
    return growth_class_name((enum tw_growth) class);
}

static int refuse(const char *text, const char *at, const char *expected, struct diag *diag)
{
    return diag_usage(diag, "--assert: '%s', column %zu: expected %s", text,
                      (size_t)(at - text) + 1, expected);
}

int sweep_parse_claim(const char *text, struct sweep_claim *out, struct diag *diag)
{
    const char *at = skip_blanks(text);
    size_t length = strcspn(at, ". \t<");
    if (length == 0 || length >= SWEEP_NAME_SIZE)
        return refuse(text, at, "a design, as in 'heap.start<=O(log n)'", diag);
    struct sweep_claim claim = {.text = text};
    snprintf(claim.impl, sizeof claim.impl, "%.*s", (int)length, at);
    at += length;
    if (*at != '.')
        return refuse(text, at, "a dot between design and operation", diag);
    size_t operation = match(++at, operation_name, SWEEP_OPERATIONS);
    if (operation == SWEEP_OPERATIONS)
        return refuse(text, at, "start, stop, expire or tick", diag);
    at = skip_blanks(at + strlen(operation_name(operation)));
    if (strncmp(at, "<=", 2) != 0)
        return refuse(text, at, "<=", diag);
    at = skip_blanks(at + 2);
    size_t class = match(at, class_name, GROWTH_CLASSES);
    if (class == GROWTH_CLASSES)
        return refuse(text, at, "O(1), O(log n), O(n), O(n log n) or O(n^2)", diag);
    at = skip_blanks(at + strlen(class_name(class)));
    if (*at != '\0')
        return refuse(text, at, "nothing after the class", diag);
    claim.operation = (enum sweep_operation)operation;
    claim.bound = (enum tw_growth) class;
    *out = claim;
    return DIAG_OK;
}

struct trial {
    const struct sweep_claim *claim;
    size_t sweeps;
    enum growth_answer answer; /* the worst so far */
    struct diag *diag;
};

static void try_sweep(void *ctx, const struct sweep *sweep, const struct growth_fit *work)
{
    struct trial *trial = ctx;
    const struct sweep_claim *claim = trial->claim;
    if (sweep->operation != claim->operation || !json_says(sweep->first, "impl", claim->impl))
        return;
    trial->sweeps++;
    enum growth_answer answer = growth_at_most(work, sweep->work, sweep->count, claim->bound);
    if (answer == GROWTH_HOLDS || trial->answer == GROWTH_BROKEN || answer == trial->answer)
        return;
    char classes[CLASSES_SIZE];
    name_classes(classes, work);
    trial->answer = answer;
    snprintf(trial->diag->text, sizeof trial->diag->text,
             "--assert: '%s' %s: the counts of %s, phase %s, over %zu sizes are %s (exponent %.2f)",
             claim->text, answer == GROWTH_BROKEN ? "is broken" : "cannot be decided",
             json_get_text(sweep->first, "workload"), sweep->phase, sweep->count, classes,
             work->exponent);
}

int sweep_check_claim(const struct result_document *document, const struct sweep_claim *claim,
                      enum growth_answer *answer, struct diag *diag)
{
    struct trial trial = {.claim = claim, .answer = GROWTH_HOLDS, .diag = diag};
    visit_sweeps(result_json(document), try_sweep, &trial);
    if (trial.sweeps == 0)
        return diag_usage(
            diag,
            "--assert: '%s': no phase of only this operation of '%s' over at least %d "
            "numbers of tasks; expected a sweep such as --tasks=1e3..1e6",
            claim->text, claim->impl, GROWTH_SIZES_MIN);
    *answer = trial.answer;
    return DIAG_OK;
}
