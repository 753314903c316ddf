/*
 * limits_view.h - the points of a limits document (labs/advise/docs/LIMITS.md) as rows and columns: a row for each measure, size of node and
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

/* ---- What designs took, as multiples of what the machine can do at best (limits_multiple.c).  Pure functions over
 * documents.
 *
 * The limit of an operation in a phase is
 *
 *     (calls x harness + touches x touch) / operations
 *
 * calls        starts + stops + advances, each of which the harness has to make
 * harness      what a call costs with the design that does nothing, on the same stream: harness_ns_per_op of the cell
 * touches      timers that the phase touches at least: stops, and the larger of starts and expiries, because a
 *              start from a callback finds the timer in the cache that has just expired
 * touch        load and store of one word of a 16-byte node of so many, chosen at random: `load-store`; in a phase that only
 *              starts, and passes no tick, an append to one list: `start-one-list`.  On pages of 2 MiB where the cell's were
 * operations   starts + stops + expiries, by which the results divide too
 *
 * labs/advise/docs/LIMITS.md says what is wrong with that.
 */

#define LIMITS_NODE_BYTES 16

struct limits_multiple {
    double ns_per_op;  /* median of the design; NaN, as what follows: not known */
    double harness_ns; /* of one call */
    const char *touch; /* the measure */
    double touch_ns;   /* of one */
    double limit_ns;   /* per operation */
    double multiple;   /* ns_per_op / limit_ns */
};

/* Of one phase of a cell of a result. */
struct limits_multiple limits_multiple_of(const cJSON *limits, const cJSON *cell,
                                          const cJSON *phase);

/* Of every phase of every cell of the result that was timed: the value of `multiples` in labs/advise/docs/LIMITS.md.
 * `source` names the result.  The caller's. */
cJSON *limits_multiples_json(const cJSON *limits, const cJSON *result, const char *source);

#endif
