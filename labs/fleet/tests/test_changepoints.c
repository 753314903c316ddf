/* test_changepoints.c - changes of level are found where they were planted, and none where there is none. */
#include "harness/base/rng.h"
#include "labs/fleet/changepoints.h"
#include "testing.h"

#include <math.h>

#define COMMITS 500
#define FOUND   64

#define LEAST 0.01

/* Ratios of times of one run to another's on a shared machine scatter by 1 %, and one in twenty is further off, mostly
 * upwards (labs/fleet/docs/FLEET.md). */
static double noise(struct rng *rng)
{
    double sum = -6;
    for (int i = 0; i < 12; i++)
        sum += rng_unit(rng);
    if (rng_below(rng, 20) == 0)
        sum += (rng_below(rng, 4) == 0 ? -1 : 1) * 6 * rng_unit(rng);
    return sum * 0.01;
}

/* The figures of commits, and the changes that were found among them. */
struct history {
    double values[COMMITS];
    size_t length;
    struct change_point points[FOUND];
};

/* Nothing but noise. */
static void make_flat(struct history *history, size_t length, struct rng *rng)
{
    history->length = length;
    for (size_t i = 0; i < length; i++)
        history->values[i] = 7.5 * exp(noise(rng));
}

static struct history flat(size_t length, uint64_t seed)
{
    struct history history;
    struct rng rng;
    rng_seed(&rng, seed, 0);
    make_flat(&history, length, &rng);
    return history;
}

static void plant(struct history *history, size_t at, double ratio)
{
    for (size_t i = at; i < history->length; i++)
        history->values[i] *= ratio;
}

static size_t find(struct history *history)
{
    return changepoints_find(history->values, history->length, LEAST, history->points, FOUND);
}

static size_t distance(size_t a, size_t b)
{
    return a > b ? a - b : b - a;
}

/* ---- Noise that a shuffle does not make. ------------------------------------------------------ */

static double normal(struct rng *rng)
{
    double sum = -6;
    for (int i = 0; i < 12; i++)
        sum += rng_unit(rng);
    return sum;
}

/* 1 %, and each value has 0.8 of the one before. */
static void make_correlated(struct history *history, size_t length, struct rng *rng)
{
    double deviation = normal(rng);
    history->length = length;
    for (size_t i = 0; i < length; i++) {
        deviation = 0.8 * deviation + 0.6 * normal(rng);
        history->values[i] = 7.5 * exp(0.01 * deviation);
    }
}

/* Two speeds of the machine, 3 % apart, for a dozen runs each on the average. */
static void make_regimes(struct history *history, size_t length, struct rng *rng)
{
    double level = 0.015;
    history->length = length;
    for (size_t i = 0; i < length; i++) {
        if (rng_below(rng, 12) == 0)
            level = -level;
        history->values[i] = 7.5 * exp(level + 0.01 * normal(rng));
    }
}

/* Eight of a hundred runs are slower, by up to three tenths. */
static void make_outliers(struct history *history, size_t length, struct rng *rng)
{
    history->length = length;
    for (size_t i = 0; i < length; i++) {
        double off = rng_below(rng, 100) < 8 ? 0.3 * rng_unit(rng) : 0;
        history->values[i] = 7.5 * exp(off + 0.01 * normal(rng));
    }
}

typedef void make_fn(struct history *history, size_t length, struct rng *rng);

struct tally {
    size_t planted, hit, others;
};

/* Histories with steps up and down; a step is hit by a change at most `near` runs off.  Steps stand every
 * length / (steps + 1) runs, give or take a tenth of that. */
static struct tally try_histories(make_fn *make, size_t histories, size_t length, size_t steps,
                                  double ratio, size_t near, uint64_t seed)
{
    struct tally tally = {0, 0, 0};
    struct rng rng;
    rng_seed(&rng, seed, 0);
    for (size_t i = 0; i < histories; i++) {
        struct history history;
        size_t at[8], apart = length / (steps + 1), hit = 0;
        make(&history, length, &rng);
        for (size_t k = 0; k < steps; k++) {
            at[k] = apart * (k + 1) + rng_below(&rng, apart / 5 + 1) - apart / 10;
            plant(&history, at[k], k % 2 ? 1 / ratio : ratio);
        }
        size_t count = find(&history);
        for (size_t k = 0; k < steps; k++)
            for (size_t p = 0; p < count; p++)
                if (distance(history.points[p].at, at[k]) <= near) {
                    hit++;
                    break;
                }
        tally.planted += steps;
        tally.hit += hit;
        tally.others += count - hit;
    }
    print_message("%zu histories of %zu: %zu of %zu steps, %zu others\n", histories, length,
                  tally.hit, tally.planted, tally.others);
    return tally;
}

/* TWBENCH_SEEDS=400 tries so many times the histories, of other seeds, and asks for shares. */
TEST(test_noise_that_is_no_change)
{
    const char *more = getenv("TWBENCH_SEEDS");
    size_t times = more ? (size_t)atoi(more) : 1;
    uint64_t seed = more ? 1000 : 11;
    struct tally correlated = try_histories(make_correlated, 16 * times, 120, 0, 1, 0, seed);
    struct tally regimes = try_histories(make_regimes, 16 * times, 250, 0, 1, 0, seed + 1);
    struct tally steps = try_histories(make_flat, 16 * times, 120, 2, 1.05, 3, seed + 2);
    struct tally level = try_histories(make_correlated, 16 * times, 120, 2, 1.05, 3, seed + 3);
    struct tally outliers = try_histories(make_outliers, times, COMMITS, 4, 1.03, 3, seed + 4);
    assert_true(correlated.others <= times);
    assert_true(regimes.others <= times);
    assert_true(32 * steps.hit >= 30 * steps.planted && 16 * steps.others <= steps.planted);
    assert_true(32 * level.hit >= 30 * level.planted && 16 * level.others <= level.planted);
    assert_true(4 * outliers.hit >= 3 * outliers.planted);
}

/* In how many histories a step is found within one commit, and nothing else is. */
TEST(test_steps_of_five_percent)
{
    struct rng rng;
    size_t planted = 0, hit = 0, found_in_all = 0;
    rng_seed(&rng, 1, 0);
    for (int i = 0; i < 8; i++) {
        struct history history;
        size_t steps[4];
        make_flat(&history, COMMITS, &rng);
        for (size_t k = 0; k < 4; k++) {
            steps[k] = 60 + 110 * k + rng_below(&rng, 60);
            plant(&history, steps[k], k % 2 ? 1 / 1.05 : 1.05);
        }
        size_t count = find(&history);
        found_in_all += count;
        for (size_t k = 0; k < 4; k++) {
            size_t nearest = COMMITS;
            for (size_t p = 0; p < count; p++)
                if (distance(history.points[p].at, steps[k]) < nearest)
                    nearest = distance(history.points[p].at, steps[k]);
            planted++;
            hit += nearest <= 1;
        }
    }
    print_message("steps: %zu of %zu within one commit, %zu found in all\n", hit, planted,
                  found_in_all);
    assert_true((double)hit >= 0.95 * (double)planted);
    assert_true(found_in_all <= planted + 2);
}

TEST(test_nothing_where_nothing_changes)
{
    struct rng rng;
    size_t false_ones = 0;
    rng_seed(&rng, 2, 0);
    for (int i = 0; i < 10; i++) {
        struct history history;
        make_flat(&history, COMMITS, &rng);
        false_ones += find(&history);
    }
    print_message("no steps: %zu found in %d commits\n", false_ones, 10 * COMMITS);
    assert_true(false_ones <= 10);
}

TEST(test_a_step_has_its_size)
{
    struct history history = flat(60, 3);
    plant(&history, 40, 1.2);
    assert_int_equal(find(&history), 1);
    assert_int_equal(history.points[0].at, 40);
    assert_true(history.points[0].low < 1.2 && 1.2 < history.points[0].high);
    assert_true(history.points[0].high - history.points[0].low < 0.03);
    assert_true(history.points[0].low < history.points[0].ratio &&
                history.points[0].ratio < history.points[0].high);
}

/* The newest commits are those that are asked about. */
TEST(test_a_step_of_three_commits_at_the_end)
{
    struct history history = flat(100, 4);
    plant(&history, 97, 1.1);
    assert_int_equal(find(&history), 1);
    assert_int_equal(history.points[0].at, 97);
}

/* A drift has no commit to blame: it is told as steps that go one way. */
TEST(test_a_drift_goes_one_way)
{
    struct history history = flat(200, 5);
    for (size_t i = 0; i < 200; i++)
        history.values[i] *= exp(0.15 * (double)i / 200);
    size_t count = find(&history);
    assert_in_range(count, 1, 8);
    for (size_t i = 0; i < count; i++)
        assert_true(history.points[i].ratio > 1);
}

TEST(test_one_value_off_is_no_change)
{
    struct history history = flat(100, 6);
    history.values[50] *= 3;
    assert_int_equal(find(&history), 0);
}

TEST(test_too_few_values_say_nothing)
{
    const double values[] = {1, 1, 1, 1, 1, 2, 2, 2, 2, 2, 2};
    struct change_point points[FOUND];
    assert_int_equal(
        changepoints_find(values, sizeof values / sizeof *values, LEAST, points, FOUND), 0);
}

/* Without any noise the levels are what is left. */
TEST(test_values_that_repeat_exactly)
{
    double values[30];
    struct change_point points[FOUND];
    for (size_t i = 0; i < 30; i++)
        values[i] = i < 12 ? 4 : 5;
    assert_int_equal(changepoints_find(values, 30, LEAST, points, FOUND), 1);
    assert_int_equal(points[0].at, 12);
    assert_true(fabs(points[0].ratio - 1.25) < 1e-9);
}

TEST_MAIN(NULL, NULL)
