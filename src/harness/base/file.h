/*
 * file.h - whole files in, whole files out.
 */
#ifndef TWBENCH_FILE_H
#define TWBENCH_FILE_H

#include "harness/base/diag.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

/* The text of `path` ("-": stdin), ended by a zero byte that `size` does not count; free it. */
int file_read(const char *path, char **text, size_t *size, struct diag *diag);
/* The same of what is open; `path` names it in messages. */
int file_read_stream(FILE *file, const char *path, char **text, size_t *size, struct diag *diag);

/* Writes what `print` prints.  A regular file is replaced at once when all of it is on the disk; a
 * device or pipe is written to as it is; "-" is stdout.  SIGINT, SIGTERM and SIGHUP wait until a regular
 * file is whole, and end the process while a pipe has no reader. */
typedef void file_print_fn(FILE *out, const void *ctx);
int file_replace(const char *path, file_print_fn *print, const void *ctx, struct diag *diag);
/* Is that what file_replace does, so that it can be done again and again?  A pipe takes one text. */
bool file_is_replaced(const char *path);

/* DIAG_USAGE, ending with `advice`, when something that file_replace would replace is there: a file, a
 * link that leads nowhere; or a directory.  "-", pipes and devices are written to. */
int file_refuse_existing(const char *path, const char *advice, struct diag *diag);

#endif
