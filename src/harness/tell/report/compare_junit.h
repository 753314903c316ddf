/*
 * compare_junit.h - a comparison (docs/COMPARE-FORMAT.md) as JUnit XML.
 */
#ifndef TWBENCH_COMPARE_JUNIT_H
#define TWBENCH_COMPARE_JUNIT_H

#include <cjson/cJSON.h>
#include <stdio.h>

/* A test case per cell, of the class of its workload.  What makes the command fail (key `fail_on`)
 * is a failure; what else regressed or is inconclusive is skipped, with its reason.  Its time is
 * that of one call in NEW, in seconds.  Errors of `out` are left to the caller. */
void compare_junit_write(FILE *out, const cJSON *comparison);

#endif
