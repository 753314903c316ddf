/*
 * bencher.h - the document in the Bencher Metric Format: benchmark -> measure -> value.
 */
#ifndef TWBENCH_BENCHER_H
#define TWBENCH_BENCHER_H

#include "harness/tell/result/document.h"

#include <stdio.h>

/* The measures of measures.h; where one has an interval, as lower_value and upper_value.  Errors of
 * `out` are left to the caller. */
void bencher_write(FILE *out, const struct result_document *document);

#endif
