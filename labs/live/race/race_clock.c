/* race_clock.c - the clock that runners are proved by: the machine's, and as far ahead as a case sets it. */
#include "labs/live/race/race_service.h"

#include "labs/live/runners/moment.h"

/* What a runner asks has no argument to come in through.  A proof has a process to itself. */
static struct race_planted {
    _Atomic uint64_t ahead_ns, calls;
    struct race_service *service;
} planted;

void race_clock_of(struct race_service *service)
{
    planted.service = service;
}

void race_clock_move(uint64_t ns)
{
    atomic_fetch_add(&planted.ahead_ns, ns);
}

uint64_t race_clock_calls(void)
{
    return atomic_load(&planted.calls);
}

uint64_t moment_planted_ahead(bool of_runner)
{
    if (of_runner)
        atomic_fetch_add_explicit(&planted.calls, 1, memory_order_relaxed);
    return atomic_load_explicit(&planted.ahead_ns, memory_order_relaxed);
}

void moment_planted_wait(pthread_cond_t *condition, pthread_mutex_t *lock, uint64_t until)
{
    if (planted.service)
        race_reach(planted.service, 0, atomic_load(&planted.calls), "about_to_wait");
    if (until == TW_DUE_MAX) {
        pthread_cond_wait(condition, lock);
        return;
    }
    struct timespec spec = moment_spec(moment_to_wake(until, atomic_load(&planted.ahead_ns)));
    pthread_cond_timedwait(condition, lock, &spec);
}
