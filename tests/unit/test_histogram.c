/* test_histogram.c - the histogram's layout and its quantiles, with answers worked out by hand. */
#include "harness/measure/stats/histogram.h"
#include "testing.h"

static struct histogram *histogram_new(void)
{
    struct histogram *histogram = calloc(1, sizeof *histogram);
    assert_non_null(histogram);
    return histogram;
}

TEST(test_edges_rise_and_bins_are_narrow)
{
    for (uint32_t bin = 0; bin < HISTOGRAM_BINS; bin++) {
        uint64_t low = histogram_bin_low_ps(bin), high = histogram_bin_low_ps(bin + 1);
        assert_true(high > low);
        if (low >= HISTOGRAM_SUB)
            assert_true((high - low) * HISTOGRAM_SUB <= low);
        else
            assert_int_equal(high - low, 1);
    }
    assert_true(histogram_bin_low_ps(HISTOGRAM_BINS) == UINT64_C(1) << 53);
}

/* A value put in alone must come out of the bin whose edges enclose it. */
TEST(test_value_lands_between_its_edges)
{
    const uint64_t values[] = {
        0, 1, 31, 32, 33, 63, 64, 65, 1000, 123456789, (UINT64_C(1) << 53) - 1};
    for (size_t i = 0; i < sizeof values / sizeof *values; i++) {
        struct histogram *histogram = histogram_new();
        histogram_add(histogram, values[i]);
        for (uint32_t bin = 0; bin < HISTOGRAM_BINS; bin++) {
            int inside =
                histogram_bin_low_ps(bin) <= values[i] && values[i] < histogram_bin_low_ps(bin + 1);
            assert_int_equal(histogram->bins[bin], inside);
        }
        free(histogram);
    }
}

TEST(test_quantiles_of_a_known_distribution)
{
    struct histogram *histogram = histogram_new();
    assert_int_equal(histogram_quantile_ps(histogram, 0.5), 0);
    for (uint64_t value = 1; value <= 1000; value++)
        histogram_add(histogram, value * 1000);
    assert_int_equal(histogram->count, 1000);
    assert_int_equal(histogram->sum_ps, 500500000);
    const double shares[] = {0.001, 0.1, 0.5, 0.9, 0.99, 0.999};
    for (size_t i = 0; i < sizeof shares / sizeof *shares; i++) {
        double exact = shares[i] * 1e6;
        double answer = (double)histogram_quantile_ps(histogram, shares[i]);
        assert_true(answer >= exact && answer <= exact * (1 + 1.0 / HISTOGRAM_SUB));
    }
    assert_int_equal(histogram_quantile_ps(histogram, 1), 1000000);
    free(histogram);
}

TEST(test_one_outlier_is_the_maximum_only)
{
    struct histogram *histogram = histogram_new();
    for (int i = 0; i < 9999; i++)
        histogram_add(histogram, 20);
    histogram_add(histogram, 7654321);
    assert_int_equal(histogram_quantile_ps(histogram, 0.9999), 21);
    assert_int_equal(histogram_quantile_ps(histogram, 1), 7654321);
    free(histogram);
}

/* Beyond the range the bin is shared, but a quantile must not claim a value below the truth. */
TEST(test_too_long_values_keep_their_maximum)
{
    struct histogram *histogram = histogram_new();
    histogram_add(histogram, UINT64_C(1) << 60);
    assert_int_equal(histogram->bins[HISTOGRAM_BINS - 1], 1);
    assert_true(histogram_quantile_ps(histogram, 0.5) == UINT64_C(1) << 60);
    free(histogram);
}

TEST(test_full_bin_stays_full)
{
    struct histogram *histogram = histogram_new();
    histogram->bins[20] = UINT32_MAX - 1, histogram->count = UINT32_MAX - 1;
    histogram_add(histogram, 20);
    histogram_add(histogram, 20);
    assert_int_equal(histogram->bins[20], UINT32_MAX);
    assert_true(histogram->count == (uint64_t)UINT32_MAX + 1);
    histogram_add(histogram, 5000);
    assert_int_equal(histogram_quantile_ps(histogram, 0.99), 21);
    free(histogram);
}

TEST_MAIN(NULL, NULL)
