/*
 * wrap.h - a paragraph, broken between words before the last column.
 */
#ifndef TWBENCH_WRAP_H
#define TWBENCH_WRAP_H

#include "harness/tell/report/style.h"

/* `used` columns of the first line are taken already; it is indented by `indent` more, what goes on by
 * `hanging`.  A word that does not fit on any
 * line is not broken.  Errors of `out` are left to the caller. */
void wrap_write(FILE *out, const char *text, int used, int indent, int hanging,
                const struct report_style *style);

#endif
