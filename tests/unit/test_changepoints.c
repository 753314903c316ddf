/* test_changepoints.c - changes of level are found where they were planted, and none where there is none. */
#include "harness/base/rng.h"
#include "harness/measure/stats/changepoints.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#define COMMITS 500
#define FOUND   64

static const struct change_rules rules = {.p = 0.001, .least = 0.01};

/* Ratios of times of one run to another's on a shared machine scatter by 1 %, and one in twenty is further off, mostly
 * upwards (docs/HISTORY.md). */
static double noise(struct rng *rng)
{
    double sum = -6;
    for (int i = 0; i < 12; i++)
        sum += rng_unit(rng);
    if (rng_below(rng, 20) == 0)
        sum += (rng_below(rng, 4) == 0 ? -1 : 1) * 6 * rng_unit(rng);
    return sum * 0.01;
}

static void make_flat(double *values, size_t count, struct rng *rng)
{
    for (size_t i = 0; i < count; i++)
        values[i] = 7.5 * exp(noise(rng));
}

static void plant(double *values, size_t count, size_t at, double ratio)
{
    for (size_t i = at; i < count; i++)
        values[i] *= ratio;
}

static size_t distance(size_t a, size_t b)
{
    return a > b ? a - b : b - a;
}

/* In how many histories a step is found within one commit, and nothing else is. */
static void test_steps_of_five_percent(void **state)
{
    (void)state;
    struct rng rng;
    size_t planted = 0, hit = 0, found_in_all = 0;
    rng_seed(&rng, 1, 0);
    for (int history = 0; history < 8; history++) {
        double values[COMMITS];
        size_t steps[4];
        struct change_point points[FOUND];
        make_flat(values, COMMITS, &rng);
        for (size_t i = 0; i < 4; i++) {
            steps[i] = 60 + 110 * i + rng_below(&rng, 60);
            plant(values, COMMITS, steps[i], i % 2 ? 1 / 1.05 : 1.05);
        }
        size_t count = changepoints_find(values, COMMITS, &rules, points, FOUND);
        found_in_all += count;
        for (size_t i = 0; i < 4; i++) {
            size_t nearest = COMMITS;
            for (size_t k = 0; k < count; k++)
                if (distance(points[k].at, steps[i]) < nearest)
                    nearest = distance(points[k].at, steps[i]);
            planted++;
            hit += nearest <= 1;
        }
    }
    print_message("steps: %zu of %zu within one commit, %zu found in all\n", hit, planted,
                  found_in_all);
    assert_true((double)hit >= 0.95 * (double)planted);
    assert_true(found_in_all <= planted + 2);
}

static void test_nothing_where_nothing_changes(void **state)
{
    (void)state;
    struct rng rng;
    size_t false_ones = 0;
    rng_seed(&rng, 2, 0);
    for (int history = 0; history < 10; history++) {
        double values[COMMITS];
        struct change_point points[FOUND];
        make_flat(values, COMMITS, &rng);
        false_ones += changepoints_find(values, COMMITS, &rules, points, FOUND);
    }
    print_message("no steps: %zu found in %d commits\n", false_ones, 10 * COMMITS);
    assert_true(false_ones <= 10);
}

static void test_a_step_has_its_size(void **state)
{
    (void)state;
    struct rng rng;
    double values[60];
    struct change_point points[FOUND];
    rng_seed(&rng, 3, 0);
    make_flat(values, 60, &rng);
    plant(values, 60, 40, 1.2);
    assert_int_equal(changepoints_find(values, 60, &rules, points, FOUND), 1);
    assert_int_equal(points[0].at, 40);
    assert_true(points[0].low < 1.2 && 1.2 < points[0].high);
    assert_true(points[0].high - points[0].low < 0.03);
    assert_true(points[0].low < points[0].ratio && points[0].ratio < points[0].high);
}

/* The newest commits are those that are asked about. */
static void test_a_step_of_three_commits_at_the_end(void **state)
{
    (void)state;
    struct rng rng;
    double values[100];
    struct change_point points[FOUND];
    rng_seed(&rng, 4, 0);
    make_flat(values, 100, &rng);
    plant(values, 100, 97, 1.1);
    assert_int_equal(changepoints_find(values, 100, &rules, points, FOUND), 1);
    assert_int_equal(points[0].at, 97);
}

/* A drift has no commit to blame: it is told as steps that go one way. */
static void test_a_drift_goes_one_way(void **state)
{
    (void)state;
    struct rng rng;
    double values[200];
    struct change_point points[FOUND];
    rng_seed(&rng, 5, 0);
    make_flat(values, 200, &rng);
    for (size_t i = 0; i < 200; i++)
        values[i] *= exp(0.15 * (double)i / 200);
    size_t count = changepoints_find(values, 200, &rules, points, FOUND);
    assert_in_range(count, 1, 8);
    for (size_t i = 0; i < count; i++)
        assert_true(points[i].ratio > 1);
}

static void test_one_value_off_is_no_change(void **state)
{
    (void)state;
    struct rng rng;
    double values[100];
    struct change_point points[FOUND];
    rng_seed(&rng, 6, 0);
    make_flat(values, 100, &rng);
    values[50] *= 3;
    assert_int_equal(changepoints_find(values, 100, &rules, points, FOUND), 0);
}

static void test_too_few_values_say_nothing(void **state)
{
    (void)state;
    const double values[] = {1, 1, 1, 1, 1, 2, 2, 2, 2, 2, 2};
    struct change_point points[FOUND];
    assert_int_equal(
        changepoints_find(values, sizeof values / sizeof *values, &rules, points, FOUND), 0);
}

/* Without any noise the levels are what is left. */
static void test_values_that_repeat_exactly(void **state)
{
    (void)state;
    double values[30];
    struct change_point points[FOUND];
    for (size_t i = 0; i < 30; i++)
        values[i] = i < 12 ? 4 : 5;
    assert_int_equal(changepoints_find(values, 30, &rules, points, FOUND), 1);
    assert_int_equal(points[0].at, 12);
    assert_true(fabs(points[0].ratio - 1.25) < 1e-9);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_steps_of_five_percent),
        cmocka_unit_test(test_nothing_where_nothing_changes),
        cmocka_unit_test(test_a_step_has_its_size),
        cmocka_unit_test(test_a_step_of_three_commits_at_the_end),
        cmocka_unit_test(test_a_drift_goes_one_way),
        cmocka_unit_test(test_one_value_off_is_no_change),
        cmocka_unit_test(test_too_few_values_say_nothing),
        cmocka_unit_test(test_values_that_repeat_exactly),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
