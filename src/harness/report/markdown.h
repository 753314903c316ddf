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

/* Text for a table cell or a line: what would end the cell, start a tag or be emphasis is written as
 * an entity. */
void markdown_text(FILE *out, const char *text);

#endif
