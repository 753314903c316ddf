/*
 * paced.c - docs/skeleton.c as two builds of one design: what differs is chosen when it is compiled.
 *
 *     -DSPIN=N        N turns of a loop in each start and stop
 *     -DCALLS=N       N system calls in each: much time, few instructions to step through
 *     -DCRASHES       start writes to address 0
 *     -DHANGS         start does not return
 *     -DEXITS         start ends the process
 *     -DREFUSES       start refuses every timer
 *     -DSTALL_NS=N    each 10,000th tick stalls an advance for N ns; with -DWANDERS each 10,007th call since it was
 *                     loaded, which is another one in each pass
 *     -DNAMED='"x"'   another name
 */
#include "wrong.h"

#include <time.h>
#include <unistd.h>

#ifndef SPIN
#define SPIN 0
#endif
#ifndef CALLS
#define CALLS 0
#endif
#ifndef STALL_NS
#define STALL_NS 0
#endif
#ifndef NAMED
#define NAMED "paced"
#endif

static void spin(void)
{
    for (volatile int turn = 0; turn < SPIN; turn++)
        continue;
    for (volatile int call = 0; call < CALLS; call++)
        getppid();
}

static int paced_start(struct tw_timers *timers, tw_id id, tw_tick deadline)
{
    spin();
#if defined CRASHES
    *(volatile char *)0 = 0;
#elif defined HANGS
    for (volatile int forever = 1; forever;)
        continue;
#elif defined EXITS
    _exit(0);
#elif defined REFUSES
    return TW_REFUSED_RANGE;
#endif
    return skeleton_start(timers, id, deadline);
}

static int paced_stop(struct tw_timers *timers, tw_id id)
{
    spin();
    return skeleton_stop(timers, id);
}

static long clock_ns(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return now.tv_sec * 1000000000L + now.tv_nsec;
}

static void paced_advance(struct tw_timers *timers, tw_tick to, tw_expire_fn *expire, void *ctx)
{
#ifdef WANDERS
    static unsigned calls;
    int stalls = ++calls % 10007 == 0;
#else
    int stalls = to % 10000 == 5000;
#endif
    if (STALL_NS > 0 && stalls)
        for (long until = clock_ns() + STALL_NS; clock_ns() < until;)
            continue;
    skeleton_advance(timers, to, expire, ctx);
}

WRONG(NAMED, .start = paced_start, .stop = paced_stop, .advance = paced_advance);
