/*
 * clock.h - reads the clocks of POSIX, and says when what has a budget of time has to be done.
 */
#ifndef TWBENCH_CLOCK_H
#define TWBENCH_CLOCK_H

#include "harness/base/libc.h"

#include <sys/resource.h>
#include <time.h>

/* Nanoseconds of a POSIX clock: CLOCK_MONOTONIC, CLOCK_THREAD_CPUTIME_ID. */
static inline uint64_t clock_read_ns(clockid_t clock)
{
    struct timespec now;
    clock_gettime(clock, &now);
    return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

/* Processor time of this process and of its children that have ended, and were waited for, in nanoseconds. */
static inline uint64_t clock_work_ns(void)
{
    struct rusage ended = {0};
    getrusage(RUSAGE_CHILDREN, &ended);
    return clock_read_ns(CLOCK_PROCESS_CPUTIME_ID) +
           (uint64_t)(ended.ru_utime.tv_sec + ended.ru_stime.tv_sec) * 1000000000u +
           (uint64_t)(ended.ru_utime.tv_usec + ended.ru_stime.tv_usec) * 1000u;
}

/* ---- Says when what has a budget of time has to be done. -------------------------------------- */

/* It is made once, when the command or the step begins, and handed down.  Whoever takes a step asks it first
 * whether the step fits, by what such steps took so far; who works in one piece looks at it again and again; a
 * child in flight is ended at it. */

/* A status beside those of diag.h: the deadline was over before the work was done. */
#define DEADLINE_OVER 2

/* What is left is counted by: CLOCK_MONOTONIC, processor time of this thread, clock_work_ns(). */
enum deadline_of { DEADLINE_WALL, DEADLINE_THREAD, DEADLINE_WORK };

struct deadline {
    uint64_t at_ns; /* 0: none */
    enum deadline_of of;
    uint64_t wall_at_ns; /* and by CLOCK_MONOTONIC, too; 0: none */
};

static inline uint64_t deadline_now_ns(enum deadline_of of)
{
    return of == DEADLINE_WORK
               ? clock_work_ns()
               : clock_read_ns(of == DEADLINE_WALL ? CLOCK_MONOTONIC : CLOCK_THREAD_CPUTIME_ID);
}

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
        deadline = deadline_after(deadline_now_ns(DEADLINE_THREAD), budget_ns);
    deadline.of = DEADLINE_THREAD;
    return deadline;
}

/* 0 when it is over; UINT64_MAX without one. */
static inline uint64_t deadline_left_ns(const struct deadline *deadline)
{
    const uint64_t at_ns[] = {deadline->at_ns, deadline->wall_at_ns};
    const enum deadline_of of[] = {deadline->of, DEADLINE_WALL};
    uint64_t left_ns = UINT64_MAX;
    for (int i = 0; i < 2; i++) {
        uint64_t now_ns = at_ns[i] > 0 ? deadline_now_ns(of[i]) : 0;
        uint64_t here_ns = at_ns[i] > now_ns ? at_ns[i] - now_ns : 0;
        if (at_ns[i] > 0 && here_ns < left_ns)
            left_ns = here_ns;
    }
    return left_ns;
}

/* Does a step that is expected to take so long end before it?  Not when it is over already. */
static inline bool deadline_fits(const struct deadline *deadline, double expected_ns)
{
    uint64_t left_ns = deadline_left_ns(deadline);
    return left_ns > 0 && expected_ns <= (double)left_ns;
}

#endif
