/* page_cells.c - builds the sheets of a run's figures and its table for programs from the catalogue. */
#include "harness/tell/report/builders.h"

#include "harness/base/json.h"
#include "harness/base/memory.h"
#include "harness/tell/result/figures.h"

struct sheet {
    enum figure_sheet sheet;
    const char *id, *title, *note;
    const char *list; /* of the cell, whose items are the rows; NULL: the cell is the row */
    struct {
        const char *title, *path;
    } named[2]; /* what distinguishes the rows of a cell */
};

static const struct sheet sheets[] = {
    {FIGURE_TIMES,
     "times",
     "Times",
     "Median of the samples and the exact interval of the median by order statistics, in "
     "nanoseconds, harness included.",
     "phases",
     {{"phase", "name"}}},
    {FIGURE_LATENCY,
     "latency",
     "Latency of single calls",
     "Percentiles in nanoseconds: never below the true one and at most 3.2 % above it; the maximum "
     "is exact.  Below the step of the clock there is no number.",
     "phases",
     {{"phase", "name"}}},
    {FIGURE_WORK,
     "work",
     "Work",
     "Counted, not timed: of one pass through the phase, equal on every machine.",
     "phases",
     {{"phase", "name"}}},
    {FIGURE_MEMORY,
     "memory",
     "Memory and proof",
     "The outcome of each cell: its status, what fired and how late, and the bytes it took.",
     NULL,
     {{NULL, NULL}}},
    {FIGURE_SCHEDULES,
     "schedules",
     "Periodic tasks",
     "What one dispatch thread makes of the workload's periodic tasks, in virtual time.",
     "schedules",
     {{"kind", "kind"}, {"catching up", "catch_up"}}},
};

/* The sheet's figures that the document has. */
struct shown {
    struct page *page;
    const struct sheet *sheet;
    const struct figure **columns;
    size_t count;
};

typedef void row_fn(struct shown *shown, const struct place *cell, const struct place *row);

static void each_row(struct shown *shown, const struct place *cells, row_fn *visit)
{
    for (struct place cell = place_item(cells, 0); cell.json; place_next(&cell)) {
        if (!shown->sheet->list) {
            visit(shown, &cell, &cell);
            continue;
        }
        struct place rows = place_get(&cell, shown->sheet->list);
        for (struct place row = place_item(&rows, 0); row.json; place_next(&row))
            visit(shown, &cell, &row);
    }
}

static bool sheet_has(const struct place *cells, const struct sheet *sheet, const char *path)
{
    bool has = false;
    json_each(cell, cells->json, "")
        if (!sheet->list)
            has = has || json_get(cell, path);
        else
            json_each(row, cell, sheet->list)
                has = has || json_get(row, path);
    return has;
}

static void choose_columns(struct shown *shown, const struct place *cells)
{
    for (size_t i = 0; i < figure_count(); i++)
        if (figure_at(i)->sheet == shown->sheet->sheet &&
            sheet_has(cells, shown->sheet, figure_at(i)->path))
            shown->columns[shown->count++] = figure_at(i);
}

static bool has_figures(const struct shown *shown, const struct place *row)
{
    for (size_t i = 0; i < shown->count; i++)
        if (json_get(row->json, shown->columns[i]->path))
            return true;
    return false;
}

static void add_row(struct shown *shown, const struct place *cell, const struct place *row)
{
    struct page *page = shown->page;
    const cJSON *params = json_get(cell->json, "params");
    if (!has_figures(shown, row))
        return;
    page_row(page);
    page_cell_put(page, cell, "impl");
    if (params && params->child)
        page_add(page, cell, " {params:faint}");
    page_cell_put(page, cell, "workload");
    page_cell_put(page, cell, "tasks");
    page_cell_say(page, cell, "{tick_ns:tick}");
    for (size_t i = 0; i < 2 && shown->sheet->named[i].path; i++)
        page_cell_put(page, row, shown->sheet->named[i].path);
    for (size_t i = 0; i < shown->count; i++) {
        const struct figure *figure = shown->columns[i];
        if (shown->sheet->sheet != FIGURE_LATENCY || figure->type == FIGURE_INTEGER ||
            !json_get(row->json, figure->path)) {
            page_cell_put(page, row, figure->path);
        } else {
            page_cell(page, "%s", "");
            page_put_latency(page, row, figure->path, 1);
        }
    }
}

static void add_columns(const struct shown *shown)
{
    char title[FIGURE_NAME_SIZE];
    page_column(shown->page, "design", "", PAGE_LEFT | PAGE_NAMES, 0);
    page_column(shown->page, "workload", "", PAGE_LEFT, 0);
    page_column(shown->page, "tasks", "", 0, 0);
    page_column(shown->page, "tick", "", 0, 0);
    for (size_t i = 0; i < 2 && shown->sheet->named[i].path; i++)
        page_column(shown->page, shown->sheet->named[i].title, "", PAGE_LEFT, 0);
    for (size_t i = 0; i < shown->count; i++) {
        const struct figure *figure = shown->columns[i];
        figure_title(title, figure);
        page_column(shown->page, title, figure->unit ? figure->unit : "",
                    figure->type == FIGURE_TEXT ? PAGE_LEFT : 0, 0);
    }
}

static void add_sheet(struct page *page, const struct place *cells, const struct sheet *sheet)
{
    struct shown shown = {page, sheet, memory_take(figure_count(), sizeof(const struct figure *)),
                          0};
    choose_columns(&shown, cells);
    if (shown.count > 0) {
        page_heading(page, 3, NULL, "%s", sheet->title);
        page_text(page, "%s", sheet->note);
        page_table(page, sheet->id, sheet->title);
        add_columns(&shown);
        each_row(&shown, cells, add_row);
    }
    free(shown.columns);
}

static void add_sheets(struct page *page, const cJSON *document)
{
    struct place root = place_root(document), cells = place_get(&root, "cells");
    if (cJSON_GetArraySize(cells.json) == 0)
        return;
    page_section(page, "cells", "Cells");
    page_text(page, "Every design on every workload and size.");
    for (size_t i = 0; i < sizeof sheets / sizeof *sheets; i++)
        add_sheet(page, &cells, &sheets[i]);
    page_open(page, PAGE_SECTION_END);
}

/* ---- The table for programs. ------------------------------------------------------------------- */

static void add_record(struct page *page, const struct place *cell, const struct place *phase)
{
    page_row(page);
    for (size_t i = 0; i < figure_count(); i++)
        if (figure_at(i)->csv)
            page_cell_put(page, figure_at(i)->owner == FIGURE_OF_CELL ? cell : phase,
                          figure_at(i)->path);
}

static void add_data(struct page *page, const cJSON *document)
{
    struct place root = place_root(document), cells = place_get(&root, "cells");
    page_open(page, PAGE_DATA);
    for (size_t i = 0; i < figure_count(); i++)
        if (figure_at(i)->csv)
            page_column(page, figure_at(i)->csv, "", 0, 0);
    for (struct place cell = place_item(&cells, 0); cell.json; place_next(&cell)) {
        struct place phases = place_get(&cell, "phases"), phase = place_item(&phases, 0);
        if (!phase.json)
            add_record(page, &cell, &phase);
        for (; phase.json; place_next(&phase))
            add_record(page, &cell, &phase);
    }
}

void page_cells(struct page *page, const cJSON *document)
{
    page_pictures(page, "");
    page_span(page, "Pictures");
    add_sheets(page, document);
    page_origin(page, document);
    add_data(page, document);
}
