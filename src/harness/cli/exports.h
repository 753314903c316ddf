/*
 * exports.h - the formats that a document can be exported to, one row each: the flag, what the help says of it,
 * and the renderers.  A new format is a row here.
 */
#ifndef TWBENCH_EXPORTS_H
#define TWBENCH_EXPORTS_H

#include "harness/tell/report/page.h"
#include "harness/tell/result/document.h"

#include <stdio.h>

#define EXPORTS_MAX 8

/* Errors of `out` are left to the caller. */
typedef void export_fn(FILE *out, const struct result_document *document);

/* The same of a comparison. */
typedef void export_comparison_fn(FILE *out, const cJSON *comparison);

/* The same of a page, for what is shown by one. */
typedef void export_page_fn(FILE *out, const struct page *page);

/* A row of the table. */
struct export_format {
    const char *flag; /* "export-csv" */
    const char *help;
    export_fn *write;
    export_comparison_fn *write_comparison; /* NULL: of its page, if the format takes pages */
    export_page_fn *write_page;             /* NULL: the format is for cells */
};

/* All formats, in the order of the help. */
extern const struct export_format export_formats[];
extern const size_t export_format_count;

/* The place of the format in the table; export_format_count when no format has that flag. */
size_t export_find(const char *flag);

/* What a command leaves. */
enum export_kind { EXPORT_RESULT, EXPORT_COMPARISON, EXPORT_PAGE, EXPORT_NOTHING };

/* Does the format take it? */
bool export_offered(size_t format, enum export_kind kind);

#endif
