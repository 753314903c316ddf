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
