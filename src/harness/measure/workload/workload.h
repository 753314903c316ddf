/* workload.h - makes a stream from the name of a workload (or a file, or a trace).
 *
 * The only door of this room that the rooms above use.
 */
#ifndef TWBENCH_WORKLOAD_H
#define TWBENCH_WORKLOAD_H

#include "harness/measure/workload/spec.h"
#include "harness/measure/workload/stream.h"

/* Makes the stream, finished (hash, expected).  The caller frees *out with stream_free.  DEADLINE_OVER,
 * with a text, when it is not whole by the deadline; nothing is made then. */
int workload_stream(const struct workload_request *request, struct stream **out, struct diag *diag);

/* Gives the stream, made for the same request, further ones for the passes of a process: of other seeds, or of a trace
 * with its ids renamed.  There are as many as `warmup` and `passes` together need, or as fit into WORKLOAD_PASS_WORDS, or
 * as can be made by the deadline.  A trace of STREAM_FRESH_OPERATIONS or more is timed once a process instead, unless the
 * request renames.  What it has from an earlier call stays. */
#define WORKLOAD_PASS_WORDS ((size_t)1 << 24)
void workload_add_passes(const struct workload_request *request, struct stream *stream,
                         uint64_t warmup, uint64_t passes);

/* What `twbench list` prints of the workloads in a directory; calls back once each, sorted. */
struct workload_info {
    const char *name, *summary, *parameters; /* parameters: "delay=uniform(1,1h) horizon=..." */
    uint64_t tick_ns;
    bool is_trace;
};
typedef void workload_visit_fn(void *ctx, const struct workload_info *info);
int workload_list(const char *directory, workload_visit_fn *visit, void *ctx, struct diag *diag);

/* True when the workload (after lookup) is a recorded trace: `tasks` does not apply. */
bool workload_is_trace(const char *workload, const char *directory);

#endif
