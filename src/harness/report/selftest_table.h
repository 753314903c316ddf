/*
 * selftest_table.h - what a selftest found, for the terminal.
 */
#ifndef TWBENCH_SELFTEST_TABLE_H
#define TWBENCH_SELFTEST_TABLE_H

#include "harness/report/style.h"

#include <cjson/cJSON.h>
#include <stdio.h>

/* Errors of `out` are left to the caller. */
void selftest_table_write(FILE *out, const cJSON *selftest, const struct report_style *style);

#endif
