/* origin.h - records who measures, where, and under what conditions. */
#ifndef TWBENCH_ORIGIN_H
#define TWBENCH_ORIGIN_H

#include "harness/measure/session/setup.h"
#include "harness/tell/result/document.h"

/* This build, this machine, this command line; no checks and no clock yet. */
void origin_fill(struct result_origin *origin, const struct setup *setup);

/* Says on stderr what the checks warn of, unless --progress=never. */
void origin_warn(const struct result_origin *origin, const struct setup *setup);

/* The cores that timed children go on: that of --pin first, then the last ones, because the first one
 * takes most of a machine's interrupts.  Answers how many; one that is below 0 stands for unpinned. */
size_t origin_cores(const struct setup *setup, int *cpus, size_t max);

/* What goes on beside a long measurement. */
struct origin_watch {
    struct system_look *begin;
    double own_ns;
};

/* Takes the two looks of the system check, 100 ms apart, into origin->checks and answers the core to time
 * on: that of --pin, else the idlest; below 0: unpinned.  origin_watch_end in any case. */
int origin_watch_begin(struct origin_watch *watch, struct result_origin *origin,
                       const struct setup *setup);

/* What happened since, as shares of all cores; NaN where it is not known. */
struct origin_disturbance {
    double steal_share, busy_share, load_1min;
};
struct origin_disturbance origin_watch_end(struct origin_watch *watch);

#endif
