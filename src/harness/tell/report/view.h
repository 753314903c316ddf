/*
 * view.h - the cells of a document in the order in which people compare them.
 *
 * Cells on the same stream, with the same between their calls, stand side by side in a group; every renderer works group by group.
 * Pointers go into the document, which must outlive the view.
 */
#ifndef TWBENCH_VIEW_H
#define TWBENCH_VIEW_H

#include "harness/base/libc.h"

#include <cjson/cJSON.h>

#define VIEW_PHASES_MAX 16
#define VIEW_LABEL_SIZE 96
#define VIEW_NAME_SIZE  512

struct view_row {
    const cJSON *cell;
    char label[VIEW_LABEL_SIZE]; /* the design; with the parameters in which its rows here differ */
    bool ok;
    bool is_harness;    /* the design that keeps nothing: shown, never the best */
    bool is_real_clock; /* its wall time contains waiting: shown, never the best */
};

struct view_group {
    const char *workload, *tasks_meaning, *stream_hash;
    const char *reference; /* design whose times the others are shown over (--reference); "" */
    const char *between;   /* two calls: "none", "chain", "32KiB"; "": nobody asked */
    double tasks, tick_ns, seed;
    bool has_runners;      /* its cells are of the real clock */
    struct view_row *rows; /* the harness last, the others as in the document */
    size_t row_count;
    const char *phases[VIEW_PHASES_MAX]; /* those that any of the rows has */
    size_t phase_count;
};

struct view {
    struct view_group *groups; /* in the order of their first cells */
    size_t group_count;
    struct view_row *rows;
};

/* Free it with view_free. */
struct view view_make(const cJSON *document);
/* Empty afterwards; the document stays. */
void view_free(struct view *view);

/* The row's phase of that name; NULL when it has none. */
const cJSON *view_phase(const struct view_row *row, const char *name);

/* " (harness)", " (real clock)", "": what a label is followed by where designs are compared. */
const char *view_suffix(const struct view_row *row);

/* May its figures be the best of a column? */
bool view_competes(const struct view_row *row);

/* What ns_per_op is divided by: starts + stops + expiries; NaN where they are not known. */
double view_operations(const cJSON *phase);

/* The largest `key` ("p99", "max") of the advance latencies of all phases, ns; NaN without any. */
double view_advance_ns(const struct view_row *row, const char *key);

/* Was anything of the group timed?  A run of counts only has phases without a time. */
bool view_is_timed(const struct view_group *group);

/* "20.0 MiB of 22.0 MiB", or why not: what of the memory of a cell lies in huge pages that was to;
 * "20.0 MiB, unasked" without --huge-pages, when the design or the system wants it so.  False for
 * any other. */
bool view_huge_pages(char *out, size_t size, const struct view_row *row);

/* "back to back", "chained", "behind 32KiB", "" for the `between` of a group; `out` has VIEW_BETWEEN_SIZE characters. */
#define VIEW_BETWEEN_SIZE 48

/* The wall time of the phase, less the harness's where it was taken off: the interval of ns_per_op, or of ns_per_advance
 * where there are no operations.  NULL: none was timed. */
const cJSON *view_cost(const cJSON *phase);

/* "hold: 1M timers, tick 1 ms, chained" */
void view_title(char *out, size_t size, const struct view_group *group);

/* ---- For formats that know benchmarks by their names alone. ---------------------------------- */

struct view_item {
    const cJSON *cell, *phase; /* no phase: the cell as a whole */
    char name[VIEW_NAME_SIZE];
};
typedef void view_item_fn(void *context, const struct view_item *item);

/* Calls `take` for each phase of each cell that is ok, and then for the cell, in the order of the
 * document.  Names are "hashed/hold/steady/tasks:1000/slots:512", without the phase for a cell; they
 * have the parameters that were asked for and not the derived ones, so that the same command leads
 * to the same names.  What would bear a name for the second time gets "/cell:2" behind it. */
void view_each(const cJSON *document, view_item_fn *take, void *context);

/* "hashed/hold/1000 (slots=512)", with the settings at that key: for sentences. */
void view_label(char *out, size_t size, const cJSON *cell, const char *settings);

/* Are both of the same design with the same settings asked for, workload and tasks? */
bool view_same_cell(const cJSON *a, const cJSON *b);

/* The same name for a cell of the document as a whole, whatever its status. */
void view_cell_name(char *out, size_t size, const cJSON *document, const cJSON *cell);

#endif
