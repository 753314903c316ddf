/* sweep.c - fits growth to a sweep, and prints what came of it. */
#include "harness/report/sweep.h"

#include "harness/report/grid.h"
#include "harness/report/view.h"
#include "harness/result/json.h"

#include <math.h>
#include <string.h>

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

static bool is_ok(const cJSON *cell)
{
    return strcmp(json_get_text(cell, "status"), "ok") == 0;
}

static const cJSON *phase_named(const cJSON *cell, const char *name)
{
    struct view_row row = {.cell = cell};
    return view_phase(&row, name);
}

static void add_point(struct sweep *sweep, const cJSON *cell, const cJSON *phase)
{
    static const char *const divisors[SWEEP_OPERATIONS] = {
        "operations.start", "operations.stop", "operations.expire", "operations.advance"};
    const cJSON *time =
        json_get(phase, sweep->operation == SWEEP_TICK ? "ns_per_advance" : "ns_per_op");
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
        if (is_ok(cell) && own && same_experiment(first, cell) &&
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
        if (is_ok(before) && own && operation_of(own) == operation_of(phase) &&
            same_experiment(before, cell))
            return false;
    }
    return true;
}

typedef void sweep_visit_fn(void *ctx, const struct sweep *sweep, const struct growth_fit *work);

static void visit_phases(const cJSON *cells, const cJSON *cell, sweep_visit_fn *visit, void *ctx)
{
    const cJSON *phase;
    cJSON_ArrayForEach(phase, json_get(cell, "phases"))
    {
        enum sweep_operation operation = operation_of(phase);
        if (operation == SWEEP_OPERATIONS || !is_first(cells, cell, phase))
            continue;
        struct sweep sweep = collect(cell, phase, operation);
        struct growth_fit work = growth_fit(sweep.work, sweep.count);
        if (work.status != GROWTH_TOO_FEW)
            visit(ctx, &sweep, &work);
    }
}

static void visit_sweeps(const struct result_document *document, sweep_visit_fn *visit, void *ctx)
{
    const cJSON *cells = json_get(result_json(document), "cells"), *cell;
    cJSON_ArrayForEach(cell, cells)
    {
        if (is_ok(cell) && !cJSON_IsTrue(json_get(cell, "traits.keeps_nothing")))
            visit_phases(cells, cell, visit, ctx);
    }
}

/* ---- The section. ---------------------------------------------------------------------------- */

/* "O(n)", "O(1) or O(log n)", "O(1) to O(n)", or why there is none. */
static void name_classes(char out[CLASSES_SIZE], const struct growth_fit *fit)
{
    if (fit->classes == 0) {
        snprintf(out, CLASSES_SIZE, "%s", fit->status == GROWTH_FITTED ? "none fits" : "-");
        return;
    }
    enum tw_growth lowest = growth_lowest(fit), highest = growth_highest(fit);
    const char *between = highest - lowest == 1 ? " or " : " to ";
    snprintf(out, CLASSES_SIZE, "%s%s%s", growth_class_name(lowest),
             lowest == highest ? "" : between, lowest == highest ? "" : growth_class_name(highest));
}

static const struct tw_cost *declared_cost(const struct sweep *sweep, sweep_traits_fn *traits_of,
                                           const void *traits_ctx)
{
    const struct tw_traits *traits = traits_of(traits_ctx, json_get_text(sweep->first, "impl"));
    if (!traits)
        return NULL;
    const struct tw_cost *const costs[SWEEP_OPERATIONS] = {&traits->start, &traits->stop,
                                                           &traits->expire, &traits->tick};
    return costs[sweep->operation];
}

static void set_declared(char out[GRID_TEXT_SIZE], const struct tw_cost *cost)
{
    if (!cost)
        snprintf(out, GRID_TEXT_SIZE, "-");
    else if (cost->average == cost->worst)
        snprintf(out, GRID_TEXT_SIZE, "%s", growth_class_name(cost->average));
    else
        snprintf(out, GRID_TEXT_SIZE, "%s, worst %s", growth_class_name(cost->average),
                 growth_class_name(cost->worst));
}

static void set_exponent(char out[GRID_TEXT_SIZE], const struct growth_fit *fit)
{
    if (isnan(fit->exponent))
        snprintf(out, GRID_TEXT_SIZE, "-");
    else
        snprintf(out, GRID_TEXT_SIZE, "%.2f (%.2f .. %.2f)", fit->exponent, fit->exponent_low,
                 fit->exponent_high);
}

enum { DESIGN, PHASE, OPERATION, COUNTS, TIMES, DECLARED, EXPONENT, COLUMNS };

static void make_columns(struct grid *grid)
{
    static const char *const titles[COLUMNS][2] = {
        [DESIGN] = {"", "growth"},          [PHASE] = {"workload,", "phase"},
        [OPERATION] = {"", "operation"},    [COUNTS] = {"class", "by counts"},
        [TIMES] = {"class", "by times"},    [DECLARED] = {"", "declared"},
        [EXPONENT] = {"exponent", "counts"}};
    static const int keeps[COLUMNS] = {[PHASE] = 2, [TIMES] = 4, [DECLARED] = 3, [EXPONENT] = 1};
    for (size_t i = 0; i < COLUMNS; i++)
        grid_add_column(grid, titles[i][0], titles[i][1], keeps[i])->left = true;
}

struct section {
    struct grid grid;
    size_t row;
    sweep_traits_fn *traits_of;
    const void *traits_ctx;
    bool counts_only; /* the first walk, which finds the number of rows */
};

static void add_row(void *ctx, const struct sweep *sweep, const struct growth_fit *work)
{
    struct section *section = ctx;
    size_t row = section->row++;
    if (section->counts_only)
        return;
    struct growth_fit time = growth_fit(sweep->time, sweep->count);
    struct grid *grid = &section->grid;
    char params[32], classes[CLASSES_SIZE];
    json_format_params(params, sizeof params, json_get(sweep->first, "requested"));
    snprintf(grid_at(grid, row, DESIGN)->text, GRID_TEXT_SIZE, "%.24s%s%s",
             json_get_text(sweep->first, "impl"), params[0] ? " " : "", params);
    snprintf(grid_at(grid, row, PHASE)->text, GRID_TEXT_SIZE, "%.30s, %.30s",
             json_get_text(sweep->first, "workload"), sweep->phase);
    snprintf(grid_at(grid, row, OPERATION)->text, GRID_TEXT_SIZE, "%s",
             operation_names[sweep->operation]);
    name_classes(classes, work);
    snprintf(grid_at(grid, row, COUNTS)->text, GRID_TEXT_SIZE, "%s", classes);
    name_classes(classes, &time);
    snprintf(grid_at(grid, row, TIMES)->text, GRID_TEXT_SIZE, "%s", classes);
    set_declared(grid_at(grid, row, DECLARED)->text,
                 declared_cost(sweep, section->traits_of, section->traits_ctx));
    set_exponent(grid_at(grid, row, EXPONENT)->text, work);
}

void sweep_write(FILE *out, const struct result_document *document,
                 const struct report_style *style, sweep_traits_fn *traits_of,
                 const void *traits_ctx)
{
    struct section section = {
        .traits_of = traits_of, .traits_ctx = traits_ctx, .counts_only = true};
    visit_sweeps(document, add_row, &section);
    if (section.row == 0 || !grid_open(&section.grid, COLUMNS, section.row))
        return;
    section.counts_only = false;
    section.row = 0;
    make_columns(&section.grid);
    visit_sweeps(document, add_row, &section);
    fputc('\n', out);
    grid_print(out, &section.grid, style);
    grid_free(&section.grid);
    fputs(
        "Classes in the number of tasks that no curve could rule out; 'or', 'to': not told apart.\n"
        "Counts are comparisons, visits, moves and link writes per operation; times have caches "
        "in them.\n",
        out);
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

static int refuse(const char *text, const char *at, const char *what, const char *expected,
                  struct diag *diag)
{
    return diag_usage(diag, "%s: '%s', column %zu: expected %s", what, text,
                      (size_t)(at - text) + 1, expected);
}

int sweep_parse_claim(const char *text, const char *what, struct sweep_claim *out,
                      struct diag *diag)
{
    const char *at = skip_blanks(text);
    size_t length = strcspn(at, ". \t<");
    if (length == 0 || length >= SWEEP_NAME_SIZE)
        return refuse(text, at, what, "a design, as in 'heap.start<=O(log n)'", diag);
    struct sweep_claim claim = {.text = text};
    snprintf(claim.impl, sizeof claim.impl, "%.*s", (int)length, at);
    at += length;
    if (*at != '.')
        return refuse(text, at, what, "a dot between design and operation", diag);
    size_t operation = match(++at, operation_name, SWEEP_OPERATIONS);
    if (operation == SWEEP_OPERATIONS)
        return refuse(text, at, what, "start, stop, expire or tick", diag);
    at = skip_blanks(at + strlen(operation_name(operation)));
    if (strncmp(at, "<=", 2) != 0)
        return refuse(text, at, what, "<=", diag);
    at = skip_blanks(at + 2);
    size_t class = match(at, class_name, GROWTH_CLASSES);
    if (class == GROWTH_CLASSES)
        return refuse(text, at, what, "O(1), O(log n), O(n), O(n log n) or O(n^2)", diag);
    at = skip_blanks(at + strlen(class_name(class)));
    if (*at != '\0')
        return refuse(text, at, what, "nothing behind the class", diag);
    claim.operation = (enum sweep_operation)operation;
    claim.bound = (enum tw_growth) class;
    *out = claim;
    return DIAG_OK;
}

struct trial {
    const struct sweep_claim *claim;
    const char *what;
    size_t sweeps;
    enum growth_answer answer; /* the worst so far */
    struct diag *diag;
};

static void try_sweep(void *ctx, const struct sweep *sweep, const struct growth_fit *work)
{
    struct trial *trial = ctx;
    const struct sweep_claim *claim = trial->claim;
    if (sweep->operation != claim->operation ||
        strcmp(json_get_text(sweep->first, "impl"), claim->impl) != 0)
        return;
    trial->sweeps++;
    enum growth_answer answer = growth_at_most(work, sweep->work, sweep->count, claim->bound);
    if (answer == GROWTH_HOLDS || trial->answer == GROWTH_BROKEN || answer == trial->answer)
        return;
    char classes[CLASSES_SIZE];
    name_classes(classes, work);
    trial->answer = answer;
    snprintf(trial->diag->text, sizeof trial->diag->text,
             "%s: '%s' %s: the counts of %s, phase %s, over %zu sizes are %s (exponent %.2f)",
             trial->what, claim->text, answer == GROWTH_BROKEN ? "is broken" : "cannot be decided",
             json_get_text(sweep->first, "workload"), sweep->phase, sweep->count, classes,
             work->exponent);
}

int sweep_check_claim(const struct result_document *document, const struct sweep_claim *claim,
                      const char *what, enum growth_answer *answer, struct diag *diag)
{
    struct trial trial = {.claim = claim, .what = what, .answer = GROWTH_HOLDS, .diag = diag};
    visit_sweeps(document, try_sweep, &trial);
    if (trial.sweeps == 0)
        return diag_usage(diag,
                          "%s: '%s': no phase of only this operation of '%s' over at least %d "
                          "numbers of tasks; expected a sweep such as --tasks=1e3..1e6",
                          what, claim->text, claim->impl, GROWTH_SIZES_MIN);
    *answer = trial.answer;
    return DIAG_OK;
}
