/* advice_table.c - the answer, the front as a grid, then sentences of the document. */
#include "harness/report/advice_table.h"

#include "harness/base/units.h"
#include "harness/report/figure.h"
#include "harness/report/grid.h"
#include "harness/report/wrap.h"
#include "harness/result/json.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define LINE_SIZE 4000

bool advice_is_there(const cJSON *document)
{
    return cJSON_IsObject(json_get(document, "advice"));
}

void advice_title(char *out, size_t size, const cJSON *advice)
{
    char tick[32], tasks[32];
    units_format_time(tick, sizeof tick, (uint64_t)json_get_number(advice, "load.tick_ns"));
    units_format_count(tasks, sizeof tasks, (uint64_t)json_get_number(advice, "load.tasks"));
    snprintf(out, size, "%s, %s tasks, tick %s", json_get_text(advice, "load.workload"), tasks,
             tick);
}

/* ---- The front. ------------------------------------------------------------------------------ */

enum { NAME, COST, DEVIATION, P99, MAX, MEMORY, LATE, WAKEUPS, USEFUL, STATUS, COLUMNS };

static bool has_status(const cJSON *candidate, const char *status)
{
    return strcmp(json_get_text(candidate, "status"), status) == 0;
}

static bool is_shown(const cJSON *candidate)
{
    return json_get(candidate, "figures") &&
           (cJSON_IsTrue(json_get(candidate, "front")) || has_status(candidate, "recommended") ||
            has_status(candidate, "not-told-apart"));
}

struct row {
    const cJSON *candidate;
};

static int by_cost(const void *left, const void *right)
{
    const struct row *l = left, *r = right;
    double a = json_get_number(l->candidate, "figures.cost_ns_per_op.median");
    double b = json_get_number(r->candidate, "figures.cost_ns_per_op.median");
    return (a > b) - (a < b);
}

/* Sorted by cost; NULL without memory. */
static struct row *gather(const cJSON *advice, size_t *count)
{
    const cJSON *all = json_get(advice, "candidates"), *candidate;
    struct row *rows = calloc((size_t)cJSON_GetArraySize(all) + 1, sizeof *rows);
    *count = 0;
    cJSON_ArrayForEach(candidate, all)
    {
        if (rows && is_shown(candidate))
            rows[(*count)++].candidate = candidate;
    }
    if (rows)
        qsort(rows, *count, sizeof *rows, by_cost);
    return rows;
}

static void make_columns(struct grid *grid, const char *p99, const char *max, const char *late)
{
    grid_add_column(grid, "", "candidate", 0)->left = true;
    grid_add_column(grid, "cost", "ns/op", 0)->marks = true;
    grid_add_column(grid, "", "", 5);
    grid_add_column(grid, "adv. p99", p99, 3)->marks = true;
    grid_add_column(grid, "adv. max", max, 8)->marks = true;
    grid_add_column(grid, "memory", "B/task", 9)->marks = true;
    grid_add_column(grid, "late", late, 2)->marks = true;
    grid_add_column(grid, "wake-ups", "", 6)->marks = true;
    grid_add_column(grid, "useful", "", 4);
    grid_add_column(grid, "", "", 7)->left = true;
}

static void set_figure(const struct grid *grid, size_t row, size_t column, double value)
{
    struct grid_cell *cell = grid_at(grid, row, column);
    figure_number(cell->text, value);
    cell->value = value;
}

static void fill_row(const struct grid *grid, size_t row, const cJSON *candidate,
                     const double *divisors, const struct report_style *style)
{
    char deviation[FIGURE_SIZE];
    const cJSON *figures = json_get(candidate, "figures");
    snprintf(grid_at(grid, row, NAME)->text, GRID_TEXT_SIZE, "%.60s",
             json_get_text(candidate, "name"));
    set_figure(grid, row, COST, json_get_number(figures, "cost_ns_per_op.median"));
    figure_interval(grid_at(grid, row, COST)->text, deviation, json_get(figures, "cost_ns_per_op"));
    snprintf(grid_at(grid, row, DEVIATION)->text, GRID_TEXT_SIZE, "%s%s",
             style->utf8 ? "\xc2\xb1" : "+-", deviation);
    set_figure(grid, row, P99, json_get_number(figures, "advance_p99_ns") / divisors[0]);
    set_figure(grid, row, MAX, json_get_number(figures, "advance_max_ns") / divisors[1]);
    set_figure(grid, row, MEMORY, json_get_number(figures, "bytes_per_task"));
    set_figure(grid, row, LATE, json_get_number(figures, "late_max_ns") / divisors[2]);
    double wakeups = json_get_number(figures, "wakeups");
    set_figure(grid, row, WAKEUPS, wakeups);
    if (wakeups > 0)
        snprintf(grid_at(grid, row, USEFUL)->text, GRID_TEXT_SIZE, "%.0f %%",
                 100 * json_get_number(figures, "useful_wakeups") / wakeups);
    snprintf(grid_at(grid, row, STATUS)->text, GRID_TEXT_SIZE, "%s",
             has_status(candidate, "recommended")      ? "recommended"
             : has_status(candidate, "not-told-apart") ? "not told apart"
                                                       : "");
}

static const char *unit_of(const struct row *rows, size_t count, const char *path, double *divisor)
{
    double *values = calloc(count + 1, sizeof *values);
    for (size_t i = 0; values && i < count; i++)
        values[i] = json_get_number(rows[i].candidate, path);
    const char *unit = figure_time_unit(values, values ? count : 0, divisor);
    free(values);
    return unit;
}

static void write_front(FILE *out, const cJSON *advice, const struct report_style *style)
{
    struct grid grid;
    size_t count;
    double divisors[3];
    struct row *rows = gather(advice, &count);
    if (rows && count > 0 && grid_open(&grid, COLUMNS, count)) {
        const char *p99 = unit_of(rows, count, "figures.advance_p99_ns", &divisors[0]);
        const char *max = unit_of(rows, count, "figures.advance_max_ns", &divisors[1]);
        const char *late = unit_of(rows, count, "figures.late_max_ns", &divisors[2]);
        make_columns(&grid, p99, max, late);
        for (size_t i = 0; i < count; i++)
            fill_row(&grid, i, rows[i].candidate, divisors, style);
        fputc('\n', out);
        grid_print(out, &grid, style);
        grid_free(&grid);
    }
    free(rows);
}

/* ---- Sentences. ------------------------------------------------------------------------------ */

static void write_items(FILE *out, const cJSON *list, const struct report_style *style)
{
    char line[LINE_SIZE];
    const cJSON *item;
    cJSON_ArrayForEach(item, list)
    {
        snprintf(line, sizeof line, "- %s", cJSON_IsString(item) ? item->valuestring : "");
        wrap_write(out, line, 0, 2, 4, style);
    }
}

static void write_recommendation(FILE *out, const cJSON *advice, const struct report_style *style)
{
    char line[LINE_SIZE];
    const cJSON *recommendation = json_get(advice, "recommendation");
    if (!recommendation) {
        fprintf(out, "No candidate was measured that keeps to the wishes.\n");
        return;
    }
    fprintf(out, style->color ? "Take \033[1;32m%s\033[0m\n" : "Take %s\n",
            json_get_text(recommendation, "candidate"));
    write_items(out, json_get(recommendation, "reasons"), style);
    snprintf(line, sizeof line, "Measure it again: %s", json_get_text(recommendation, "command"));
    wrap_write(out, line, 0, 0, 4, style);
}

/* How near the fitted workload is to the trace. */
static void write_agreement(FILE *out, const cJSON *advice, const struct report_style *style)
{
    char line[LINE_SIZE] = "- at the trace's own size its cost is, over that of the trace: ";
    size_t used = strlen(line);
    bool first = true;
    const cJSON *item;
    cJSON_ArrayForEach(item, json_get(advice, "sizes.agreement"))
    {
        char ratio[FIGURE_SIZE];
        figure_number(ratio, json_get_number(item, "cost_ratio.median"));
        if (used < sizeof line)
            used += (size_t)snprintf(line + used, sizeof line - used, "%s%s %s", first ? "" : "; ",
                                     json_get_text(item, "candidate"), ratio);
        first = false;
    }
    if (cJSON_GetArraySize(json_get(advice, "sizes.agreement")) > 0)
        wrap_write(out, line, 0, 2, 4, style);
}

static void write_sizes(FILE *out, const cJSON *advice, const struct report_style *style)
{
    char line[LINE_SIZE];
    const cJSON *measured = json_get(advice, "sizes.measured"), *change;
    int count = cJSON_GetArraySize(measured);
    if (count < 2)
        return;
    double least = json_get_number(cJSON_GetArrayItem(measured, 0), "tasks");
    double most = json_get_number(cJSON_GetArrayItem(measured, count - 1), "tasks");
    const char *fitted = json_get_text(advice, "sizes.fitted");
    snprintf(line, sizeof line, "Other sizes, %d from %.0f to %.0f tasks%s%s: %s", count, least,
             most, fitted[0] ? ", of a workload fitted to the trace: " : "", fitted,
             json_get(advice, "sizes.changes")->child
                 ? "the answer changes"
                 : "the answer is nowhere told to be another one");
    fputc('\n', out);
    wrap_write(out, line, 0, 0, 0, style);
    write_agreement(out, advice, style);
    cJSON_ArrayForEach(change, json_get(advice, "sizes.changes"))
    {
        snprintf(line, sizeof line, "- %s", json_get_text(change, "says"));
        wrap_write(out, line, 0, 2, 4, style);
    }
}

/* All of one status, with what the document says of each, if that differs. */
static void write_others(FILE *out, const cJSON *advice, const char *status, const char *title,
                         bool with_why, const struct report_style *style)
{
    char line[LINE_SIZE];
    size_t used = 0;
    const cJSON *candidate;
    cJSON_ArrayForEach(candidate, json_get(advice, "candidates"))
    {
        if (!has_status(candidate, status) || used >= sizeof line)
            continue;
        const char *why = with_why ? json_get_text(candidate, "why") : "";
        used += (size_t)snprintf(
            line + used, sizeof line - used, "%s%s%s%s%s", used ? (with_why ? "; " : ", ") : title,
            json_get_text(candidate, "name"), why[0] ? " (" : "", why, why[0] ? ")" : "");
    }
    if (used > 0)
        wrap_write(out, line, 0, 0, 4, style);
}

static size_t count_status(const cJSON *advice, const char *status)
{
    size_t count = 0;
    const cJSON *candidate;
    cJSON_ArrayForEach(candidate, json_get(advice, "candidates"))
    {
        count += has_status(candidate, status);
    }
    return count;
}

static void write_end(FILE *out, const cJSON *advice, const struct report_style *style)
{
    static const char *const failures[] = {"unsupported", "timeout", "out-of-memory", "mismatch",
                                           "crashed"};
    char line[LINE_SIZE];
    fputc('\n', out);
    write_others(out, advice, "dominated", "Worse in something and better in nothing: ", false,
                 style);
    write_others(out, advice, "refused", "Against the wishes: ", true, style);
    for (size_t i = 0; i < sizeof failures / sizeof *failures; i++)
        write_others(out, advice, failures[i], "Failed: ", true, style);
    write_others(out, advice, "left-out", "Left out: ", true, style);
    write_others(out, advice, "not-measured", "No time was left for: ", false, style);
    snprintf(line, sizeof line, "The rule: %s.", json_get_text(advice, "wishes.rule"));
    wrap_write(out, line, 0, 0, 4, style);
    snprintf(
        line, sizeof line,
        "Cost is told apart by the 95 %% interval of the ratio and 3 %%, tail by a factor of "
        "two and %.0f us, which an interruption takes here, the rest by 1 %%. %.1f s of %.1f s "
        "used%s.",
        ceil(json_get_number(advice, "interruption_ns") / 1e3),
        json_get_number(advice, "budget.used_ns") / 1e9,
        json_get_number(advice, "budget.asked_ns") / 1e9,
        cJSON_IsTrue(json_get(advice, "budget.interrupted")) ? ", then interrupted"
        : count_status(advice, "not-measured") > 0
            ? "; more would be measured with a larger --budget"
            : "");
    wrap_write(out, line, 0, 0, 4, style);
}

void advice_table_write(FILE *out, const cJSON *document, const struct report_style *style)
{
    char title[256];
    const cJSON *advice = json_get(document, "advice");
    advice_title(title, sizeof title, advice);
    fprintf(out, "%s\n\n", title);
    write_recommendation(out, advice, style);
    write_front(out, advice, style);
    write_sizes(out, advice, style);
    write_end(out, advice, style);
}
