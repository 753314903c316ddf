/* counters.h - counts the processor's events of this thread, in user space: perf_event_open(2).
 *
 * The events are opened as one group, so that they count over the same stretch of time.  One that
 * does not fit into the group is opened alone, and then the kernel may let events take turns; it
 * says for how long each was enabled and for how long it ran, and the count is scaled by that.  A
 * counter that is not there stays unknown and has a reason; it is never 0.
 */
#ifndef TWBENCH_COUNTERS_H
#define TWBENCH_COUNTERS_H

#include "harness/measure/run/outcome.h"

/* `type` and `config` of struct perf_event_attr. */
struct counters_event {
    uint32_t type;
    uint64_t config;
};

struct counters {
    int fds[OUTCOME_COUNTERS];            /* below 0: not there */
    char reason[OUTCOME_COUNTERS_REASON]; /* why some or all are not there; "" when all are */
};

/* Of each counter: events, and how long the kernel had it enabled and really running. */
struct counters_reading {
    struct {
        uint64_t value, enabled_ns, running_ns;
    } of[OUTCOME_COUNTERS];
};

/* Opens and starts OUTCOME_COUNTERS events for the calling thread; NULL: the hardware's.  (Tests
 * count events of the kernel instead, which every machine has.)  True when at least the first,
 * instructions, is there; counters_close in any case.  `root` as in sysfile.h. */
bool counters_open(struct counters *counters, const struct counters_event *events,
                   const char *root);
/* Closes those that were opened. */
void counters_close(struct counters *counters);

/* Around what is to be counted: end adds what happened since begin to `total`.  Some microseconds
 * each, nearly all of it in the kernel, which is not counted. */
void counters_begin(const struct counters *counters, struct counters_reading *begin);
void counters_end(const struct counters *counters, const struct counters_reading *begin,
                  struct counters_reading *total);

/* A total over so many passes, as an outcome has it. */
void counters_outcome(const struct counters_reading *total, uint64_t passes,
                      struct outcome_count *counts);

/* What an errno of perf_event_open means and what can be done about it. */
void counters_explain(char *out, size_t size, int error, const char *root);

#endif
