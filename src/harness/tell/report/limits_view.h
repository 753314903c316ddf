/*
 * limits_view.h - the points of a limits document (docs/LIMITS.md) as rows and columns: a row for each measure, size of node and
 * size of page, a column for each number of nodes.  Pointers go into the document, which must outlive the view.
 */
#ifndef TWBENCH_LIMITS_VIEW_H
#define TWBENCH_LIMITS_VIEW_H

#include <cjson/cJSON.h>
#include <stdbool.h>
#include <stddef.h>

#define LIMITS_VIEW_MAX 64

struct limits_row {
    const char *limit; /* "dependent-load" */
    double node_bytes; /* 0: none */
    bool huge;
    bool has_tasks; /* false: one figure, that of column 0 */
};

struct limits_view {
    const cJSON *document;
    double tasks[LIMITS_VIEW_MAX]; /* ascending */
    size_t task_count;
    struct limits_row rows[LIMITS_VIEW_MAX]; /* in the order of the document */
    size_t row_count;
};

/* What is beyond LIMITS_VIEW_MAX is left out. */
struct limits_view limits_view_make(const cJSON *document);

/* NULL when there is no such point. */
const cJSON *limits_view_point(const struct limits_view *view, size_t row, size_t column);

/* "16 B", "-"; "4 KiB", "2 MiB". */
void limits_view_node(char *out, size_t size, const struct limits_row *row);
const char *limits_view_pages(const struct limits_row *row);

/* The median of a measure at so many nodes, on pages of 2 MiB or not: measured, or a straight line through its neighbours where
 * both axes are logarithmic; NaN outside of what was measured. */
double limits_ns_at(const cJSON *document, const char *limit, double node_bytes, bool huge,
                    double tasks);

/* Of what the points for huge pages touched, the share that was on huge pages: the least of all points; NaN when
 * none were asked for or nothing is known. */
double limits_huge_share(const cJSON *document);

/* The median of the one figure of a measure that has no nodes; NaN when there is none. */
double limits_single_ns(const cJSON *document, const char *limit, bool huge);

#endif
