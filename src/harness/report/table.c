/* table.c - a block per group: designs side by side, or one design in detail. */
#include "harness/report/table.h"

#include "harness/base/units.h"
#include "harness/report/card.h"
#include "harness/report/figure.h"
#include "harness/report/grid.h"
#include "harness/report/schedules.h"
#include "harness/report/view.h"
#include "harness/result/json.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Which columns survive on a narrow terminal: the costs longest, then memory and the tail. */
enum {
    KEEP_ALWAYS,
    KEEP_FIRED,
    KEEP_LATE,
    KEEP_P99,
    KEEP_DEVIATION,
    KEEP_MAX,
    KEEP_MEMORY,
    KEEP_COST
};

/* ---- Columns. -------------------------------------------------------------------------------- */

/* The key of the figure to show: a phase in which nothing is started, stopped or fired still has a
 * price per advance. */
static const char *cost_key(const struct view_group *group, const char *phase)
{
    for (size_t i = 0; i < group->row_count; i++)
        if (json_get(view_phase(&group->rows[i], phase), "ns_per_op"))
            return "ns_per_op";
    return "ns_per_advance";
}

static void add_cost(struct grid *grid, const struct view_group *group, size_t phase,
                     const struct report_style *style)
{
    const char *name = group->phases[phase], *key = cost_key(group, name);
    size_t column = grid->column_count;
    const char *unit = strcmp(key, "ns_per_op") == 0 ? "ns/op" : "ns/adv.";
    struct grid_column *head = grid_add_column(grid, name, unit, KEEP_COST);
    head->marks = head->alone = true;
    grid_add_column(grid, "", "", KEEP_DEVIATION);
    for (size_t row = 0; row < group->row_count; row++) {
        const cJSON *interval = json_get(view_phase(&group->rows[row], name), key);
        struct grid_cell *median = grid_at(grid, row, column);
        char deviation[FIGURE_SIZE];
        figure_interval(median->text, deviation, interval);
        median->value =
            view_competes(&group->rows[row]) ? json_get_number(interval, "median") : NAN;
        if (deviation[0])
            snprintf(grid_at(grid, row, column + 1)->text, GRID_TEXT_SIZE, "%s%s",
                     style->utf8 ? "\xc2\xb1" : "+-", deviation);
    }
}

/* A column of plain numbers, divided by `divisor`. */
static void add_numbers(struct grid *grid, const struct view_group *group, const double *values,
                        double divisor)
{
    size_t column = grid->column_count - 1;
    for (size_t row = 0; row < group->row_count; row++) {
        struct grid_cell *cell = grid_at(grid, row, column);
        figure_number(cell->text, values[row] / divisor);
        cell->value = view_competes(&group->rows[row]) ? values[row] : NAN;
    }
}

static void add_tail(struct grid *grid, const struct view_group *group, double *scratch)
{
    static const char *const keys[] = {"p99", "max"};
    static const int keeps[] = {KEEP_P99, KEEP_MAX};
    for (size_t i = 0; i < 2; i++) {
        double divisor;
        char title[32];
        for (size_t row = 0; row < group->row_count; row++)
            scratch[row] = view_advance_ns(&group->rows[row], keys[i]);
        const char *unit = figure_time_unit(scratch, group->row_count, &divisor);
        snprintf(title, sizeof title, "adv. %s", keys[i]);
        grid_add_column(grid, title, unit, keeps[i])->marks = true;
        add_numbers(grid, group, scratch, divisor);
    }
}

static void add_key(struct grid *grid, const struct view_group *group, double *scratch,
                    const char *key)
{
    for (size_t row = 0; row < group->row_count; row++)
        scratch[row] = json_get_number(group->rows[row].cell, key);
    add_numbers(grid, group, scratch, 1);
}

/* Of a run without times: counters of work, all phases together.  On a narrow terminal the last ones
 * go first. */
static void add_counters(struct grid *grid, const struct view_group *group, double *scratch)
{
    for (size_t i = 0; i < view_counter_count; i++) {
        for (size_t row = 0; row < group->row_count; row++)
            scratch[row] = view_work(&group->rows[row], view_counters[i].key);
        struct grid_column *column = grid_add_column(grid, "", view_counters[i].title, KEEP_COST);
        column->marks = column->alone = true;
        add_numbers(grid, group, scratch, 1);
    }
}

static void add_labels(struct grid *grid, const struct view_group *group)
{
    for (size_t row = 0; row < group->row_count; row++) {
        struct grid_cell *cell = grid_at(grid, row, 0);
        snprintf(cell->text, sizeof cell->text, "%.48s%s", group->rows[row].label,
                 view_suffix(&group->rows[row]));
        cell->value = NAN;
    }
}

static void add_status(struct grid *grid, const struct view_group *group,
                       const struct report_style *style)
{
    size_t column = grid->column_count;
    grid_add_column(grid, "", "status", KEEP_ALWAYS)->left = true;
    for (size_t row = 0; row < group->row_count; row++) {
        const struct view_row *from = &group->rows[row];
        const char *status = json_get_text(from->cell, "status");
        snprintf(grid_at(grid, row, column)->text, GRID_TEXT_SIZE, "%.32s", status);
        if (!from->ok &&
            asprintf(&grid->notes[row], "%s%s%s: %s", style->color ? "\033[31m" : "", status,
                     style->color ? "\033[0m" : "", json_get_text(from->cell, "reason")) < 0)
            grid->notes[row] = NULL;
    }
}

/* ---- A block. -------------------------------------------------------------------------------- */

static void make_columns(struct grid *grid, const struct view_group *group, double *scratch,
                         const struct report_style *style)
{
    grid_add_column(grid, "", "design", KEEP_ALWAYS)->left = true;
    add_labels(grid, group);
    bool timed = view_is_timed(group);
    for (size_t i = 0; i < group->phase_count && timed; i++)
        add_cost(grid, group, i, style);
    if (group->phase_count > 0) {
        if (timed)
            add_tail(grid, group, scratch);
        else
            add_counters(grid, group, scratch);
        grid_add_column(grid, "memory", "B/task", KEEP_MEMORY)->marks = true;
        add_key(grid, group, scratch, "memory.bytes_per_task");
        grid_add_column(grid, "late", "ticks", KEEP_LATE);
        add_key(grid, group, scratch, "late_max_ticks");
        grid_add_column(grid, "fired", "", KEEP_FIRED);
        add_key(grid, group, scratch, "fired");
    }
    add_status(grid, group, style);
}

/* What the designs chose for themselves, where the labels do not say it already. */
static void write_settings(FILE *out, const struct view_group *group)
{
    const char *gap = "settings  ";
    for (size_t i = 0; i < group->row_count; i++) {
        const struct view_row *row = &group->rows[i];
        char params[256];
        json_format_params(params, sizeof params, json_get(row->cell, "params"));
        if (!params[0] || strchr(row->label, '='))
            continue;
        fprintf(out, "%s%s %s", gap, row->label, params);
        gap = "; ";
    }
    fputs(gap[0] == ';' ? "\n" : "", out);
}

static void write_comparison(FILE *out, const struct view_group *group,
                             const struct report_style *style)
{
    struct grid grid;
    double *scratch = calloc(group->row_count, sizeof *scratch);
    size_t columns = 7 + 2 * group->phase_count + view_counter_count, dropped = 0;
    if (scratch && grid_open(&grid, columns, group->row_count)) {
        make_columns(&grid, group, scratch, style);
        dropped = grid_print(out, &grid, style);
        grid_free(&grid);
    }
    free(scratch);
    write_settings(out, group);
    if (dropped > 0)
        fprintf(out, "%zu more column%s on a wider terminal, or in the CSV\n", dropped,
                dropped == 1 ? "" : "s");
}

static const struct view_row *only_design(const struct view_group *group)
{
    bool alone = group->row_count == 1 || (group->row_count == 2 && group->rows[1].is_harness);
    return alone && group->rows[0].ok && view_is_timed(group) ? &group->rows[0] : NULL;
}

/* A cell that failed has no phases and says so itself. */
static void write_untimed(FILE *out, const struct view_group *group)
{
    if (group->phase_count > 0 && !view_is_timed(group))
        fputs("counts    of all phases of one pass; nothing was timed\n", out);
}

static void write_harness_cost(FILE *out, const struct view_group *group)
{
    for (size_t i = 0; i < group->row_count; i++) {
        char cost[FIGURE_SIZE];
        double cost_ns = json_get_number(group->rows[i].cell, "harness_ns_per_op");
        if (isnan(cost_ns))
            continue;
        figure_number(cost, cost_ns);
        fprintf(out,
                "harness   %s ns of its own in each call of start, stop, advance (design null)\n",
                cost);
        return;
    }
}

/* Of the first row, and of those that are less precise: designs that round by themselves. */
static void write_precision(FILE *out, const struct view_group *group)
{
    const cJSON *said = NULL;
    for (size_t i = 0; i < group->row_count; i++) {
        const cJSON *precision = json_get(group->rows[i].cell, "precision");
        double late_ns = json_get_number(precision, "late_max_ns");
        if (!group->rows[i].ok || group->rows[i].is_harness || !(late_ns > 0) ||
            (said && cJSON_Compare(said, precision, true)))
            continue;
        char mean[FIGURE_SIZE], most[FIGURE_SIZE];
        units_format_time(mean, sizeof mean,
                          units_whole(json_get_number(precision, "late_mean_ns")));
        units_format_time(most, sizeof most, units_whole(late_ns));
        fprintf(out, "precision %s: late by %s on average, by %s at most",
                said ? group->rows[i].label : "of a tick", mean, most);
        double below = json_get_number(precision, "below_tick");
        if (below > 0)
            fprintf(out, "; %.15g delay%s below one tick became one", below, below > 1 ? "s" : "");
        fputc('\n', out);
        said = precision;
    }
}

/* Whether huge pages were given is for the kernel to say. */
static void write_pages(FILE *out, const struct view_group *group)
{
    char text[320];
    const char *gap = "in pages of 2 MiB: ";
    for (size_t i = 0; i < group->row_count; i++) {
        if (!view_huge_pages(text, sizeof text, &group->rows[i]))
            continue;
        fprintf(out, "%s%s %s", gap, group->rows[i].label, text);
        gap = "; ";
    }
    fputs(gap[0] == ';' ? "\n" : "", out);
}

/* Designs on the machine's clock sleep: what their operations cost is CPU time. */
static void write_cpu_times(FILE *out, const struct view_group *group)
{
    for (size_t i = 0; i < group->row_count; i++) {
        const struct view_row *row = &group->rows[i];
        const char *gap = " ";
        if (!row->ok || !row->is_real_clock || !view_is_timed(group))
            continue;
        fprintf(out, "waiting   is in the wall time of %s; CPU time, ns/op:", row->label);
        for (size_t p = 0; p < group->phase_count; p++) {
            char cost[FIGURE_SIZE];
            figure_number(cost,
                          json_get_number(view_phase(row, group->phases[p]), "cpu_ns_per_op"));
            fprintf(out, "%s%s %s", gap, group->phases[p], cost);
            gap = ", ";
        }
        fputc('\n', out);
    }
}

static void write_group(FILE *out, const struct view_group *group, const struct report_style *style)
{
    char title[256];
    const struct view_row *only = only_design(group);
    view_title(title, sizeof title, group);
    fprintf(out, "%s%s%s%s%s\n\n", style->color ? "\033[1m" : "", only ? only->label : "",
            only ? " on " : "", title, style->color ? "\033[0m" : "");
    if (only)
        card_write(out, group, only, style);
    else
        write_comparison(out, group, style);
    write_cpu_times(out, group);
    write_precision(out, group);
    write_pages(out, group);
    write_untimed(out, group);
    schedules_write(out, group);
    write_harness_cost(out, group);
    fputc('\n', out);
}

/* ---- The end of the page. -------------------------------------------------------------------- */

/* The lowest confidence of any interval on the page and the samples behind it: the claim below is
 * then true of all. */
static double least_confidence(const struct view *view, int *samples)
{
    double least = INFINITY;
    for (size_t g = 0; g < view->group_count; g++)
        for (size_t r = 0; r < view->groups[g].row_count; r++) {
            const cJSON *phase;
            cJSON_ArrayForEach(phase, json_get(view->groups[g].rows[r].cell, "phases"))
            {
                double confidence = json_get_number(phase, "ns_per_op.confidence");
                if (!(confidence < least))
                    continue;
                least = confidence;
                *samples = cJSON_GetArraySize(json_get(phase, "ns_per_op.samples"));
            }
        }
    return least;
}

static bool compares(const struct view *view)
{
    for (size_t i = 0; i < view->group_count; i++)
        if (!only_design(&view->groups[i]))
            return true;
    return false;
}

static void write_legend(FILE *out, const struct view *view, const struct report_style *style)
{
    int samples = 0;
    double confidence = least_confidence(view, &samples);
    if (!isfinite(confidence))
        return;
    fprintf(out,
            "ns/op is the wall time of a phase over its starts, stops and expiries: the median "
            "of %d sample%s,\n%s the farther end of its exact %.1f %% confidence interval.\n",
            samples, samples == 1 ? "" : "s", style->utf8 ? "\xc2\xb1" : "+-", 100 * confidence);
    if (compares(view))
        fprintf(out,
                "adv.: single calls of advance, in the worst phase.  %s: best of its column.\n",
                style->color ? "Green" : "*");
}

void table_write(FILE *out, const struct result_document *document,
                 const struct report_style *style)
{
    const cJSON *root = result_json(document);
    struct view view = view_make(root);
    for (size_t i = 0; i < view.group_count; i++)
        write_group(out, &view.groups[i], style);
    write_legend(out, &view, style);
    if (cJSON_IsFalse(json_get(root, "complete")))
        fprintf(out, "The run was not finished: %zu cells are here.\n",
                result_count_cells(document));
    view_free(&view);
}
