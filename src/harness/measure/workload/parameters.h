/* parameters.h - puts named parameters into a workload file ($name), overridden from outside.
 *
 * Works on the JSON tree before its values are read, so that a parameter can stand anywhere in a
 * string: "lattice($stride, 1, 64, 1)".
 */
#ifndef TWBENCH_PARAMETERS_H
#define TWBENCH_PARAMETERS_H

#include "harness/base/deadline.h"
#include "harness/base/diag.h"

#include <cjson/cJSON.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* ---- Which workload is wanted. ------------------------------------------------- */

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

/* Most parameters of a file, and most characters of a value when everything is put in. */
#define PARAMETERS_MAX     32
#define PARAMETER_TEXT_MAX 2000

/* The text of a number or string of the tree; false for anything else, or a text too long. */
bool parameter_text(const cJSON *item, char *out, size_t size);

/* Overrides members of root's "parameters"; a name that is not there is refused with the list of
 * those that are.  `path` is the file, for diagnostics. */
int parameters_override(cJSON *root, const struct workload_setting *settings, size_t count,
                        const char *path, struct diag *diag);

/* Puts the parameters into each other, which fails on a cycle, and then into all strings of the
 * tree. */
int parameters_resolve(cJSON *root, const char *path, struct diag *diag);

#endif
