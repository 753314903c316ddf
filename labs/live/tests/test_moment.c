/*
 * test_moment.c - no runner sleeps for what has passed: counted by a clock and sleeps of this program's own.
 */
#define MOMENT_OF_RUNNER false
#include "labs/live/race/race_service.h"
#include "labs/live/runners/moment.h"
#include "labs/live/runners/runner_registry.h"
#include "testing.h"

/* These take the places of the C library's. */
static uint64_t planted_now, asked_for, moves_by;
static unsigned sleeps, waits;

int clock_gettime(clockid_t clock, struct timespec *now)
{
    (void)clock;
    *now = moment_spec(planted_now);
    race_clock_move(moves_by);
    return 0;
}

int clock_nanosleep(clockid_t clock, int flags, const struct timespec *until, struct timespec *rest)
{
    (void)clock, (void)flags, (void)rest;
    planted_now = (uint64_t)until->tv_sec * 1000000000 + (uint64_t)until->tv_nsec;
    sleeps++;
    return 0;
}

int pthread_cond_timedwait(pthread_cond_t *condition, pthread_mutex_t *lock,
                           const struct timespec *until)
{
    (void)condition, (void)lock;
    asked_for = (uint64_t)until->tv_sec * 1000000000 + (uint64_t)until->tv_nsec;
    waits++;
    return 0;
}

TEST(test_what_has_passed_is_not_slept_for)
{
    pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
    pthread_cond_t condition = PTHREAD_COND_INITIALIZER;
    planted_now = 5000;
    sleeps = waits = 0;
    pthread_mutex_lock(&lock);
    for (uint64_t until = 0; until <= planted_now; until += 1000) {
        moment_sleep(until);
        assert_false(moment_condition_wait(&condition, &lock, until));
    }
    assert_int_equal(sleeps, 0);
    assert_int_equal(waits, 0);
    moment_sleep(5001);
    assert_true(moment_condition_wait(&condition, &lock, 5002));
    assert_int_equal(sleeps, 1);
    assert_int_equal(waits, 1);
    pthread_mutex_unlock(&lock);
}

/* What callers that are behind come by for, in every runner. */
TEST(test_wait_returns_at_once)
{
    struct tw_seat seat = {0};
    for (size_t i = 0; i < runner_registry_count; i++) {
        const struct tw_runner *runner = runner_registry[i].timed;
        if (runner->flags & TW_RUNNER_CALLERS_DRIVE)
            continue; /* its wait needs a service, and looks at the clock itself */
        sleeps = 0;
        runner->wait(&seat, planted_now);
        assert_int_equal(sleeps, 0);
        runner->wait(&seat, planted_now + 1);
        assert_int_equal(sleeps, 1);
    }
}

/* A wait of the proof ends within a millisecond of the machine's clock, also when weeks pass while it reads that clock. */
TEST(test_a_clock_that_is_set_forward_lets_nobody_sleep)
{
    pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
    pthread_cond_t condition = PTHREAD_COND_INITIALIZER;
    race_clock_move(1);
    moves_by = UINT64_C(25) * 86400 * 1000000000;
    pthread_mutex_lock(&lock);
    moment_planted_wait(&condition, &lock, planted_now + 4 * moves_by);
    assert_int_equal(asked_for, planted_now + 1000000);
    pthread_mutex_unlock(&lock);
    moves_by = 0;
}

TEST_MAIN(NULL, NULL)
