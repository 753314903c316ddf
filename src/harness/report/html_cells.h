/*
 * html_cells.h - every cell of a document in a few tables: times, latency, work, memory and proof,
 * periodic tasks.
 */
#ifndef TWBENCH_HTML_CELLS_H
#define TWBENCH_HTML_CELLS_H

#include "harness/report/html.h"

/* A section with a table of each kind for which the document has figures.  Columns and rows in which
 * nothing would stand are left out. */
void html_cells(FILE *out, const cJSON *document);

#endif
