/*
 * custom.h - the document as customSmallerIsBetter: the array of named values that
 * github-action-benchmark takes from tools it does not know.
 */
#ifndef TWBENCH_CUSTOM_H
#define TWBENCH_CUSTOM_H

#include "harness/tell/result/document.h"

#include <stdio.h>

/* One element per measure of measures.h, all of which are better when smaller.  Errors of `out` are
 * left to the caller. */
void custom_write(FILE *out, const struct result_document *document);

#endif
