/* clocks.h - reads how far Linux's clocks are apart, as whoever recorded wrote it down.
 *
 *     realtime-monotonic 1795224077036104536
 *     boottime-monotonic -200
 *
 * What CLOCK_REALTIME and CLOCK_BOOTTIME show more than CLOCK_MONOTONIC, in nanoseconds.  An hrtimer's
 * expiry is on one of the three, and a log of events does not say how far they are apart.
 */
#ifndef TWBENCH_CLOCKS_H
#define TWBENCH_CLOCKS_H

#include "harness/base/diag.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct clocks {
    bool has_realtime, has_boottime;
    int64_t realtime, boottime; /* minus monotonic */
};

/* DIAG_USAGE names the line that is none of the two, or the clock that is missing; both are not
 * needed.  *clocks is set on success only. */
int clocks_read(struct clocks *clocks, const char *path, struct diag *diag);

/* The file beside a log that is found without being named: of x/log.txt.xz, x/log.txt.clocks or
 * x/log.clocks.  Answers whether it is there; *path is then the first of them that is. */
bool clocks_beside(const char *log, char *path, size_t size);

#endif
