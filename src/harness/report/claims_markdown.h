/*
 * claims_markdown.h - claims with their verdicts (docs/CLAIMS-FORMAT.md), as Markdown.
 */
#ifndef TWBENCH_CLAIMS_MARKDOWN_H
#define TWBENCH_CLAIMS_MARKDOWN_H

#include <cjson/cJSON.h>
#include <stdio.h>

/* A table of the claims, then a section for each with its parts, what was run, and what was measured
 * elsewhere.  Errors of `out` are left to the caller. */
void claims_markdown_write(FILE *out, const cJSON *document);

#endif
