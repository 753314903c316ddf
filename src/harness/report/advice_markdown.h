/*
 * advice_markdown.h - an advice (docs/ADVISE-FORMAT.md) as Markdown.
 */
#ifndef TWBENCH_ADVICE_MARKDOWN_H
#define TWBENCH_ADVICE_MARKDOWN_H

#include <cjson/cJSON.h>
#include <stdio.h>

/* The recommendation with its reasons, every candidate that was measured in a table, the changes with the
 * size.  Errors of `out` are left to the caller. */
void advice_markdown_write(FILE *out, const cJSON *document);

#endif
