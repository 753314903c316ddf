/* race_clock.c - the clock that runners are proved by: the machine's, as far ahead as a case sets it, or one that stands. */
#include "labs/live/race/race_service.h"

#include "labs/live/runners/moment.h"

/* What a runner asks has no argument to come in through.  A proof has a process to itself. */
static struct race_planted {
    _Atomic uint64_t ahead_ns, calls;
    _Atomic uint64_t stands_at; /* 0: it goes on */
    _Atomic uint64_t first_asked, last_asked;
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

void race_clock_stand(uint64_t at)
{
    atomic_store(&planted.stands_at, at);
}

void race_sleep(uint64_t ns)
{
    struct timespec spec = moment_spec(moment_of_machine() + ns);
    clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &spec, NULL);
}

void race_clock_asked(uint64_t *first, uint64_t *last)
{
    atomic_store(&planted.first_asked, TW_DUE_MAX);
    atomic_store(&planted.last_asked, 0);
    race_sleep(4 * MS);
    *first = atomic_load(&planted.first_asked);
    *last = atomic_load(&planted.last_asked);
}

uint64_t race_clock_calls(void)
{
    return atomic_load(&planted.calls);
}

uint64_t moment_planted_lead(bool of_runner, uint64_t now)
{
    uint64_t stands_at = atomic_load_explicit(&planted.stands_at, memory_order_relaxed);
    if (of_runner)
        atomic_fetch_add_explicit(&planted.calls, 1, memory_order_relaxed);
    return stands_at > 0 ? stands_at - now
                         : atomic_load_explicit(&planted.ahead_ns, memory_order_relaxed);
}

/* A race between two that wait loses one answer, which the next look of that thread gives again. */
void moment_planted_wait(pthread_cond_t *condition, pthread_mutex_t *lock, uint64_t until)
{
    if (planted.service)
        race_reach(planted.service, 0, atomic_load(&planted.calls), "about_to_wait");
    if (until == TW_DUE_MAX) {
        pthread_cond_wait(condition, lock);
        return;
    }
    if (until < atomic_load(&planted.first_asked))
        atomic_store(&planted.first_asked, until);
    if (until > atomic_load(&planted.last_asked))
        atomic_store(&planted.last_asked, until);
    uint64_t ahead = moment_planted_lead(false, moment_of_machine());
    struct timespec spec = moment_spec(moment_to_wake(until, ahead));
    pthread_cond_timedwait(condition, lock, &spec);
}
