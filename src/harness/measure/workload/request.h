/* request.h - says which workload is wanted, at which size, with which parameters. */
#ifndef TWBENCH_REQUEST_H
#define TWBENCH_REQUEST_H

#include "harness/base/deadline.h"

#include <stddef.h>
#include <stdint.h>

/* "name=value" given by --set: overrides one named parameter of the workload. */
struct workload_setting {
    const char *name;
    const char *value;
};

struct workload_request {
    /* A name ("hold", "nginx": looked up as DIR/NAME.json, then DIR/traces/NAME.tt.xz) or a path
     * (anything with a '/' or ending in .json, .tt, .tt.xz, .tt.gz). */
    const char *workload;
    const char *directory; /* where names are looked up */
    uint64_t tasks;        /* 0: the workload's own default; ignored by traces */
    uint64_t tick_ns; /* 0: the workload's own tick.  Coarser for a trace: deadlines round up */
    uint64_t seed;
    const struct workload_setting *settings;
    size_t setting_count;
    struct deadline until; /* for the making; none without a budget */
};

#endif
