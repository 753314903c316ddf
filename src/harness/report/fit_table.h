/*
 * fit_table.h - a trace and the workload fitted to it, side by side.
 */
#ifndef TWBENCH_FIT_TABLE_H
#define TWBENCH_FIT_TABLE_H

#include <cjson/cJSON.h>
#include <stdio.h>

/* Both as result/census_record.h makes them.  Errors of `out` are left to the caller. */
void fit_table(FILE *out, const cJSON *trace, const cJSON *fit);

#endif
