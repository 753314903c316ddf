/* html_cells.c - a sheet says what its rows and columns are; all are written alike. */
#include "harness/report/html_cells.h"

#include "harness/base/units.h"
#include "harness/report/xml.h"
#include "harness/result/json.h"

#include <math.h>
#include <string.h>

#define COLUMNS_MAX 24

struct column {
    const char *title, *unit, *path; /* from the row */
};

struct sheet {
    const char *id, *title, *note;
    const char *list;       /* of the cell, whose items are the rows; NULL: the cell is the row */
    struct column named[2]; /* what tells the rows of a cell apart */
    struct column columns[COLUMNS_MAX]; /* a sheet without any of them is not there */
};

static const struct sheet sheets[] = {
    {"times",
     "Times",
     "Median of the samples and the exact interval of the median by order statistics, in "
     "nanoseconds, harness included.",
     "phases",
     {{"phase", "", "name"}},
     {{"per operation", "ns", "ns_per_op.median"},
      {"low", "ns", "ns_per_op.low"},
      {"high", "ns", "ns_per_op.high"},
      {"confidence", "", "ns_per_op.confidence"},
      {"cpu per operation", "ns", "cpu_ns_per_op"},
      {"per advance", "ns", "ns_per_advance.median"},
      {"advance low", "ns", "ns_per_advance.low"},
      {"advance high", "ns", "ns_per_advance.high"},
      {"instructions", "per op", "counters.instructions_per_op"},
      {"cycles", "per op", "counters.cycles_per_op"},
      {"cache misses", "per op", "counters.cache_misses_per_op"},
      {"branch misses", "per op", "counters.branch_misses_per_op"},
      {"TLB misses", "per op", "counters.dtlb_misses_per_op"}}},
    {"latency",
     "Latency of single calls",
     "Percentiles in nanoseconds: never below the true one and at most 3.2 % above it; the maximum "
     "is exact.",
     "phases",
     {{"phase", "", "name"}},
     {{"start p50", "ns", "latency_ns.start.p50"},
      {"start p99", "ns", "latency_ns.start.p99"},
      {"start max", "ns", "latency_ns.start.max"},
      {"stop p50", "ns", "latency_ns.stop.p50"},
      {"stop p99", "ns", "latency_ns.stop.p99"},
      {"stop max", "ns", "latency_ns.stop.max"},
      {"advance p50", "ns", "latency_ns.advance.p50"},
      {"advance p90", "ns", "latency_ns.advance.p90"},
      {"advance p99", "ns", "latency_ns.advance.p99"},
      {"advance p99.9", "ns", "latency_ns.advance.p99_9"},
      {"advance p99.99", "ns", "latency_ns.advance.p99_99"},
      {"advance max", "ns", "latency_ns.advance.max"},
      {"next p50", "ns", "latency_ns.next.p50"},
      {"next p99", "ns", "latency_ns.next.p99"},
      {"next max", "ns", "latency_ns.next.max"}}},
    {"work",
     "Work",
     "Counted, not timed: of one pass through the phase, equal on every machine.",
     "phases",
     {{"phase", "", "name"}},
     {{"start", "calls", "operations.start"},
      {"stop", "calls", "operations.stop"},
      {"expire", "calls", "operations.expire"},
      {"advance", "calls", "operations.advance"},
      {"comparisons", "", "work.comparisons"},
      {"visits", "", "work.visits"},
      {"moves", "", "work.moves"},
      {"link writes", "", "work.link_writes"},
      {"cascades", "", "work.cascades"},
      {"pointer moves", "", "work.pointer_moves"},
      {"empty ticks", "", "work.empty_ticks"},
      {"allocations", "", "work.allocations"},
      {"system calls", "", "work.system_calls"},
      {"clock reads", "", "work.clock_reads"},
      {"work of an advance p99", "", "advance_work.p99"},
      {"work of an advance max", "", "advance_work.max"},
      {"wake-ups", "", "wakeups.count"},
      {"of use", "", "wakeups.useful"},
      {"to a moment", "", "wakeups.to_moment"},
      {"calls of next", "", "wakeups.next_calls"},
      {"starts refused", "", "operations.refused"}}},
    {"memory",
     "Memory and proof",
     "What came of each cell: its status, what fired and how late, and the bytes it took.",
     NULL,
     {{"status", "", "status"}},
     {{"reason", "", "reason"},
      {"per task", "bytes", "memory.bytes_per_task"},
      {"fixed", "bytes", "memory.fixed_bytes"},
      {"peak", "bytes", "memory.peak_bytes"},
      {"at the end", "bytes", "memory.allocated_bytes"},
      {"retained", "bytes", "memory.retained_bytes"},
      {"resident", "bytes", "memory.resident_bytes"},
      {"in huge pages", "bytes", "memory.pages.huge_bytes"},
      {"fired", "", "fired"},
      {"early", "", "early"},
      {"late mean", "ticks", "late_mean_ticks"},
      {"late max", "ticks", "late_max_ticks"},
      {"late mean", "ns", "precision.late_mean_ns"},
      {"late max", "ns", "precision.late_max_ns"},
      {"longest delay", "ticks", "span_ticks"},
      {"harness", "ns per op", "harness_ns_per_op"},
      {"stepped", "instructions per op", "stepped.instructions_per_op"}}},
    {"schedules",
     "Periodic tasks",
     "What one dispatch thread makes of the workload's periodic tasks, in virtual time.",
     "schedules",
     {{"kind", "", "kind"}, {"catching up", "", "catch_up"}},
     {{"runs", "", "runs"},
      {"missed", "", "missed"},
      {"late runs", "", "late_runs"},
      {"late mean", "ticks", "late_mean_ticks"},
      {"late max", "ticks", "late_max_ticks"},
      {"busy", "share", "busy_share"}}},
};

/* ---- Rows. ----------------------------------------------------------------------------------- */

/* What of a sheet a document has. */
struct shown {
    const struct sheet *sheet;
    bool column[COLUMNS_MAX];
    bool any;
};

struct place {
    const cJSON *cell, *row;
    size_t index;           /* of the cell */
    struct html_path *path; /* of the row */
};

typedef void row_fn(void *context, const struct place *place);

static void each_row_of(struct place *place, const char *list, row_fn *visit, void *context)
{
    size_t before = html_path_key(place->path, list), item = 0;
    cJSON_ArrayForEach(place->row, json_get(place->cell, list))
    {
        size_t length = html_path_index(place->path, item++);
        visit(context, place);
        html_path_back(place->path, length);
    }
    html_path_back(place->path, before);
}

static void each_row(const cJSON *document, const struct sheet *sheet, row_fn *visit, void *context)
{
    struct html_path path = {.length = 0};
    struct place place = {.path = &path};
    html_path_key(&path, "cells");
    cJSON_ArrayForEach(place.cell, json_get(document, "cells"))
    {
        size_t length = html_path_index(&path, place.index);
        place.row = place.cell;
        if (sheet->list)
            each_row_of(&place, sheet->list, visit, context);
        else
            visit(context, &place);
        html_path_back(&path, length);
        place.index++;
    }
}

static void look(void *context, const struct place *place)
{
    struct shown *shown = context;
    for (size_t i = 0; i < COLUMNS_MAX && shown->sheet->columns[i].path; i++)
        if (json_get(place->row, shown->sheet->columns[i].path))
            shown->column[i] = shown->any = true;
}

static bool has_figures(const struct shown *shown, const cJSON *row)
{
    for (size_t i = 0; i < COLUMNS_MAX && shown->sheet->columns[i].path; i++)
        if (json_get(row, shown->sheet->columns[i].path))
            return true;
    return !shown->sheet->list;
}

static void write_at(FILE *out, const cJSON *from, const char *dotted, struct html_path *path)
{
    size_t length = html_path_dotted(path, dotted);
    html_value(out, "td", json_get(from, dotted), path);
    html_path_back(path, length);
}

/* "1 ms", sorted by nanoseconds. */
static void write_tick(FILE *out, const cJSON *cell, const struct html_path *path)
{
    char text[32];
    double tick_ns = json_get_number(cell, "tick_ns");
    units_format_time(text, sizeof text, tick_ns > 0 ? units_whole(tick_ns) : 0);
    fprintf(out, "<td class=\"number\" data-path=\"%s.tick_ns\" data-value=\"%.15g\">%s</td>",
            path->text, tick_ns, text);
}

static void write_lead(FILE *out, const cJSON *cell, size_t index)
{
    char params[200];
    struct html_path path = {.length = 0};
    html_path_key(&path, "cells");
    html_path_index(&path, index);
    json_format_params(params, sizeof params, json_get(cell, "params"));
    fputs("<tr><th scope=\"row\">", out);
    size_t length = html_path_key(&path, "impl");
    html_value(out, "span", json_get(cell, "impl"), &path);
    html_path_back(&path, length);
    if (params[0]) {
        fputs(" <small>", out);
        xml_text(out, params);
        fputs("</small>", out);
    }
    fputs("</th>", out);
    write_at(out, cell, "workload", &path);
    write_at(out, cell, "tasks", &path);
    write_tick(out, cell, &path);
}

struct writer {
    FILE *out;
    const struct shown *shown;
};

static void write_row(void *context, const struct place *place)
{
    const struct writer *writer = context;
    const struct shown *shown = writer->shown;
    const struct sheet *sheet = shown->sheet;
    if (!has_figures(shown, place->row))
        return;
    write_lead(writer->out, place->cell, place->index);
    for (size_t i = 0; i < 2 && sheet->named[i].path; i++)
        write_at(writer->out, place->row, sheet->named[i].path, place->path);
    for (size_t i = 0; i < COLUMNS_MAX && sheet->columns[i].path; i++)
        if (shown->column[i])
            write_at(writer->out, place->row, sheet->columns[i].path, place->path);
    fputs("</tr>\n", writer->out);
}

/* ---- Sheets. --------------------------------------------------------------------------------- */

static void write_head(FILE *out, const struct shown *shown)
{
    static const char *const lead[] = {"design", "workload", "tasks", "tick"};
    const struct sheet *sheet = shown->sheet;
    fputs("<thead><tr>", out);
    for (size_t i = 0; i < sizeof lead / sizeof *lead; i++)
        html_column(out, lead[i], NULL, i >= 2);
    for (size_t i = 0; i < 2 && sheet->named[i].path; i++)
        html_column(out, sheet->named[i].title, NULL, false);
    for (size_t i = 0; i < COLUMNS_MAX && sheet->columns[i].path; i++)
        if (shown->column[i])
            html_column(out, sheet->columns[i].title, sheet->columns[i].unit,
                        strcmp(sheet->columns[i].path, "reason") != 0);
    fputs("</tr></thead>\n<tbody>\n", out);
}

static void write_sheet(FILE *out, const cJSON *document, const struct sheet *sheet)
{
    struct shown shown = {.sheet = sheet};
    struct writer writer = {out, &shown};
    each_row(document, sheet, look, &shown);
    if (!shown.any)
        return;
    fprintf(out, "<h3>%s</h3>\n<p class=\"note\">%s</p>\n", sheet->title, sheet->note);
    html_table_open(out, sheet->id, sheet->title);
    write_head(out, &shown);
    each_row(document, sheet, write_row, &writer);
    fputs("</tbody>", out);
    html_table_close(out);
}

void html_cells(FILE *out, const cJSON *document)
{
    fputs(
        "<section id=\"cells\"><h2>Cells</h2>\n"
        "<p>Every design on every workload and size. A column is sorted when its head is pressed.\n"
        "<label class=\"filter\" hidden>Rows with <input type=\"search\" id=\"filter\" "
        "placeholder=\"heap standard\"></label></p>\n",
        out);
    for (size_t i = 0; i < sizeof sheets / sizeof *sheets; i++)
        write_sheet(out, document, &sheets[i]);
    fputs("</section>\n", out);
}
