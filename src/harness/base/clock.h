/* clock.h - reads the clocks of POSIX. */
#ifndef TWBENCH_CLOCK_H
#define TWBENCH_CLOCK_H

#include <stdint.h>
#include <time.h>

/* Nanoseconds of a POSIX clock: CLOCK_MONOTONIC, CLOCK_THREAD_CPUTIME_ID. */
static inline uint64_t clock_read_ns(clockid_t clock)
{
    struct timespec now;
    clock_gettime(clock, &now);
    return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

#endif
