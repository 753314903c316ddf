/*
 * test_pause.c - a pause of a driver tells the time that passed and the processor time in it, each the longest.
 */
#include "labs/live/runners/opening.h"
#include "testing.h"

#define MS UINT64_C(1000000)

static void work_for(uint64_t cpu_ns)
{
    uint64_t begun = tally_cpu_ns();
    while (tally_cpu_ns() - begun < cpu_ns)
        ;
}

/* A thread that sleeps is one whose core is with others: the least that can be said of its work is that it is less. */
TEST(test_sleep_is_no_work)
{
    struct tally tally = {0};
    struct pause pause = pause_begin();
    moment_sleep(moment_now() + 30 * MS);
    pause_end(&pause, &tally);
    assert_true(tally_read(&tally.longest_pause_ns) >= 30 * MS);
    assert_true(tally_read(&tally.longest_work_ns) < 20 * MS);
}

TEST(test_work_is_counted)
{
    struct tally tally = {0};
    struct pause pause = pause_begin();
    work_for(2 * MS);
    pause_end(&pause, &tally);
    assert_true(tally_read(&tally.longest_work_ns) >= 2 * MS);
    assert_true(tally_read(&tally.longest_pause_ns) > 0);
}

/* The pause that took longest need not be the one with the most work. */
TEST(test_each_is_the_longest)
{
    struct tally tally = {.longest_pause_ns = 7000000 * MS};
    struct pause pause = pause_begin();
    work_for(MS);
    pause_end(&pause, &tally);
    assert_int_equal(tally_read(&tally.longest_pause_ns), 7000000 * MS);
    assert_true(tally_read(&tally.longest_work_ns) >= MS);
}

/* stats takes both and begins anew; what another thread had is kept when it is more. */
TEST(test_sum_takes_the_greater_and_forgets)
{
    struct tally a = {.longest_pause_ns = 5, .longest_work_ns = 4};
    struct tally b = {.longest_pause_ns = 9, .longest_work_ns = 3};
    struct tw_runner_stats stats = {0};
    tally_sum(&stats, &a);
    tally_sum(&stats, &b);
    assert_int_equal(stats.longest_pause_ns, 9);
    assert_int_equal(stats.longest_work_ns, 4);
    assert_int_equal(tally_read(&a.longest_pause_ns), 0);
    assert_int_equal(tally_read(&a.longest_work_ns), 0);
}

TEST_MAIN(NULL, NULL)
