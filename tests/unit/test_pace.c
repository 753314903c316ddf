/* test_pace.c - the loop takes time, always about the same, and a wait ends. */
#include "harness/run/pace.h"

#include "harness/run/cycles.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

static double fastest_of(int readings)
{
    double fastest_ns = pace_read_ns();
    while (--readings > 0) {
        double pace_ns = pace_read_ns();
        fastest_ns = pace_ns < fastest_ns ? pace_ns : fastest_ns;
    }
    return fastest_ns;
}

/* 8000 additions: no core does 20 in a nanosecond, nor takes four for one. */
static void test_the_loop_is_done(void **state)
{
    (void)state;
    double pace_ns = fastest_of(100);
    assert_true(pace_ns > 8000.0 / 20 && pace_ns < 8000.0 * 4);
}

static void test_the_full_pace_comes_again(void **state)
{
    (void)state;
    double full_ns = fastest_of(1000);
    assert_true(pace_is_full(fastest_of(1000), full_ns * 1.05));
}

static void test_what_is_full(void **state)
{
    (void)state;
    assert_true(pace_is_full(700, 750) && pace_is_full(787, 750));
    assert_false(pace_is_full(789, 750));
}

static void test_a_wait_ends(void **state)
{
    (void)state;
    uint64_t begin_ns = clock_read_ns(CLOCK_MONOTONIC);
    assert_false(pace_wait(1, begin_ns + 5000000));
    assert_true(clock_read_ns(CLOCK_MONOTONIC) - begin_ns >= 5000000);
    assert_true(pace_wait(1e9, 0));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_the_loop_is_done),
        cmocka_unit_test(test_the_full_pace_comes_again),
        cmocka_unit_test(test_what_is_full),
        cmocka_unit_test(test_a_wait_ends),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
