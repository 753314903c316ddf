/* deadline.h - says when a command with a budget of wall time has to be done.
 *
 * It is made once, when the command begins, and handed down.  Whoever takes a step asks it first whether the
 * step fits, by what such steps took so far; a child in flight is ended at it.
 */
#ifndef TWBENCH_DEADLINE_H
#define TWBENCH_DEADLINE_H

#include "harness/measure/run/cycles.h"

#include <stdbool.h>

struct deadline {
    uint64_t at_ns; /* of CLOCK_MONOTONIC; 0: none */
};

static inline struct deadline deadline_after(uint64_t begin_ns, uint64_t budget_ns)
{
    return (struct deadline){begin_ns + budget_ns < begin_ns ? UINT64_MAX : begin_ns + budget_ns};
}

/* 0 when it is over; UINT64_MAX without one. */
static inline uint64_t deadline_left_ns(const struct deadline *deadline)
{
    uint64_t now_ns = deadline->at_ns > 0 ? clock_read_ns(CLOCK_MONOTONIC) : 0;
    if (deadline->at_ns == 0)
        return UINT64_MAX;
    return deadline->at_ns > now_ns ? deadline->at_ns - now_ns : 0;
}

/* Does a step that is expected to take so long end before it?  Not when it is over already. */
static inline bool deadline_fits(const struct deadline *deadline, double expected_ns)
{
    uint64_t left_ns = deadline_left_ns(deadline);
    return left_ns > 0 && expected_ns <= (double)left_ns;
}

#endif
