/*
 * exports.h - the formats that a result or a comparison can be exported to, one row each: the flag,
 * what the help says of it, and the renderers.  A new format is a row here.
 */
#ifndef TWBENCH_EXPORTS_H
#define TWBENCH_EXPORTS_H

#include "harness/result/document.h"

#include <stdio.h>

#define EXPORTS_MAX 8

/* Errors of `out` are left to the caller. */
typedef void export_fn(FILE *out, const struct result_document *document);

typedef void export_comparison_fn(FILE *out, const cJSON *comparison);

struct export_format {
    const char *flag; /* "export-csv" */
    const char *help;
    export_fn *write;
    export_comparison_fn *write_comparison; /* NULL: the format has no place for verdicts */
};

extern const struct export_format export_formats[];
extern const size_t export_format_count;

/* The place of the format in the table; export_format_count when no format has that flag. */
size_t export_find(const char *flag);

/* Does a command that leaves a comparison, or else a result, offer the format? */
bool export_offered(size_t format, bool comparison);

#endif
