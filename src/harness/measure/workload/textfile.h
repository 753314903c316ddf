/* textfile.h - reads the lines of a text that may be compressed: plain, .xz (liblzma) or .gz (zlib).
 *
 * What it is is seen from its first bytes, not from its name.  Reading is streaming, in constant
 * memory.  It is strict: compressed data that is cut short, damaged or followed by rubbish is an
 * error, and so is a last line without its newline, because that is what a text cut short looks
 * like.
 */
#ifndef TWBENCH_TEXTFILE_H
#define TWBENCH_TEXTFILE_H

#include "harness/base/diag.h"

#include <stddef.h>
#include <stdint.h>

/* A line is shorter than this. */
#define TEXTFILE_LINE_MAX 65536

struct textfile;

/* DIAG_USAGE when `path` can be read only once; for what reads it again. */
int textfile_refuse_pipe(const char *path, struct diag *diag);

/* They set *out, which the caller closes, only on success.  The memory must outlive the reading;
 * `name` stands for the path in diagnostics. */
int textfile_open(struct textfile **out, const char *path, struct diag *diag);
/* The same of a descriptor that is open for reading and stays the caller's. */
int textfile_open_descriptor(struct textfile **out, const char *name, int descriptor,
                             struct diag *diag);
int textfile_open_memory(struct textfile **out, const char *name, const void *data, size_t size,
                         struct diag *diag);
/* NULL is allowed.  A descriptor that was lent stays open. */
void textfile_close(struct textfile *file);

/* 1 and the next line, with NUL in place of its newline, valid until the next call; 0 at the end;
 * DIAG_USAGE or DIAG_RUN.  A line with a NUL byte in it is refused. */
int textfile_line(struct textfile *file, char **line, size_t *length, struct diag *diag);

/* For logs, which are long and may be torn: 1 and as many whole lines as are at hand, newlines included,
 * valid until the next call.  No byte is refused.  What follows the last newline of the file comes by
 * itself, without one, and so do the parts of a line of more than 256 KiB.  Line numbers do not count
 * these lines.  0 at the end; DIAG_USAGE or DIAG_RUN. */
int textfile_block(struct textfile *file, const char **text, size_t *length, struct diag *diag);

/* For diagnostics: the path, and the number of the line read last, from 1. */
const char *textfile_name(const struct textfile *file);
uint64_t textfile_line_number(const struct textfile *file);

#endif
