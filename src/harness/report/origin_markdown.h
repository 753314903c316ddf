/*
 * origin_markdown.h - where the figures of a document come from, behind the tables of its Markdown:
 * warnings, command line, build, machine.
 */
#ifndef TWBENCH_ORIGIN_MARKDOWN_H
#define TWBENCH_ORIGIN_MARKDOWN_H

#include <cjson/cJSON.h>
#include <stdio.h>

/* Errors of `out` are left to the caller. */
void origin_markdown_write(FILE *out, const cJSON *document);

#endif
