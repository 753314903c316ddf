/* tracefile.h - writes a timer-trace 1 onto the disk: plain, .xz or .gz by the name, at once or not at all. */
#ifndef TWBENCH_TRACEFILE_H
#define TWBENCH_TRACEFILE_H

#include "harness/base/diag.h"
#include "harness/measure/workload/trace.h"

#include <stdbool.h>
#include <stddef.h>

struct tracefile;

/* Where the trace is going to be, because there has to be room for it there; /tmp for stdout. */
void tracefile_directory(const char *path, char *out, size_t size);
/* Refuses a directory that cannot be written to, a name that does not end in .tt, .tt.xz or .tt.gz, and a file that is
 * there (unless `force`). */
int tracefile_check(const char *path, bool force, struct diag *diag);

/* Begins a file beside `path` ("-": stdout, plain); *out is set on success only. */
int tracefile_open(struct tracefile **out, const char *path, struct diag *diag);
void tracefile_header(struct tracefile *file, const struct trace_header *header);
/* One line; `delay` is a start's.  Failing is remembered until tracefile_finish. */
void tracefile_start(struct tracefile *file, uint64_t now, uint32_t id, int64_t delay);
void tracefile_cancel(struct tracefile *file, uint64_t now, uint32_t id);
/* All of it onto the disk and in its place; the file is closed whatever comes of it.  Without `force` a
 * file that has come into being under that name meanwhile is left alone, which is an error. */
int tracefile_finish(struct tracefile *file, bool force, struct diag *diag);
/* Leaves nothing behind. */
void tracefile_abandon(struct tracefile *file);

#endif
