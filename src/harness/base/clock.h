/*
 * clock.h - reads the clocks of POSIX, and says when what has a budget of time has to be done.
 */
#ifndef TWBENCH_CLOCK_H
#define TWBENCH_CLOCK_H

#include "harness/base/libc.h"

#include <time.h>

/* Nanoseconds of a POSIX clock: CLOCK_MONOTONIC, CLOCK_THREAD_CPUTIME_ID. */
static inline uint64_t clock_read_ns(clockid_t clock)
{
    struct timespec now;
    clock_gettime(clock, &now);
    return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

/* ---- Says when what has a budget of time has to be done. -------------------------------------- */

/* It is made once, when the command or the step begins, and handed down.  Whoever takes a step asks it first
 * whether the step fits, by what such steps took so far; who works in one piece looks at it again and again; a
 * child in flight is ended at it. */

/* A status beside those of diag.h: the deadline was over before the work was done. */
#define DEADLINE_OVER 2

struct deadline {
    uint64_t at_ns;   /* 0: none */
    bool is_cpu_time; /* of the processor time of this thread, else of CLOCK_MONOTONIC */
};

static inline struct deadline deadline_after(uint64_t begin_ns, uint64_t budget_ns)
{
    uint64_t at_ns = begin_ns + budget_ns;
    return (struct deadline){.at_ns = at_ns < begin_ns ? UINT64_MAX : at_ns};
}

/* From now on so much processor time of this thread; 0: none. */
static inline struct deadline deadline_of_cpu(uint64_t budget_ns)
{
    struct deadline deadline = {.at_ns = 0};
    if (budget_ns > 0)
        deadline = deadline_after(clock_read_ns(CLOCK_THREAD_CPUTIME_ID), budget_ns);
    deadline.is_cpu_time = true;
    return deadline;
}

/* 0 when it is over; UINT64_MAX without one. */
static inline uint64_t deadline_left_ns(const struct deadline *deadline)
{
    if (deadline->at_ns == 0)
        return UINT64_MAX;
    uint64_t now_ns =
        clock_read_ns(deadline->is_cpu_time ? CLOCK_THREAD_CPUTIME_ID : CLOCK_MONOTONIC);
    return deadline->at_ns > now_ns ? deadline->at_ns - now_ns : 0;
}

/* Does a step that is expected to take so long end before it?  Not when it is over already. */
static inline bool deadline_fits(const struct deadline *deadline, double expected_ns)
{
    uint64_t left_ns = deadline_left_ns(deadline);
    return left_ns > 0 && expected_ns <= (double)left_ns;
}

#endif
