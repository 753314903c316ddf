/* page_limits.c - builds the page of a limits document: what the machine can do, and designs as multiples of it. */
#include "labs/advise/advise.h"

#include "harness/base/json.h"
#include "harness/base/units.h"
#include "harness/tell/report/builders.h"
#include "harness/tell/report/figure.h"
#include "labs/advise/limits/limits.h"

#include <math.h>
#include <string.h>

/* ---- The limits. ------------------------------------------------------------------------------ */

static void add_task_column(struct page *page, double tasks, const char *unit)
{
    char text[32];
    units_format_count(text, sizeof text, units_whole(tasks));
    page_column(page, text, unit, PAGE_ALONE, 1);
}

static void put_point(struct page *page, const struct limits_view *view, const cJSON *point)
{
    struct place root = place_root(view->document), points = place_get(&root, "points");
    struct place at = place_of(&points, point);
    if (!point)
        page_cell(page, "-");
    else
        page_cell_put(page, &at, json_get(point, "ns") ? "ns.median" : "status");
}

static void add_limits(struct page *page, const cJSON *document)
{
    struct limits_view view = limits_view_make(document);
    struct place root = place_root(document);
    page_heading(page, 2, "limits", "%s", "");
    page_add(page, &root,
             "ns per operation at so many nodes (or timers), median of {method.runs} processes");
    page_table(page, "limits-table", "Limits of the machine");
    page_column(page, "", "limit", PAGE_LEFT | PAGE_NAMES, 0);
    page_column(page, "", "node", 0, 0);
    page_column(page, "", "pages", 0, 0);
    for (size_t i = 0; i < view.task_count; i++)
        add_task_column(page, view.tasks[i], "ns");
    for (size_t row = 0; row < view.row_count; row++) {
        char node[32];
        if (!view.rows[row].has_tasks)
            continue;
        limits_view_node(node, sizeof node, &view.rows[row]);
        page_row(page);
        page_cell(page, "%s", view.rows[row].limit);
        page_cell(page, "%s", node);
        page_cell(page, "%s", limits_view_pages(&view.rows[row]));
        for (size_t i = 0; i < view.task_count; i++)
            put_point(page, &view, limits_view_point(&view, row, i));
    }
}

/* ---- The multiples. ---------------------------------------------------------------------------- */

/* The designs and the numbers of tasks of a workload and phase, in the order in which they come. */
struct multiples {
    const cJSON *first; /* row */
    const char *labels[LIMITS_VIEW_MAX];
    double tasks[LIMITS_VIEW_MAX];
    size_t label_count, task_count;
};

static bool is_alike(const cJSON *a, const cJSON *b)
{
    return strcmp(json_get_text(a, "workload"), json_get_text(b, "workload")) == 0 &&
           strcmp(json_get_text(a, "phase"), json_get_text(b, "phase")) == 0;
}

/* Adds the row's design and tasks where they are new and there is room. */
static void collect(struct multiples *table, const cJSON *row)
{
    const char *name = json_get_text(row, "label");
    double number = json_get_number(row, "tasks");
    size_t label = 0, tasks = 0;
    while (label < table->label_count && strcmp(table->labels[label], name) != 0)
        label++;
    while (tasks < table->task_count && table->tasks[tasks] != number)
        tasks++;
    if (label == table->label_count && label < LIMITS_VIEW_MAX)
        table->labels[table->label_count++] = name;
    if (tasks == table->task_count && tasks < LIMITS_VIEW_MAX)
        table->tasks[table->task_count++] = number;
}

/* A cell for each number of tasks: the value of the row of that design ("": of any). */
static void put_row(struct page *page, const struct place *rows, const struct multiples *table,
                    const char *label, const char *key)
{
    for (size_t i = 0; i < table->task_count; i++) {
        const cJSON *row = table->first;
        while (row && !(is_alike(row, table->first) &&
                        (!label[0] || strcmp(json_get_text(row, "label"), label) == 0) &&
                        json_get_number(row, "tasks") == table->tasks[i]))
            row = row->next;
        struct place at = place_of(rows, row);
        if (row && json_get(row, key))
            page_cell_put(page, &at, key);
        else
            page_cell(page, "-");
    }
}

static void add_multiples(struct page *page, const struct place *rows, const cJSON *first)
{
    struct multiples table = {.first = first};
    for (const cJSON *row = first; row; row = row->next)
        if (is_alike(first, row))
            collect(&table, row);
    page_heading(page, 2, NULL, "%s, %s: multiples of the limit, by number of tasks",
                 json_get_text(first, "workload"), json_get_text(first, "phase"));
    page_table(page, NULL, "Multiples of the limit");
    page_column(page, "", "design", PAGE_LEFT | PAGE_NAMES, 0);
    for (size_t i = 0; i < table.task_count; i++)
        add_task_column(page, table.tasks[i], "");
    for (size_t i = 0; i < table.label_count; i++) {
        page_row(page);
        page_cell(page, "%s", table.labels[i]);
        put_row(page, rows, &table, table.labels[i], "multiple");
    }
    page_row(page);
    page_cell(page, "limit, ns");
    put_row(page, rows, &table, "", "limit_ns");
}

/* One table for each workload and phase, at its first row. */
static void add_all_multiples(struct page *page, const cJSON *document)
{
    struct place root = place_root(document), rows = place_get(&root, "multiples.rows");
    const cJSON *before;
    json_each(row, rows.json, "") {
        before = rows.json->child;
        while (before != row && !is_alike(before, row))
            before = before->next;
        if (before == row)
            add_multiples(page, &rows, row);
    }
}

/* Points that failed have mostly failed alike. */
#define FAILURES_SAID 5

/* ---- Sentences. -------------------------------------------------------------------------------- */

static void say_singles(struct page *page, const cJSON *document)
{
    char branch[FIGURE_SIZE], small[FIGURE_SIZE], huge[FIGURE_SIZE];
    double huge_ns = limits_single_ns(document, "page-fault", true);
    figure_number(branch, limits_single_ns(document, "branch-miss", false));
    figure_number(small, limits_single_ns(document, "page-fault", false));
    figure_number(huge, huge_ns);
    page_item(page,
              "A mispredicted branch costs %s ns, the first touch of a page of 4 KiB %s ns%s%s%s.",
              branch, small, isfinite(huge_ns) ? ", of one of 2 MiB " : "",
              isfinite(huge_ns) ? huge : "", isfinite(huge_ns) ? " ns" : "");
}

static void say_pages(struct page *page, const cJSON *document)
{
    double share = limits_huge_share(document);
    if (!cJSON_IsTrue(json_get(document, "method.huge_pages")))
        return;
    if (share >= 1)
        page_item(page, "Where 2 MiB pages were requested, all touched memory lay on them.");
    else if (share >= 0 && isfinite(100 * share))
        page_item(page, "Where 2 MiB pages were requested, one point had only %.1f %% on them.",
                  100 * share);
    else
        page_item(page, "2 MiB pages were requested; the system does not say if it gave them.");
}

static void say_failures(struct page *page, const cJSON *document)
{
    size_t failed = 0;
    char tasks[32], node[FIGURE_SIZE + 1];
    json_each(point, document, "points") {
        double count = json_get_number(point, "tasks");
        units_format_count(tasks, sizeof tasks, count > 0 ? units_whole(count) : 0);
        figure_value(node, json_get_number(point, "node_bytes"));
        if (strcmp(json_get_text(point, "status"), "ok") != 0 && failed++ < FAILURES_SAID)
            page_item(page, "%s, %s nodes of %s bytes: %s: %s", json_get_text(point, "limit"),
                      tasks, node, json_get_text(point, "status"), json_get_text(point, "reason"));
    }
    if (failed > FAILURES_SAID)
        page_item(page, "%zu more failed; the JSON has their reasons.", failed - FAILURES_SAID);
}

static void say_slow(struct page *page, const cJSON *document)
{
    double slow = 0, stretches = 0, each = json_get_number(document, "method.stretches");
    json_each(point, document, "points") {
        if (!json_get(point, "touched_bytes"))
            continue;
        slow += json_get_number(point, "slow_stretches");
        stretches += each * cJSON_GetArraySize(json_get(point, "ns.samples"));
    }
    double percent = 100 * slow / fmax(stretches, 1);
    if (slow > 0 && stretches > 0 && isfinite(percent))
        page_item(page,
                  "%.1f %% of the stretches were timed while the core was below its full pace.",
                  percent);
}

/* ---- The page. ---------------------------------------------------------------------------------- */

static void add_data(struct page *page, const struct place *root)
{
    static const struct page_field fields[] = {
        {.title = "limit", .cell = "{limit}"},
        {.title = "tasks", .cell = "{tasks}"},
        {.title = "node_bytes", .cell = "{node_bytes}"},
        {.title = "huge_pages", .cell = "{huge_pages}"},
        {.title = "status", .cell = "{status}"},
        {.title = "reason", .cell = "{reason}"},
        {.title = "ns.median", .cell = "{ns.median}"},
        {.title = "ns.low", .cell = "{ns.low}"},
        {.title = "ns.high", .cell = "{ns.high}"},
        {.title = "ns.confidence", .cell = "{ns.confidence}"},
        {.title = "touched_bytes", .cell = "{touched_bytes}"},
        {.title = "huge_bytes", .cell = "{huge_bytes}"}};
    struct place points = place_get(root, "points");
    page_open(page, PAGE_DATA);
    page_fields_each(page, fields, sizeof fields / sizeof *fields, &points);
}

void page_limits(struct page *page, const cJSON *document)
{
    struct place root = place_root(document);
    page_heading(page, 1, NULL, "Limits of ");
    page_put(page, &root, "machine.cpu_model");
    add_limits(page, document);
    add_all_multiples(page, document);
    page_pictures(page, "");
    say_singles(page, document);
    say_pages(page, document);
    say_slow(page, document);
    say_failures(page, document);
    if (!cJSON_IsTrue(json_get(document, "complete")))
        page_item(page, "It was interrupted: samples are missing.");
    page_origin(page, document);
    add_data(page, &root);
}
