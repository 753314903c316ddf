/*
 * csv.h - fields of comma-separated values (RFC 4180).  Errors of `out` are left to the caller.
 */
#ifndef TWBENCH_CSV_H
#define TWBENCH_CSV_H

#include <stdio.h>

/* Quoted where the text would otherwise be taken for structure, with quotes doubled. */
void csv_text(FILE *out, const char *text);

#endif
