/*
 * advice_table.h - an advice (docs/ADVISE-FORMAT.md), for the terminal.
 */
#ifndef TWBENCH_ADVICE_TABLE_H
#define TWBENCH_ADVICE_TABLE_H

#include "harness/report/style.h"

#include <cjson/cJSON.h>

/* Has the document an advice beside its cells? */
bool advice_is_there(const cJSON *document);

/* "nginx, 2035 tasks, tick 1 ms" */
void advice_title(char *out, size_t size, const cJSON *advice);

/* The recommendation with its reasons, the front, the sizes at which the answer changes, and what became
 * of the others.  Errors of `out` are left to the caller. */
void advice_table_write(FILE *out, const cJSON *document, const struct report_style *style);

#endif
