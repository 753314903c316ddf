/*
 * html_tree.h - parts of the document whose keys the page need not know: lists of keys and values, and
 * tables of objects.  So a key that is added to the format is in the report without a word here.
 */
#ifndef TWBENCH_HTML_TREE_H
#define TWBENCH_HTML_TREE_H

#include "harness/report/html.h"

/* The values of the object as a list; objects in it and arrays of objects are left to the caller. */
void html_list(FILE *out, const cJSON *object, struct html_path *path);

/* An array of objects: a row each, a column for each key that any of them has with a value. */
void html_records(FILE *out, const char *label, const cJSON *array, struct html_path *path);

#endif
