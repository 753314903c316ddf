/*
 * html_origin.h - where the figures come from: command line, build, machine, what the system check and
 * the last selftest said.
 */
#ifndef TWBENCH_HTML_ORIGIN_H
#define TWBENCH_HTML_ORIGIN_H

#include "harness/report/html.h"

/* What a reader has to know before any figure: warnings of the system check, an interrupted run, cells
 * that failed.  Nothing when all is well. */
void html_warnings(FILE *out, const cJSON *document);

void html_origin(FILE *out, const cJSON *document);

#endif
