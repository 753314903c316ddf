/*
 * show_html.h - films as a page to go through step by step.
 */
#ifndef TWBENCH_SHOW_HTML_H
#define TWBENCH_SHOW_HTML_H

#include "harness/tell/report/show_page.h"

/* One self-contained page: it loads nothing.  Every frame is in it as a picture, so that without scripts,
 * or on paper, it is a filmstrip; with them one is shown at a time, by buttons, a slider or the keys.
 * Of films of more than SHOW_HTML_FRAMES frames only those on which something happens.  Errors of `out`
 * are left to the caller. */
#define SHOW_HTML_FRAMES 1000
void show_html(FILE *out, const struct show_page *page);

#endif
