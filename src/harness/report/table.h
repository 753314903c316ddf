/*
 * table.h - the document as tables on the terminal, one per workload and number of tasks.
 */
#ifndef TWBENCH_TABLE_H
#define TWBENCH_TABLE_H

#include "harness/report/style.h"
#include "harness/result/document.h"

/* Errors of `out` are left to the caller (ferror). */
void table_write(FILE *out, const struct result_document *document,
                 const struct report_style *style);

#endif
