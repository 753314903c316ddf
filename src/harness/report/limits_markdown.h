/*
 * limits_markdown.h - the same tables and sentences as Markdown.
 */
#ifndef TWBENCH_LIMITS_MARKDOWN_H
#define TWBENCH_LIMITS_MARKDOWN_H

#include <cjson/cJSON.h>
#include <stdio.h>

/* `document` as for limits_table.h.  Errors of `out` are left to the caller. */
void limits_markdown_write(FILE *out, const cJSON *document);

#endif
