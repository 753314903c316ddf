/* limits_view.c - looks up points of a limits document. */
#include "labs/advise/limits/limits.h"

#include "harness/base/json.h"
#include "harness/base/units.h"

#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

static double or_zero(double value)
{
    return isfinite(value) ? value : 0;
}

static struct limits_row row_of(const cJSON *point)
{
    return (struct limits_row){
        .limit = json_get_text(point, "limit"),
        .node_bytes = or_zero(json_get_number(point, "node_bytes")),
        .huge = cJSON_IsTrue(json_get(point, "huge_pages")),
        .has_tasks = json_get(point, "tasks") != NULL,
    };
}

static bool is_same(const struct limits_row *a, const struct limits_row *b)
{
    return strcmp(a->limit, b->limit) == 0 && a->node_bytes == b->node_bytes &&
           a->huge == b->huge && a->has_tasks == b->has_tasks;
}

static void add_row(struct limits_view *view, const struct limits_row *row)
{
    for (size_t i = 0; i < view->row_count; i++)
        if (is_same(&view->rows[i], row))
            return;
    if (view->row_count < LIMITS_VIEW_MAX)
        view->rows[view->row_count++] = *row;
}

static void add_tasks(struct limits_view *view, double tasks)
{
    size_t at = 0;
    while (at < view->task_count && view->tasks[at] < tasks)
        at++;
    bool is_there = at < view->task_count && view->tasks[at] == tasks;
    if (is_there || view->task_count == LIMITS_VIEW_MAX)
        return;
    memmove(&view->tasks[at + 1], &view->tasks[at], (view->task_count - at) * sizeof *view->tasks);
    view->tasks[at] = tasks;
    view->task_count++;
}

struct limits_view limits_view_make(const cJSON *document)
{
    struct limits_view view = {.document = document};
    json_each(point, document, "points") {
        struct limits_row row = row_of(point);
        add_row(&view, &row);
        if (row.has_tasks)
            add_tasks(&view, json_get_number(point, "tasks"));
    }
    return view;
}

const cJSON *limits_view_point(const struct limits_view *view, size_t row, size_t column)
{
    json_each(point, view->document, "points") {
        struct limits_row other = row_of(point);
        if (!is_same(&view->rows[row], &other))
            continue;
        if (!other.has_tasks || json_get_number(point, "tasks") == view->tasks[column])
            return point;
    }
    return NULL;
}

void limits_view_node(char *out, size_t size, const struct limits_row *row)
{
    if (row->node_bytes > 0)
        units_format_bytes(out, size, units_whole(row->node_bytes));
    else
        snprintf(out, size, "-");
}

const char *limits_view_pages(const struct limits_row *row)
{
    return row->huge ? "2 MiB" : "4 KiB";
}

/* The line through two points, at x; both axes logarithmic. */
static double between(double x, double x0, double y0, double x1, double y1)
{
    if (x0 == x1)
        return y0;
    return exp(log(y0) + log(y1 / y0) * log(x / x0) / log(x1 / x0));
}

double limits_ns_at(const cJSON *document, const char *limit, double node_bytes, bool huge,
                    double tasks)
{
    struct limits_row wanted = {
        .limit = limit, .node_bytes = node_bytes, .huge = huge, .has_tasks = true};
    double below = NAN, below_ns = NAN, above = NAN, above_ns = NAN;
    json_each(point, document, "points") {
        struct limits_row row = row_of(point);
        double at = json_get_number(point, "tasks"), ns = json_get_number(point, "ns.median");
        if (!is_same(&row, &wanted) || !(ns > 0))
            continue;
        if (at <= tasks && !(at < below))
            below = at, below_ns = ns;
        if (at >= tasks && !(at > above))
            above = at, above_ns = ns;
    }
    return between(tasks, below, below_ns, above, above_ns);
}

double limits_huge_share(const cJSON *document)
{
    double least = NAN;
    json_each(point, document, "points") {
        double share =
            json_get_number(point, "huge_bytes") / json_get_number(point, "touched_bytes");
        if (cJSON_IsTrue(json_get(point, "huge_pages")) && isfinite(share))
            least = share < least || isnan(least) ? share : least;
    }
    return least;
}

double limits_single_ns(const cJSON *document, const char *limit, bool huge)
{
    struct limits_row wanted = {.limit = limit, .huge = huge};
    json_each(point, document, "points") {
        struct limits_row row = row_of(point);
        if (is_same(&row, &wanted))
            return json_get_number(point, "ns.median");
    }
    return NAN;
}
