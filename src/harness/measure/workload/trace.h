/*
 * trace.h - reads traces, and the compressed text that they are.
 *
 *     # timer-trace 1
 *     # source: nginx 1.22.1 ...   free text; the only line that may be missing
 *     # unit_ns: 1000000           length of a tick
 *     # ids: 2035                  ids are 0 .. ids-1, all of them occur
 *     # ops: 1055985               lines after the header
 *     # max_armed: 1136            most timers armed at one time
 *     # end: 43941                 the clock goes on to this tick
 *     0 s 0 5000                   now s id delay: start, or re-arm
 *     3 c 0                        now c id: cancel of an armed timer
 *
 * `now` never decreases.  When it grows, everything with deadline <= the new now expires first, in
 * the stream as one advance call; a delay of 0 or less expires at the next growth.  That is the
 * firing rule of backend.h.  The reader is strict: whatever is not exactly this is an error with
 * file, line, what was found and what was expected, and so are counts that disagree with the
 * header.
 *
 * At a coarser tick the clock is rounded down and deadlines are rounded up, so nothing fires early;
 * what is cancelled in the trace is then still armed in the stream.
 */
#ifndef TWBENCH_TRACE_H
#define TWBENCH_TRACE_H

#include "harness/base/diag.h"
#include "harness/measure/workload/stream.h"

/* ---- Textfile (textfile.c). ------------------------------------------------------------------- */

/* Reads the lines of a text that may be compressed: plain, .xz (liblzma) or .gz (zlib).
 *
 * What it is is seen from its first bytes, not from its name.  Reading is streaming, in constant
 * memory.  It is strict: compressed data that is cut short, damaged or followed by rubbish is an
 * error, and so is a last line without its newline, because that is what a text cut short looks
 * like. */

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

/* ---- Traces. ---------------------------------------------------------------------------------- */

#define TRACE_SOURCE_SIZE 256

/* The lines that begin with #. */
struct trace_header {
    char source[TRACE_SOURCE_SIZE];
    uint64_t unit_ns, ids, ops, max_armed, end;
};

/* A line behind the header. */
struct trace_operation {
    tw_tick now;
    tw_id id;
    bool is_start; /* else a cancel */
    int64_t delay; /* of a start */
};

/* DIAG_OK goes on; another status ends the reading and is the answer. */
typedef int trace_visit_fn(void *ctx, const struct trace_operation *operation);

/* Reads the header only, leaving `file` at the first operation. */
int trace_header_read(struct textfile *file, struct trace_header *header, struct diag *diag);
/* Reads and checks everything.  visit is called per operation, before the checks that need the end
 * of the file have been made. */
int trace_read(struct textfile *file, struct trace_header *header, trace_visit_fn *visit, void *ctx,
               struct diag *diag);

/* The finished stream of a trace.  tick_ns 0: the trace's own; else a multiple of it.  DEADLINE_OVER when it
 * is not whole by `until`. */
int trace_stream(struct textfile *file, const char *name, uint64_t tick_ns, struct deadline until,
                 struct stream **out, struct diag *diag);

/* Where traces/NAME.tt.xz, .tt.gz or .tt is below `directory`, or `name` itself when it looks like
 * a path.  False when there is no such file; `path` then holds the first that was tried. */
bool trace_find(const char *name, const char *directory, char *path, size_t size);
/* "traces/nginx.tt.xz" -> "nginx". */
void trace_name(const char *path, char *name, size_t size);

/* All delays asked for, ascending; those of 0 or less count as 1. */
struct trace_delays {
    uint64_t unit_ns;
    size_t count;
    uint64_t *ticks;
};
int trace_delays_read(const char *name, const char *directory, struct trace_delays *out,
                      struct diag *diag);
/* Empty afterwards. */
void trace_delays_free(struct trace_delays *delays);

#endif
