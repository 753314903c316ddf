/*
 * limits_table.h - the limits of a machine, and designs as multiples of them, for the terminal.
 */
#ifndef TWBENCH_LIMITS_TABLE_H
#define TWBENCH_LIMITS_TABLE_H

#include "harness/report/style.h"

#include <cjson/cJSON.h>
#include <stdio.h>

/* `document` as result/limits_json.h makes it; with `multiples`, a table for each workload and phase follows.
 * Errors of `out` are left to the caller. */
void limits_table_write(FILE *out, const cJSON *document, const struct report_style *style);

#endif
