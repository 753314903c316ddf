/*
 * compare_markdown.h - a comparison (docs/COMPARE-FORMAT.md) as a comment on a pull request.
 */
#ifndef TWBENCH_COMPARE_MARKDOWN_H
#define TWBENCH_COMPARE_MARKDOWN_H

#include <cjson/cJSON.h>
#include <stdio.h>

/* The verdict as headline, the reasons, a table of the cells that changed, the others folded, and
 * how it was measured.  Errors of `out` are left to the caller. */
void compare_markdown_write(FILE *out, const cJSON *comparison);

#endif
