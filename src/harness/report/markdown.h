/*
 * markdown.h - the document as Markdown tables, for issues, pull requests and READMEs.
 */
#ifndef TWBENCH_MARKDOWN_H
#define TWBENCH_MARKDOWN_H

#include "harness/result/document.h"

#include <stdio.h>

/* One heading and table per workload and number of tasks; the best figures are bold.  Errors of
 * `out` are left to the caller. */
void markdown_write(FILE *out, const struct result_document *document);

#endif
