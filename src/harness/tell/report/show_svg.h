/*
 * show_svg.h - films as one picture: the frames on which something happens, row by row.
 */
#ifndef TWBENCH_SHOW_SVG_H
#define TWBENCH_SHOW_SVG_H

#include "harness/tell/report/show_page.h"

/* One SVG document that follows the viewer's light or dark scheme.  At most SHOW_SVG_FRAMES frames of a
 * film, and what is left out is said.  Errors of `out` are left to the caller. */
#define SHOW_SVG_FRAMES 200
void show_svg(FILE *out, const struct show_page *page);

#endif
