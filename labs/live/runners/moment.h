/*
 * moment.h - the clock of the runners: moments, ticks and how to sleep until one.
 *
 * A moment is CLOCK_MONOTONIC in nanoseconds.  Sums are clamped instead of wrapping: the end of time is
 * later than everything.
 */
#ifndef TWBENCH_MOMENT_H
#define TWBENCH_MOMENT_H

#include "runner.h"

#include <pthread.h>
#include <stdbool.h>
#include <sys/prctl.h>
#include <time.h>

/* ---- The clock that conform plants: it can be set forward, so that weeks pass in a second (race_clock.c).  Proved
 * objects read it; weak, because a shared object may be loaded by others.  A runner that reads another clock is not
 * proved by it. */
#if defined TW_PROVED && !defined MOMENT_OF_RUNNER
#define MOMENT_OF_RUNNER true
#endif
#ifdef MOMENT_OF_RUNNER
/* By how much it is ahead of the machine's, which says `now`, in ns; counts the calls of runners. */
uint64_t moment_planted_lead(bool of_runner, uint64_t now) __attribute__((weak));
/* Waits with the lock, as moment_condition_wait does; a point at which the thread can be held. */
void moment_planted_wait(pthread_cond_t *condition, pthread_mutex_t *lock, uint64_t until)
    __attribute__((weak));
#endif

static inline uint64_t moment_ahead(uint64_t now)
{
#ifdef MOMENT_OF_RUNNER
    return moment_planted_lead ? moment_planted_lead(MOMENT_OF_RUNNER, now) : 0;
#else
    return (void)now, UINT64_C(0);
#endif
}

static inline uint64_t moment_of_machine(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
}

static inline uint64_t moment_now(void)
{
    uint64_t now = moment_of_machine();
    return now + moment_ahead(now);
}

static inline uint64_t moment_after(uint64_t moment, uint64_t ns)
{
    return moment > TW_DUE_MAX - ns ? TW_DUE_MAX : moment + ns;
}

static inline struct timespec moment_spec(uint64_t moment)
{
    return (struct timespec){.tv_sec = (time_t)(moment / 1000000000),
                             .tv_nsec = (long)(moment % 1000000000)};
}

/* Until when to sleep by the machine's clock.  One that has been set forward may be at any time, also between two lines of
 * the caller's, which therefore read it once: nobody sleeps for longer than a millisecond then. */
static inline uint64_t moment_to_wake(uint64_t until, uint64_t ahead)
{
    uint64_t soon = ahead > 0 ? moment_of_machine() + 1000000 : UINT64_MAX;
    until = until > ahead ? until - ahead : 0;
    return soon < until ? soon : until;
}

/* Sleeps until then.  Asks no system call for what has passed: that would take as long as the thread's timer slack. */
static inline void moment_sleep(uint64_t until)
{
    for (uint64_t now = moment_of_machine(), ahead = moment_ahead(now); until > now + ahead;
         now = moment_of_machine(), ahead = moment_ahead(now)) {
        struct timespec spec = moment_spec(moment_to_wake(until, ahead));
        clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &spec, NULL);
    }
}

/* Lets the kernel wake the calling thread within a microsecond of the moment asked for, instead of the 50
 * that it may gather wake-ups in.  For threads that wait for a deadline, not for those that wait for a tick. */
static inline void moment_sharpen(void)
{
    prctl(PR_SET_TIMERSLACK, 1000, 0, 0, 0);
}

/* A condition that waits by this clock.  0 or an errno. */
static inline int moment_condition_open(pthread_cond_t *condition)
{
    pthread_condattr_t attributes;
    int failed = pthread_condattr_init(&attributes);
    if (failed)
        return failed;
    pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
    failed = pthread_cond_init(condition, &attributes);
    pthread_condattr_destroy(&attributes);
    return failed;
}

/* Waits until then, for ever at TW_DUE_MAX, or until a signal, or for no reason: the caller looks again.  Whether it
 * waited: not for what has passed, though others get their turn at the lock. */
static inline bool moment_condition_wait(pthread_cond_t *condition, pthread_mutex_t *lock,
                                         uint64_t until)
{
    struct timespec spec = moment_spec(until);
    bool waits = until > moment_now();
    if (!waits) {
        pthread_mutex_unlock(lock);
        pthread_mutex_lock(lock);
        return false;
    }
#ifdef MOMENT_OF_RUNNER
    if (moment_planted_wait) {
        moment_planted_wait(condition, lock, until);
        return true;
    }
#endif
    if (until == TW_DUE_MAX)
        pthread_cond_wait(condition, lock);
    else
        pthread_cond_timedwait(condition, lock, &spec);
    return true;
}

/* Tick k is the moment open_ns + k * tick_ns. */
struct ticking {
    uint64_t open_ns, tick_ns;
};

/* The last tick that is not after the moment; 0 before the first. */
static inline tw_tick ticking_reached(const struct ticking *ticking, uint64_t moment)
{
    return moment < ticking->open_ns ? 0 : (moment - ticking->open_ns) / ticking->tick_ns;
}

/* The first tick that is not before the moment: where a timer due then may fire. */
static inline tw_tick ticking_due(const struct ticking *ticking, uint64_t moment)
{
    if (moment <= ticking->open_ns)
        return 0;
    return (moment - ticking->open_ns - 1) / ticking->tick_ns + 1;
}

static inline uint64_t ticking_moment(const struct ticking *ticking, tw_tick tick)
{
    uint64_t since;
    if (__builtin_mul_overflow(tick, ticking->tick_ns, &since))
        return TW_DUE_MAX;
    return moment_after(ticking->open_ns, since);
}

#endif
