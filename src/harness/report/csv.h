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

/* ---- Fields, for other tables. --------------------------------------------------------------- */

/* Quoted where the text would otherwise be taken for structure, with quotes doubled. */
void csv_text(FILE *out, const char *text);

/* A number, a text, true or false, an object as "slots=512"; nothing for NULL. */
void csv_value(FILE *out, const cJSON *item);

#endif
