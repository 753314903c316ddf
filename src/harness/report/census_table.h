/*
 * census_table.h - what is in a trace (result/census_record.h), for people.
 */
#ifndef TWBENCH_CENSUS_TABLE_H
#define TWBENCH_CENSUS_TABLE_H

#include "harness/report/style.h"

#include <cjson/cJSON.h>
#include <stddef.h>

/* At most 80 columns.  Errors of `out` are left to the caller. */
void census_table(FILE *out, const cJSON *record, const struct report_style *style);

/* Four significant digits and a unit of time, from ns to h: "1.049 ms", "-9.306 us", "24 h". */
void census_format_time(char *out, size_t size, double ns);

#endif
