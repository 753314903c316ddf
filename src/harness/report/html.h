/*
 * html.h - what every part of the report's page is made of: escaped text, and figures that say where in
 * the document they stand.
 *
 * A value carries `data-path`, its place in the document ("cells[3].phases[0].ns_per_op.median"); a
 * number `data-value` besides, exact, by which columns are sorted.  So every figure of the page can be
 * looked up, and a test does.  Errors of `out` are left to the caller.
 */
#ifndef TWBENCH_HTML_H
#define TWBENCH_HTML_H

#include <cjson/cJSON.h>
#include <stdbool.h>
#include <stdio.h>

#define HTML_PATH_SIZE 1000

/* Grows and shrinks on the way through the document; all zero: the document itself. */
struct html_path {
    char text[HTML_PATH_SIZE];
    size_t length;
};

/* Each answers the length that html_path_back takes to undo it.  A key that is no plain word is put
 * in brackets and quotes: figures["work / start"]. */
size_t html_path_key(struct html_path *path, const char *key);
size_t html_path_index(struct html_path *path, size_t index);
/* "latency_ns.advance.p99": as json_get takes it. */
size_t html_path_dotted(struct html_path *path, const char *dotted);
void html_path_back(struct html_path *path, size_t length);

/* The value of that place as an element of that name ("td", "span"): a number rounded to three digits,
 * text, yes or no, the items of an array one after the other.  NULL or null: an empty element. */
void html_value(FILE *out, const char *element, const cJSON *value, struct html_path *path);

/* "late_max_ticks" -> "late max ticks" */
void html_label(FILE *out, const char *key);

/* A head of a column that sorts its table when it is pressed.  `unit` may be NULL; numbers stand at the
 * right. */
void html_column(FILE *out, const char *title, const char *unit, bool is_number);

/* Around a table: a box that scrolls sideways in place of the page.  `label` names it to readers of
 * the screen; `id` may be NULL. */
void html_table_open(FILE *out, const char *id, const char *label);
void html_table_close(FILE *out);

#endif
