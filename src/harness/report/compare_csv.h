/*
 * compare_csv.h - a comparison (docs/COMPARE-FORMAT.md) as comma-separated values, a row per cell.
 */
#ifndef TWBENCH_COMPARE_CSV_H
#define TWBENCH_COMPARE_CSV_H

#include <cjson/cJSON.h>
#include <stdio.h>

/* The first row names the columns.  What is unknown is an empty field.  Errors of `out` are left to
 * the caller. */
void compare_csv_write(FILE *out, const cJSON *comparison);

#endif
