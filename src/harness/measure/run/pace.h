/*
 * pace.h - how fast the core is now.
 *
 * A core may do less than a moment ago, for milliseconds, without anything to be seen: most likely
 * because the other half of it works for another virtual machine, which /proc does not show, and which does
 * not count as CPU time stolen.  So the pace is measured: a short loop of independent additions keeps every unit of the core busy,
 * and takes half as long again, or twice as long, when half of the units are taken.  It touches no memory
 * and knows nothing of what is benchmarked, so to wait for a good pace favours nobody.
 */
#ifndef TWBENCH_PACE_H
#define TWBENCH_PACE_H

#include "harness/base/libc.h"

/* The loop's time in ns: the fastest of a few in a row, so that an interrupt is not taken for a pace.
 * Takes about 10 us. */
double pace_read_ns(void);

/* The full pace of this core, as the best of 20 ms; a core that was shared for all of them has a slower
 * one, which then passes for full. */
double pace_calibrate_ns(void);

/* A core at less than its full pace by more than this is a slow one: less than any sharing makes it, more
 * than the loop varies by itself. */
#define PACE_TOLERANCE 0.05

/* Is that pace at most PACE_TOLERANCE slower than the full one?  Both in ns of the loop. */
bool pace_is_full(double pace_ns, double full_ns);

/* Reads the pace until it is full or CLOCK_MONOTONIC is past the deadline; answers whether it is. */
bool pace_wait(double full_ns, uint64_t deadline_ns);

/* The same two from readings and a time that are given: both functions get ctx.  What is decided can so be
 * tested on numbers, which no machine keeps to. */
struct pace_source {
    double (*pace_ns)(void *ctx);
    uint64_t (*now_ns)(void *ctx);
    void *ctx;
};

/* As pace_calibrate_ns and pace_wait, by what the source says. */
double pace_calibrate_on(const struct pace_source *source);
bool pace_wait_on(const struct pace_source *source, double full_ns, uint64_t deadline_ns);

#endif
