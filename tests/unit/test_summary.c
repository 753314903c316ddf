/* test_summary.c - medians and their intervals, against the tables of the binomial distribution. */
#include "harness/measure/stats/summary.h"
#include "testing.h"

#include <math.h>

static int near(double a, double b)
{
    return fabs(a - b) < 1e-9;
}

/* 1, 2, ... n in an order that is neither rising nor falling (7 is coprime to every n used). */
static struct summary summary_of_first(size_t n)
{
    double samples[2000];
    for (size_t i = 0; i < n; i++)
        samples[i] = (double)(i * 7 % n + 1);
    return summary_of(samples, n);
}

TEST(test_one_sample_says_nothing)
{
    struct summary summary = summary_of((double[]){4.5}, 1);
    assert_true(summary.median == 4.5 && summary.low == 4.5 && summary.high == 4.5);
    assert_true(near(summary.confidence, 0));
    assert_int_equal(summary.count, 1);
}

TEST(test_median_of_odd_and_even)
{
    assert_true(summary_of((double[]){3, 1, 2}, 3).median == 2);
    assert_true(summary_of((double[]){4, 1, 3, 2}, 4).median == 2.5);
}

/* 1 - 2 * sum_{i<k} C(n,i) / 2^n, worked out by hand. */
TEST(test_interval_and_confidence)
{
    static const struct {
        size_t n;
        double low, high, confidence;
    } known[] = {
        {2, 1, 2, 1 - 2.0 / 4},
        {5, 1, 5, 1 - 2.0 / 32},
        {6, 1, 6, 1 - 2.0 / 64},
        {8, 1, 8, 1 - 2.0 / 256},
        {9, 2, 8, 1 - 2.0 * (1 + 9) / 512},
        {10, 2, 9, 1 - 2.0 * (1 + 10) / 1024},
        {15, 4, 12, 1 - 2.0 * (1 + 15 + 105 + 455) / 32768},
        {20, 6, 15, 1 - 2.0 * (1 + 20 + 190 + 1140 + 4845 + 15504) / 1048576},
    };
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        struct summary summary = summary_of_first(known[i].n);
        assert_true(summary.low == known[i].low && summary.high == known[i].high);
        assert_true(near(summary.confidence, known[i].confidence));
    }
}

/* Large counts follow the normal approximation n/2 -+ 0.98 sqrt(n), and must not underflow. */
TEST(test_many_samples)
{
    struct summary summary = summary_of_first(2000);
    assert_true(summary.median == 1000.5);
    assert_true(summary.low >= 955 && summary.low <= 958);
    assert_true(summary.high == 2001 - summary.low);
    assert_true(summary.confidence >= 0.95 && summary.confidence < 0.954);
}

TEST(test_input_is_left_alone)
{
    double samples[] = {3, 1, 2}, before[] = {3, 1, 2};
    summary_of(samples, 3);
    assert_memory_equal(samples, before, sizeof before);
}

/* The 8th from either end of 30 at 99 %: 1 - 2 * 2804012 / 2^30; at 50 % the 13th, closer to the
 * middle. */
TEST(test_interval_at_other_confidences)
{
    double samples[30];
    for (size_t i = 0; i < 30; i++)
        samples[i] = (double)(i * 7 % 30 + 1);
    struct summary summary = summary_at(samples, 30, 0.99);
    assert_true(summary.median == 15.5 && summary.low == 8 && summary.high == 23);
    assert_true(near(summary.confidence, 1 - 2 * 2804012.0 / 1073741824));
    summary = summary_at(samples, 30, 0.5);
    assert_true(summary.low == 13 && summary.high == 18 && summary.confidence >= 0.5);
    summary = summary_at(samples, 5, 0.99);
    assert_true(near(summary.confidence, 1 - 2.0 / 32));
}

TEST_MAIN(NULL, NULL)
