/* limits_grid.c - cells filled in from the points, and from the rows of multiples. */
#include "harness/report/limits_grid.h"

#include "harness/base/units.h"
#include "harness/report/figure.h"
#include "harness/report/limits_view.h"
#include "harness/result/json.h"

#include <math.h>
#include <stdarg.h>
#include <string.h>

/* ---- The limits. ------------------------------------------------------------------------------ */

/* Without a unit the number stands where the units are, beside "design". */
static void add_task_column(struct grid *grid, double tasks, const char *unit)
{
    char text[32];
    units_format_count(text, sizeof text, (uint64_t)tasks);
    grid_add_column(grid, unit[0] ? text : "", unit[0] ? unit : text, 1)->alone = true;
}

static void fill_point(struct grid_cell *cell, const cJSON *point)
{
    cell->value = json_get_number(point, "ns.median");
    if (point && !json_get(point, "ns"))
        snprintf(cell->text, sizeof cell->text, "%s", json_get_text(point, "status"));
    else
        figure_number(cell->text, cell->value);
}

static void fill_limits(struct grid *grid, const struct limits_view *view)
{
    size_t line = 0;
    for (size_t row = 0; row < view->row_count; row++) {
        const struct limits_row *limit = &view->rows[row];
        if (!limit->has_tasks)
            continue;
        snprintf(grid_at(grid, line, 0)->text, GRID_TEXT_SIZE, "%s", limit->limit);
        limits_view_node(grid_at(grid, line, 1)->text, GRID_TEXT_SIZE, limit);
        snprintf(grid_at(grid, line, 2)->text, GRID_TEXT_SIZE, "%s", limits_view_pages(limit));
        for (size_t i = 0; i < view->task_count; i++)
            fill_point(grid_at(grid, line, 3 + i), limits_view_point(view, row, i));
        line++;
    }
}

static void take_limits(const cJSON *document, limits_grid_fn *take, void *ctx)
{
    struct limits_view view = limits_view_make(document);
    struct grid grid;
    char title[LIMITS_TITLE_SIZE];
    size_t rows = 0;
    for (size_t row = 0; row < view.row_count; row++)
        rows += view.rows[row].has_tasks;
    if (!grid_open(&grid, 3 + view.task_count, rows))
        return;
    grid_add_column(&grid, "", "limit", 0)->left = true;
    grid_add_column(&grid, "", "node", 0);
    grid_add_column(&grid, "", "pages", 0);
    for (size_t i = 0; i < view.task_count; i++)
        add_task_column(&grid, view.tasks[i], "ns");
    fill_limits(&grid, &view);
    snprintf(title, sizeof title,
             "ns per operation at so many nodes (or timers), median of %.0f processes",
             json_get_number(document, "method.runs"));
    take(ctx, title, &grid);
    grid_free(&grid);
}

/* ---- The multiples. ---------------------------------------------------------------------------- */

/* The designs and the numbers of tasks of a workload and phase, in the order in which they come. */
struct multiples {
    const cJSON *first; /* row */
    const char *labels[LIMITS_VIEW_MAX];
    double tasks[LIMITS_VIEW_MAX];
    size_t label_count, task_count;
};

/* The places of a row's design and tasks, which are added; false where there is no room, or where it is of another
 * workload or phase. */
static bool place(struct multiples *table, const cJSON *row, size_t *label, size_t *tasks)
{
    const char *name = json_get_text(row, "label");
    double number = json_get_number(row, "tasks");
    if (strcmp(json_get_text(row, "workload"), json_get_text(table->first, "workload")) != 0 ||
        strcmp(json_get_text(row, "phase"), json_get_text(table->first, "phase")) != 0)
        return false;
    for (*label = 0; *label < table->label_count; ++*label)
        if (strcmp(table->labels[*label], name) == 0)
            break;
    for (*tasks = 0; *tasks < table->task_count; ++*tasks)
        if (table->tasks[*tasks] == number)
            break;
    if (*label == LIMITS_VIEW_MAX || *tasks == LIMITS_VIEW_MAX)
        return false;
    table->labels[*label] = name;
    table->tasks[*tasks] = number;
    table->label_count += *label == table->label_count;
    table->task_count += *tasks == table->task_count;
    return true;
}

static void fill_number(struct grid_cell *cell, double value)
{
    cell->value = value;
    figure_number(cell->text, value);
}

static void fill_multiples(struct grid *grid, struct multiples *table)
{
    size_t label, tasks, last = table->label_count;
    for (size_t i = 0; i <= last; i++)
        for (size_t j = 0; j < table->task_count; j++)
            fill_number(grid_at(grid, i, 1 + j), NAN);
    for (const cJSON *row = table->first; row; row = row->next) {
        if (!place(table, row, &label, &tasks))
            continue;
        fill_number(grid_at(grid, label, 1 + tasks), json_get_number(row, "multiple"));
        fill_number(grid_at(grid, last, 1 + tasks), json_get_number(row, "limit_ns"));
    }
}

static bool open_multiples(struct grid *grid, const struct multiples *table)
{
    if (!grid_open(grid, 1 + table->task_count, table->label_count + 1))
        return false;
    grid_add_column(grid, "", "design", 0)->left = true;
    for (size_t i = 0; i < table->task_count; i++)
        add_task_column(grid, table->tasks[i], "");
    for (size_t i = 0; i < table->label_count; i++)
        snprintf(grid_at(grid, i, 0)->text, GRID_TEXT_SIZE, "%.*s", GRID_TEXT_SIZE - 1,
                 table->labels[i]);
    snprintf(grid_at(grid, table->label_count, 0)->text, GRID_TEXT_SIZE, "limit, ns");
    return true;
}

static void take_multiples(const cJSON *first, limits_grid_fn *take, void *ctx)
{
    struct multiples table = {.first = first};
    struct grid grid;
    char title[LIMITS_TITLE_SIZE];
    size_t label, tasks;
    for (const cJSON *row = first; row; row = row->next)
        place(&table, row, &label, &tasks);
    if (!open_multiples(&grid, &table))
        return;
    fill_multiples(&grid, &table);
    snprintf(title, sizeof title, "%s, %s: multiples of the limit, by number of tasks",
             json_get_text(first, "workload"), json_get_text(first, "phase"));
    take(ctx, title, &grid);
    grid_free(&grid);
}

/* Has no row before it the same workload and phase? */
static bool is_first(const cJSON *rows, const cJSON *row)
{
    struct multiples table = {.first = row};
    size_t label, tasks;
    for (const cJSON *other = rows; other != row; other = other->next)
        if (place(&table, other, &label, &tasks))
            return false;
    return true;
}

void limits_grids(const cJSON *document, limits_grid_fn *take, void *ctx)
{
    const cJSON *rows = json_get(document, "multiples.rows");
    take_limits(document, take, ctx);
    for (const cJSON *row = rows ? rows->child : NULL; row; row = row->next)
        if (is_first(rows->child, row))
            take_multiples(row, take, ctx);
}

/* Points that failed have mostly failed alike. */
#define FAILURES_SAID 5

/* ---- Sentences. -------------------------------------------------------------------------------- */

struct liner {
    limits_line_fn *take;
    void *ctx;
};

static void say(const struct liner *liner, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

static void say(const struct liner *liner, const char *format, ...)
{
    char line[640];
    va_list args;
    va_start(args, format);
    vsnprintf(line, sizeof line, format, args);
    va_end(args);
    liner->take(liner->ctx, line);
}

static void say_singles(const struct liner *liner, const cJSON *document)
{
    char branch[FIGURE_SIZE], small[FIGURE_SIZE], huge[FIGURE_SIZE];
    double huge_ns = limits_single_ns(document, "page-fault", true);
    figure_number(branch, limits_single_ns(document, "branch-miss", false));
    figure_number(small, limits_single_ns(document, "page-fault", false));
    figure_number(huge, huge_ns);
    say(liner, "A mispredicted branch costs %s ns, the first touch of a page of 4 KiB %s ns%s%s%s.",
        branch, small, isfinite(huge_ns) ? ", of one of 2 MiB " : "", isfinite(huge_ns) ? huge : "",
        isfinite(huge_ns) ? " ns" : "");
}

static void say_pages(const struct liner *liner, const cJSON *document)
{
    double share = limits_huge_share(document);
    if (!cJSON_IsTrue(json_get(document, "method.huge_pages")))
        return;
    if (share >= 1)
        say(liner, "Where 2 MiB pages were asked for, all that was touched lay on them.");
    else if (share >= 0)
        say(liner,
            "Where 2 MiB pages were asked for, not all was on them: of one point only %.1f %%.",
            100 * share);
    else
        say(liner, "2 MiB pages were asked for; what came of it the system does not say.");
}

static void say_failures(const struct liner *liner, const cJSON *document)
{
    size_t failed = 0;
    const cJSON *point;
    char tasks[32];
    cJSON_ArrayForEach(point, json_get(document, "points"))
    {
        double count = json_get_number(point, "tasks");
        units_format_count(tasks, sizeof tasks, count > 0 ? (uint64_t)count : 0);
        if (strcmp(json_get_text(point, "status"), "ok") != 0 && failed++ < FAILURES_SAID)
            say(liner, "%s, %s nodes of %.0f bytes: %s: %s", json_get_text(point, "limit"), tasks,
                json_get_number(point, "node_bytes"), json_get_text(point, "status"),
                json_get_text(point, "reason"));
    }
    if (failed > FAILURES_SAID)
        say(liner, "%zu more failed; the JSON has their reasons.", failed - FAILURES_SAID);
}

static void say_slow(const struct liner *liner, const cJSON *document)
{
    double slow = 0, stretches = 0, each = json_get_number(document, "method.stretches");
    const cJSON *point;
    cJSON_ArrayForEach(point, json_get(document, "points"))
    {
        if (!json_get(point, "touched_bytes"))
            continue;
        slow += json_get_number(point, "slow_stretches");
        stretches += each * cJSON_GetArraySize(json_get(point, "ns.samples"));
    }
    if (slow > 0)
        say(liner, "%.1f %% of the stretches were timed while the core was below its full pace.",
            100 * slow / stretches);
}

void limits_lines(const cJSON *document, limits_line_fn *take, void *ctx)
{
    struct liner liner = {take, ctx};
    say_singles(&liner, document);
    say_pages(&liner, document);
    say_slow(&liner, document);
    say_failures(&liner, document);
    if (!cJSON_IsTrue(json_get(document, "complete")))
        say(&liner, "It was interrupted: samples are missing.");
}
