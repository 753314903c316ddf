/*
 * markdown.h - text in Markdown.
 */
#ifndef TWBENCH_MARKDOWN_H
#define TWBENCH_MARKDOWN_H

#include <stdio.h>

/* The text with everything escaped that Markdown or its tables would take for more than text.  Errors of `out` are
 * left to the caller. */
void markdown_text(FILE *out, const char *text);

#endif
