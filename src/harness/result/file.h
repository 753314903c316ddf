/*
 * file.h - whole files in, whole files out.
 */
#ifndef TWBENCH_FILE_H
#define TWBENCH_FILE_H

#include "harness/base/diag.h"

#include <stddef.h>
#include <stdio.h>

/* The text of `path` ("-": stdin), ended by a zero byte that `size` does not count; free it. */
int file_read(const char *path, char **text, size_t *size, struct diag *diag);

/* Writes what `print` prints.  A regular file is replaced at once when all of it is on the disk; a
 * device or pipe is written to as it is; "-" is stdout. */
typedef void file_print_fn(FILE *out, const void *ctx);
int file_replace(const char *path, file_print_fn *print, const void *ctx, struct diag *diag);

#endif
