/*
 * page.h - a document as one HTML file that needs nothing else: pictures, tables, claims, origin.
 *
 * Style and script are the files report.css and report.js of a directory, and are copied into the page;
 * it loads nothing, and its own policy forbids it to.
 */
#ifndef TWBENCH_PAGE_H
#define TWBENCH_PAGE_H

#include "harness/report/inline.h"

struct page {
    const struct result_document *document;
    char *style, *script;
    struct inline_pictures pictures;
};

/* Draws the pictures and reads the files; page_free in any case.  DIAG_USAGE when a file is missing. */
int page_make(const struct result_document *document, const char *assets_directory,
              const char *scripts_directory, struct page *page, struct diag *diag);
void page_free(struct page *page);

/* Errors of `out` are left to the caller. */
void page_write(FILE *out, const struct page *page);

#endif
