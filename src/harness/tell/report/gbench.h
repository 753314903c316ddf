/*
 * gbench.h - the document as Google Benchmark writes its own results, for the tools that read them.
 */
#ifndef TWBENCH_GBENCH_H
#define TWBENCH_GBENCH_H

#include "harness/tell/result/document.h"

#include <stdio.h>

/* One row of type `iteration` per sample of each phase of each cell that is ok; samples of one phase
 * share their name and differ in repetition_index, which is how compare.py gets its U test.  No
 * aggregate rows.  Errors of `out` are left to the caller. */
void gbench_write(FILE *out, const struct result_document *document);

#endif
