/* process_state.h - what a process has beside memory of its own: a design leaves all of it as it was.
 */
#ifndef TWBENCH_PROCESS_STATE_H
#define TWBENCH_PROCESS_STATE_H

#include <stdbool.h>
#include <stdint.h>

/* Keys and what messages call them.  The last four, from MAPPED on, move for reasons of the harness as well. */
#define PROCESS_PARTS(X)                                                                           \
    X(SIGNAL_HANDLERS, "signal handlers")                                                          \
    X(SIGNAL_MASK, "blocked signals, signal stack or cancellation")                                \
    X(STREAMS, "standard input or output")                                                         \
    X(AFFINITY, "affinity")                                                                        \
    X(NICENESS, "niceness or scheduler")                                                           \
    X(LIMITS, "resource limits")                                                                   \
    X(ALARMS, "interval timers")                                                                   \
    X(ENVIRONMENT, "environment or locale")                                                        \
    X(DIRECTORY, "working directory")                                                              \
    X(FILE_MASK, "mask of new files")                                                              \
    X(ROUNDING, "floating-point mode (linking with -ffast-math?)")                                 \
    X(RANDOM, "random numbers of the C library")                                                   \
    X(KERNEL, "name, identity or system settings")                                                 \
    X(DESCRIPTORS, "number of open descriptors")                                                   \
    X(THREADS, "number of threads")                                                                \
    X(LOCKED, "locked memory")                                                                     \
    X(MAPPED, "mapped memory")                                                                     \
    X(KEYS, "number of thread keys")                                                               \
    X(ALLOCATED, "memory of the C library")                                                        \
    X(WRITES, "writes to files")

/* A part for each row. */
enum process_part {
#define PROCESS_PART_KEY(key, words) key,
    PROCESS_PARTS(PROCESS_PART_KEY)
#undef PROCESS_PART_KEY
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
