/*
 * html_frame.h - a page as one self-contained HTML file: style and script are in it, and it loads nothing.
 */
#ifndef TWBENCH_HTML_FRAME_H
#define TWBENCH_HTML_FRAME_H

#include "harness/base/diag.h"
#include "harness/tell/report/inline.h"
#include "harness/tell/report/page.h"

#include <stdio.h>

struct html_frame {
    char *style, *script; /* report.css and report.js */
    const struct page *page;
    const struct inline_pictures *pictures; /* NULL: none */
};

/* Reads style and script.  html_frame_close in any case. */
int html_frame_open(struct html_frame *frame, const char *assets_directory, struct diag *diag);
void html_frame_close(struct html_frame *frame);

/* The title is the page's first heading; the contents are its headings of level 2 with an anchor, its
 * sections and its pictures.  Errors of `out` are left to the caller. */
void html_frame_write(FILE *out, const struct html_frame *frame);

#endif
