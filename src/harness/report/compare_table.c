/* compare_table.c - a grid of cells, then sentences. */
#include "harness/report/compare_table.h"

#include "harness/report/compare_view.h"
#include "harness/report/figure.h"
#include "harness/report/grid.h"
#include "harness/report/wrap.h"
#include "harness/result/json.h"

#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

enum {
    DESIGN,
    WORKLOAD,
    TASKS,
    VERDICT,
    TIME,
    INTERVAL,
    MARGIN,
    CONTROL,
    WORK,
    INSTRUCTIONS,
    MEMORY,
    DECIDERS,
    COLUMNS
};

/* SGR of a verdict; NULL for "same". */
static const char *color_of(const char *verdict)
{
    static const struct {
        const char *verdict, *color;
    } colors[] = {{"regressed", "1;31"}, {"inconclusive", "33"}, {"improved", "32"}};
    for (size_t i = 0; i < sizeof colors / sizeof *colors; i++)
        if (strcmp(verdict, colors[i].verdict) == 0)
            return colors[i].color;
    return NULL;
}

/* ---- Lines of text. -------------------------------------------------------------------------- */

/* A line made as by printf, wrapped. */
static void write_line(FILE *out, int indent, const struct report_style *style, const char *format,
                       ...) __attribute__((format(printf, 4, 5)));

static void write_line(FILE *out, int indent, const struct report_style *style, const char *format,
                       ...)
{
    char *text = NULL;
    va_list args;
    va_start(args, format);
    int length = vasprintf(&text, format, args);
    va_end(args);
    if (length < 0)
        return;
    wrap_write(out, text, 0, indent, indent + 2, style);
    free(text);
}

/* ---- The grid. ------------------------------------------------------------------------------- */

/* What a comparison has figures for. */
struct extent {
    bool timed;  /* else there is no time to show */
    bool paired; /* else times are advisory: no margin, no control */
};

static bool has_column(const struct extent *extent, size_t column)
{
    return column == TIME || column == INTERVAL    ? extent->timed
           : column == MARGIN || column == CONTROL ? extent->timed && extent->paired
                                                   : true;
}

/* On a narrow terminal the deciders go first and the interval of the time last. */
static void make_columns(struct grid *grid, const struct extent *extent)
{
    const struct {
        const char *title, *unit;
        int keep;
        bool left;
    } columns[COLUMNS] = {
        [DESIGN] = {"", "design", 0, true},
        [WORKLOAD] = {"", "workload", 0, true},
        [TASKS] = {"", "tasks", 0, false},
        [VERDICT] = {"", "verdict", 0, true},
        [TIME] = {"time", extent->paired ? "NEW/OLD" : "advisory", 0, false},
        [INTERVAL] = {"", "", 6, true},
        [MARGIN] = {"", "margin", 4, false},
        [CONTROL] = {"control", "OLD/OLD", 4, false},
        [WORK] = {"", "work", 5, true},
        [INSTRUCTIONS] = {"", "instr.", 3, false},
        [MEMORY] = {"", "memory", 2, false},
        [DECIDERS] = {"", "decided by", 1, true},
    };
    for (size_t i = 0; i < COLUMNS; i++)
        if (has_column(extent, i))
            grid_add_column(grid, columns[i].title, columns[i].unit, columns[i].keep)->left =
                columns[i].left;
}

static void fill_row(const struct grid *grid, size_t at, const cJSON *cell,
                     const struct extent *extent)
{
    size_t column = 0;
    struct compare_row row;
    compare_row_read(&row, cell);
    const char *const texts[COLUMNS] = {
        [DESIGN] = row.design,   [WORKLOAD] = row.workload, [TASKS] = row.tasks,
        [VERDICT] = row.verdict, [TIME] = row.time,         [INTERVAL] = row.interval,
        [MARGIN] = row.margin,   [CONTROL] = row.control,   [WORK] = row.work,
        [MEMORY] = row.memory,   [DECIDERS] = row.deciders, [INSTRUCTIONS] = row.instructions,
    };
    for (size_t i = 0; i < COLUMNS; i++)
        if (has_column(extent, i))
            snprintf(grid_at(grid, at, column++)->text, GRID_TEXT_SIZE, "%.63s", texts[i]);
    grid_at(grid, at, VERDICT)->color = color_of(row.verdict);
}

static void write_cells(FILE *out, const cJSON *comparison, const struct report_style *style)
{
    const cJSON *cells = json_get(comparison, "cells"), *cell;
    struct extent extent = {compare_has_times(comparison), compare_is_paired(comparison)};
    size_t at = 0, dropped;
    struct grid grid;
    if (!grid_open(&grid, COLUMNS, (size_t)cJSON_GetArraySize(cells)))
        return;
    make_columns(&grid, &extent);
    cJSON_ArrayForEach(cell, cells)
    {
        fill_row(&grid, at++, cell, &extent);
    }
    dropped = grid_print(out, &grid, style);
    grid_free(&grid);
    if (dropped > 0)
        fprintf(out, "%zu more column%s on a wider terminal\n", dropped, dropped == 1 ? "" : "s");
}

/* ---- Below it. ------------------------------------------------------------------------------- */

/* The verdict's reasons, then remarks on cells that are the same all the same (layout). */
static void write_reasons(FILE *out, const cJSON *comparison, const struct report_style *style)
{
    const cJSON *reason, *cell;
    char name[COMPARE_LINE_SIZE];
    const char *gap = "\n";
    cJSON_ArrayForEach(reason, json_get(comparison, "reasons"))
    {
        fputs(gap, out);
        write_line(out, 0, style, "%s", cJSON_IsString(reason) ? reason->valuestring : "");
        gap = "";
    }
    cJSON_ArrayForEach(cell, json_get(comparison, "cells"))
    {
        const char *text = json_get_text(cell, "reason");
        if (!text[0] || strcmp(json_get_text(cell, "verdict"), "same") != 0)
            continue;
        compare_cell_name(name, sizeof name, cell);
        fputs(gap, out);
        write_line(out, 0, style, "%s: same: %s", name, text);
        gap = "";
    }
}

/* "+3.10", with the sign that figure_number leaves out; "unknown" */
static const char *signed_ns(char *out, const cJSON *explanation, const char *key)
{
    char digits[FIGURE_SIZE];
    double ns = json_get_number(explanation, key);
    figure_number(digits, fabs(ns));
    snprintf(out, FIGURE_SIZE, "%s%.24s", ns < 0 ? "-" : "+", digits);
    return isfinite(ns) ? out : "unknown";
}

static void write_cost(FILE *out, const cJSON *cell, const char *name,
                       const struct report_style *style)
{
    const cJSON *why = json_get(cell, "explanation");
    char before[FIGURE_SIZE], after[FIGURE_SIZE], total[FIGURE_SIZE], parts[4][FIGURE_SIZE];
    figure_number(before, json_get_number(cell, "ns_per_op.old"));
    figure_number(after, json_get_number(cell, "ns_per_op.new"));
    if (!why) {
        write_line(out, 0, style, "%s: %s -> %s ns CPU per call", name, before, after);
        return;
    }
    write_line(out, 0, style,
               "%s: %s -> %s ns CPU per call, %s: instructions %s, cache misses %s, branch misses "
               "%s, the rest (layout, and what is not counted) %s",
               name, before, after, signed_ns(total, why, "total_ns"),
               signed_ns(parts[0], why, "instructions_ns"),
               signed_ns(parts[1], why, "cache_misses_ns"),
               signed_ns(parts[2], why, "branch_misses_ns"), signed_ns(parts[3], why, "rest_ns"));
}

/* "fill: comparisons 1000 -> 1333; time +12.0 %, ..." for each phase whose work changed. */
static void write_phase(FILE *out, const cJSON *phase, const struct report_style *style)
{
    char line[COMPARE_LINE_SIZE];
    size_t length = 0;
    const cJSON *change;
    double moved = 100 * (json_get_number(phase, "cpu_ratio") - 1);
    double share = 100 * json_get_number(phase, "share");
    line[0] = '\0';
    cJSON_ArrayForEach(change, json_get(phase, "work"))
    {
        if (length < sizeof line)
            length +=
                (size_t)snprintf(line + length, sizeof line - length, "%s%s %.15g -> %.15g",
                                 length ? ", " : "", json_get_text(change, "metric"),
                                 json_get_number(change, "old"), json_get_number(change, "new"));
    }
    if (!line[0])
        return;
    if (isfinite(moved) && isfinite(share))
        write_line(out, 2, style, "%s: %s; time %+.1f %%, %.0f %% of OLD's was here",
                   json_get_text(phase, "name"), line, moved, share);
    else
        write_line(out, 2, style, "%s: %s", json_get_text(phase, "name"), line);
}

static void write_explanations(FILE *out, const cJSON *comparison, const struct report_style *style)
{
    const cJSON *cell, *phase;
    const char *gap = "\n";
    char name[COMPARE_LINE_SIZE];
    cJSON_ArrayForEach(cell, json_get(comparison, "cells"))
    {
        bool has_more =
            cJSON_IsTrue(json_get(cell, "work_changed")) || json_get(cell, "explanation");
        if (!has_more || isnan(json_get_number(cell, "ns_per_op.old")))
            continue;
        fputs(gap, out);
        gap = "";
        compare_cell_name(name, sizeof name, cell);
        write_cost(out, cell, name, style);
        cJSON_ArrayForEach(phase, json_get(cell, "phases"))
        {
            write_phase(out, phase, style);
        }
    }
}

static void write_verdict(FILE *out, const cJSON *comparison, const struct report_style *style)
{
    char summary[COMPARE_LINE_SIZE], decision[COMPARE_LINE_SIZE];
    const char *verdict = json_get_text(comparison, "verdict");
    const char *color = style->color ? color_of(verdict) : NULL;
    compare_summary(summary, sizeof summary, comparison);
    compare_decision(decision, sizeof decision, comparison);
    if (color)
        fprintf(out, "\033[%sm%s\033[0m", color, verdict);
    else
        fputs(verdict, out);
    fprintf(out, ": %s.  %s\n", summary, decision);
}

static void write_sides(FILE *out, const cJSON *comparison)
{
    char side[COMPARE_LINE_SIZE];
    compare_side(side, sizeof side, json_get(comparison, "old"));
    fprintf(out, "OLD  %s\n", side);
    compare_side(side, sizeof side, json_get(comparison, "new"));
    fprintf(out, "NEW  %s\n\n", side);
}

void compare_table_write(FILE *out, const cJSON *comparison, const struct report_style *style)
{
    char method[COMPARE_LINE_SIZE];
    write_sides(out, comparison);
    write_cells(out, comparison, style);
    write_reasons(out, comparison, style);
    write_explanations(out, comparison, style);
    compare_method(method, sizeof method, comparison);
    fputc('\n', out);
    if (method[0])
        write_line(out, 0, style, "%s", method);
    write_verdict(out, comparison, style);
}
