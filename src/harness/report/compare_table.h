/*
 * compare_table.h - a comparison (docs/COMPARE-FORMAT.md) on the terminal.
 */
#ifndef TWBENCH_COMPARE_TABLE_H
#define TWBENCH_COMPARE_TABLE_H

#include "harness/report/style.h"

#include <cjson/cJSON.h>

/* One line per cell; below, the reasons, where the time of changed cells went, and in the last line
 * the verdict and what decides.  Errors of `out` are left to the caller. */
void compare_table_write(FILE *out, const cJSON *comparison, const struct report_style *style);

#endif
