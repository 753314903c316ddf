/* coverage.h - what a proof reached: sizes, lifetimes, settings, and what it had to leave out.
 */
#ifndef TWBENCH_CONFORM_COVERAGE_H
#define TWBENCH_CONFORM_COVERAGE_H

#include <stddef.h>
#include <stdint.h>

/* All zero: nothing yet. */
struct conform_coverage {
    uint32_t fired_capacity;   /* largest capacity of an instance in which a timer fired */
    uint32_t most_running;     /* timers of one instance at a time */
    uint32_t settings_tried;   /* different settings that an instance was opened with and judged */
    uint64_t starts_accepted;  /* TW_OK and TW_REARMED, over all instances */
    uint64_t starts_refused;   /* TW_REFUSED_*, over all instances */
    uint64_t longest_starts;   /* most starts accepted by one instance */
    uint64_t longest_advances; /* most calls of advance in the life of one instance */
    char remarks[1024];        /* sentences about what was not covered, one per line */
};

/* Adds what another part of the proof reached. */
void coverage_add(struct conform_coverage *to, const struct conform_coverage *from);

/* Adds a sentence to the remarks, unless it is there already or there is no room. */
void coverage_remark(struct conform_coverage *coverage, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* Writes the sentences that say it to a reader: lines that begin with two spaces and end with '\n',
 * the remarks last.  `size` is at least 1; what does not fit is cut. */
void coverage_print(const struct conform_coverage *coverage, char *out, size_t size);

#endif
