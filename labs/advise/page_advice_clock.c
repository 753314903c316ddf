/* page_advice_clock.c - builds the tables of an advice on the real clock: runners over designs by lateness, the
 * caller's latency, processor time, wake-ups and memory. */
#include "labs/advise/advise.h"

#include "harness/base/json.h"
#include "harness/tell/report/builders.h"
#include "harness/tell/report/figure.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

bool page_advice_is_on_clock(const struct place *advice)
{
    return strcmp(place_text(advice, "wishes.clock"), "real") == 0;
}

/* ---- Over the recommended one. --------------------------------------------------------------- */

/* "1.31", and a star where the interval says that it is not 1. */
static void add_ratio(struct page *page, const struct place *row, const char *key)
{
    char path[64], text[FIGURE_SIZE];
    struct place interval = place_get(row, key);
    double low = place_number(&interval, "low"), high = place_number(&interval, "high");
    snprintf(path, sizeof path, "%s.median", key);
    figure_number(text, place_number(&interval, "median"));
    page_cell(page, "%s", "");
    page_put_as(page, row, path, "%s%s", text, low > 1.03 || high < 1 / 1.03 ? "" : " ~");
}

static void add_ratios(struct page *page, const struct place *advice)
{
    struct place rows = place_get(advice, "comparisons");
    if (!rows.json || !rows.json->child)
        return;
    page_heading(page, 2, "compared", "Compared with the recommended one");
    page_table(page, "compared-table", "Ratios to the recommended one");
    page_column(page, "", "candidate", PAGE_LEFT | PAGE_NAMES, 0);
    page_column(page, "lateness", "p99, times", 0, 0);
    page_column(page, "caller", "p99, times", 0, 0);
    page_column(page, "processor", "times", 0, 0);
    page_column(page, "memory", "times", 0, 1);
    page_column(page, "", "", PAGE_LEFT, 2);
    for (struct place row = place_item(&rows, 0); row.json; place_next(&row)) {
        page_row(page);
        page_cell_put(page, &row, "candidate");
        add_ratio(page, &row, "late_ratio");
        add_ratio(page, &row, "caller_ratio");
        add_ratio(page, &row, "cost_ratio");
        page_cell_put(page, &row, "memory_ratio");
        page_cell_put(page, &row, "why");
    }
    page_text(page, "A ratio with ~ does not differ significantly from 1.");
}

/* ---- Figures. -------------------------------------------------------------------------------- */

/* Columns of times, each in a unit that reads well for all rows. */
static const struct time_column {
    const char *title, *path;
    int keep;
} times[] = {
    {"late p50", "figures.clock.late_p50_ns", 3},
    {"late p99", "figures.clock.late_p99_ns.median", 9},
    {"late max", "figures.late_max_ns", 4},
    {"start p99", "figures.clock.start_p99_ns", 7},
    {"stop p99", "figures.clock.stop_p99_ns", 6},
    {"cpu per op", "figures.cost_ns_per_op.median", 8},
};
#define TIMES (sizeof times / sizeof *times)

struct rows {
    struct place *all; /* by lateness */
    size_t count;
    double divisors[TIMES];
    const char *units[TIMES];
};

static int by_lateness(const void *left, const void *right)
{
    double a = place_number(left, times[1].path), b = place_number(right, times[1].path);
    return isnan(a) || isnan(b) ? isnan(a) - isnan(b) : (a > b) - (a < b);
}

static void find_units(struct rows *rows)
{
    double *values = calloc(rows->count + 1, sizeof *values);
    for (size_t t = 0; t < TIMES; t++) {
        for (size_t i = 0; values && i < rows->count; i++)
            values[i] = place_number(&rows->all[i], times[t].path);
        rows->units[t] = figure_time_unit(values, values ? rows->count : 0, &rows->divisors[t]);
    }
    free(values);
}

/* Those that were measured; nothing without memory. */
static void gather(struct rows *rows, const struct place *advice)
{
    struct place all = place_get(advice, "candidates");
    *rows =
        (struct rows){.all = calloc((size_t)cJSON_GetArraySize(all.json) + 1, sizeof *rows->all)};
    for (struct place at = place_item(&all, 0); at.json && rows->all; place_next(&at))
        if (json_get(at.json, "figures.clock"))
            rows->all[rows->count++] = at;
    if (rows->all)
        qsort(rows->all, rows->count, sizeof *rows->all, by_lateness);
    find_units(rows);
}

static void add_row(struct page *page, const struct rows *rows, const struct place *row)
{
    const char *status = place_text(row, "status");
    page_row(page);
    page_cell_put(page, row, "name");
    for (size_t t = 0; t < TIMES; t++) {
        char text[FIGURE_SIZE];
        figure_number(text, place_number(row, times[t].path) / rows->divisors[t]);
        page_cell(page, "%s", "");
        page_put_as(page, row, times[t].path, "%s", text);
    }
    page_cell_put(page, row, "figures.clock.idle_wakeups_per_s");
    page_cell_put(page, row, "figures.bytes_per_task");
    page_cell(page, "%s", strcmp(status, "not-told-apart") == 0 ? "not different" : status);
}

static void add_figures(struct page *page, const struct place *advice)
{
    struct rows rows;
    gather(&rows, advice);
    if (rows.count > 0) {
        page_heading(page, 2, "candidates", "Runners and designs, by lateness");
        page_table(page, "candidates-table", "Runners and designs, by lateness");
        page_column(page, "", "candidate", PAGE_LEFT | PAGE_NAMES, 0);
        for (size_t t = 0; t < TIMES; t++)
            page_column(page, times[t].title, rows.units[t], PAGE_BEST, times[t].keep);
        page_column(page, "idle", "wake-ups/s", PAGE_BEST, 5);
        page_column(page, "memory", "B/timer", PAGE_BEST, 2);
        page_column(page, "", "", PAGE_LEFT, 10);
    }
    for (size_t i = 0; i < rows.count; i++)
        add_row(page, &rows, &rows.all[i]);
    free(rows.all);
}

void page_advice_on_clock(struct page *page, const struct place *advice)
{
    add_ratios(page, advice);
    add_figures(page, advice);
}
