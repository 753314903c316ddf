/* wrap.h - breaks a paragraph between words before the last column. */
#ifndef TWBENCH_WRAP_H
#define TWBENCH_WRAP_H

#include <stdio.h>

/* Ends with a newline.  `used` columns of the first line are taken already; the next lines are indented by `hanging`.  A
 * word that does not fit on any line is not broken.  Errors of `out` are left to the caller. */
void wrap_write(FILE *out, const char *text, int used, int hanging, unsigned columns);

#endif
