/*
 * html_page.h - a document as one HTML file that needs nothing else: pictures, tables, claims, origin.
 *
 * Style and script are the files report.css and report.js of a directory, and are copied into the page;
 * it loads nothing, and its own policy forbids it to.
 */
#ifndef TWBENCH_HTML_PAGE_H
#define TWBENCH_HTML_PAGE_H

#include "harness/report/inline.h"

struct html_page {
    const struct result_document *document;
    char *style, *script;
    struct inline_pictures pictures;
};

/* Draws the pictures and reads the files; html_page_free in any case.  DIAG_USAGE when a file is missing. */
int html_page_make(const struct result_document *document, const char *assets_directory,
                   const char *scripts_directory, struct html_page *page, struct diag *diag);
void html_page_free(struct html_page *page);

/* Errors of `out` are left to the caller. */
void html_page_write(FILE *out, const struct html_page *page);

#endif
