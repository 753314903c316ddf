/* tracefile.h - the text of a timer-trace 1, and its file: plain, .xz or .gz by the name. */
#ifndef TWBENCH_TRACEFILE_H
#define TWBENCH_TRACEFILE_H

#include "harness/base/diag.h"

#include <stdbool.h>
#include <stddef.h>

/* Refuses a directory that cannot be written to, a name that does not end in .tt, .tt.xz or .tt.gz, and a file that is
 * there (unless `force`); "-" is stdout. */
int tracefile_check(const char *path, bool force, struct diag *diag);
/* Writes the text as its name says ("-": plain); the file is there at once or not at all. */
int tracefile_write(const char *path, const char *text, size_t size, struct diag *diag);

#endif
