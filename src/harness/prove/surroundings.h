/* surroundings.h - what a design's process has beside memory of its own, and must have afterwards.
 */
#ifndef TWBENCH_CONFORM_SURROUNDINGS_H
#define TWBENCH_CONFORM_SURROUNDINGS_H

#include "harness/prove/report.h"

#include <stdbool.h>

/* The last two, MAPPED and ALLOCATED, move for reasons of the test as well. */
enum surrounding {
    SIGNAL_HANDLERS,
    SIGNAL_MASK,
    AFFINITY,
    NICENESS,
    LIMITS,
    ALARMS,
    ENVIRONMENT,
    DIRECTORY,
    FILE_MASK,
    ROUNDING,
    DESCRIPTORS,
    THREADS,
    LOCKED,
    MAPPED,
    ALLOCATED,
    SURROUNDINGS
};

/* Of each a count or a hash. */
struct surroundings {
    uint64_t values[SURROUNDINGS];
};

/* As it is now; takes some 100 us. */
void surroundings_take(struct surroundings *now);
/* True when all but the last two are the same (while an instance is open, which may have threads, all before those), and no
 * fewer descriptors are open; else the report names what `function` has changed. */
bool surroundings_compare(const struct surroundings *before, const struct surroundings *now,
                          const char *function, bool is_open, struct conform_report *report);

#endif
