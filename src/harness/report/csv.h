/*
 * csv.h - the document as comma-separated values (RFC 4180), one row per cell and phase.
 */
#ifndef TWBENCH_CSV_H
#define TWBENCH_CSV_H

#include "harness/result/document.h"

#include <stdio.h>

/* The first row names the columns, unit in the name.  A cell without phases (not ok) has one row
 * with its status.  What is unknown is an empty field.  Errors of `out` are left to the caller. */
void csv_write(FILE *out, const struct result_document *document);

#endif
