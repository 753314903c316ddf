/*
 * claims_table.h - claims with their verdicts (docs/CLAIMS-FORMAT.md), for the terminal.
 */
#ifndef TWBENCH_CLAIMS_TABLE_H
#define TWBENCH_CLAIMS_TABLE_H

#include "harness/report/style.h"

#include <cjson/cJSON.h>

/* Each claim with its verdict, its parts with theirs and the figures they rest on, and a summary.  Errors
 * of `out` are left to the caller. */
void claims_table_write(FILE *out, const cJSON *document, const struct report_style *style);

#endif
