/* process_state.h - what a process has beside memory of its own: a design leaves all of it as it was.
 */
#ifndef TWBENCH_PROCESS_STATE_H
#define TWBENCH_PROCESS_STATE_H

#include <stdbool.h>
#include <stdint.h>

/* The last four, from MAPPED on, move for reasons of the harness as well. */
enum process_part {
    SIGNAL_HANDLERS,
    SIGNAL_MASK,
    STREAMS,
    AFFINITY,
    NICENESS,
    LIMITS,
    ALARMS,
    ENVIRONMENT,
    DIRECTORY,
    FILE_MASK,
    ROUNDING,
    RANDOM,
    KERNEL,
    DESCRIPTORS,
    THREADS,
    LOCKED,
    MAPPED,
    KEYS,
    ALLOCATED,
    WRITES,
    PROCESS_STATES
};

/* Of each a count or a hash. */
struct process_state {
    uint64_t values[PROCESS_STATES];
};

/* As it is now; takes some 100 us. */
void process_state_take(struct process_state *now);
/* "niceness" */
const char *process_state_name(enum process_part part);
/* False when all but the last four are the same (while an instance is open, which may have threads, all before those), and no
 * fewer descriptors are open; else `out` says "the design changes the niceness or scheduler of its process". */
#define PROCESS_STATE_TEXT 100
bool process_state_changed(const struct process_state *before, const struct process_state *now,
                           bool is_open, char out[PROCESS_STATE_TEXT]);

#endif
