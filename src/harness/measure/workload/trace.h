/* trace.h - reads recorded traces, the format "timer-trace 1", and converts them to streams.
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

#include "harness/measure/workload/stream.h"
#include "harness/measure/workload/textfile.h"

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
