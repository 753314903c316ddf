/* test_growth.c - costs of known growth, exact and noisy, near-ties, and what cannot be fitted. */
#include "harness/measure/stats/growth.h"
#include "testing.h"

#include "harness/base/rng.h"

#include <math.h>

#define SET(class) (1u << (class))

typedef double cost_fn(double n);

static double cost_constant(double n)
{
    return 7 + 0 * n;
}
static double cost_log(double n)
{
    return 3 + 2 * log2(n);
}
static double cost_linear(double n)
{
    return 5 + n / 4;
}
static double cost_n_log_n(double n)
{
    return n * log2(n);
}
static double cost_square(double n)
{
    return n * n / 2;
}
static double cost_cube(double n)
{
    return n * n * n;
}

/* Sizes 1e3, 1e4, ... with costs that are exact, or known to `interval` either way. */
static size_t points_of(struct growth_point *points, cost_fn *cost, size_t count, double interval)
{
    for (size_t i = 0; i < count; i++) {
        double n = pow(10, 3 + (double)i), y = cost(n);
        points[i] = (struct growth_point){n, y, y / (1 + interval), y * (1 + interval)};
    }
    return count;
}

static struct growth_fit fit_of(cost_fn *cost, size_t count, double interval)
{
    struct growth_point points[GROWTH_POINTS_MAX];
    return growth_fit(points, points_of(points, cost, count, interval));
}

static struct growth_fit fit_values(const double *n, const double *y, size_t count)
{
    struct growth_point points[GROWTH_POINTS_MAX + 1];
    for (size_t i = 0; i < count; i++)
        points[i] = (struct growth_point){n[i], y[i], y[i], y[i]};
    return growth_fit(points, count);
}

static const struct {
    cost_fn *cost;
    enum tw_growth class;
} known[] = {
    {cost_constant, TW_O_1},      {cost_log, TW_O_LOG_N}, {cost_linear, TW_O_N},
    {cost_n_log_n, TW_O_N_LOG_N}, {cost_square, TW_O_N2},
};
#define KNOWN (sizeof known / sizeof *known)

/* ---- Known answers. -------------------------------------------------------------------------- */

TEST(test_exact_counts_name_one_class)
{
    for (size_t i = 0; i < KNOWN; i++)
        for (size_t count = 3; count <= 4; count++) {
            struct growth_fit fit = fit_of(known[i].cost, count, 0);
            assert_int_equal(fit.status, GROWTH_FITTED);
            assert_int_equal(fit.classes, SET(known[i].class));
            assert_true(fit.misfit[known[i].class] < 0.01);
            assert_int_equal(growth_lowest(&fit), known[i].class);
            assert_int_equal(growth_highest(&fit), known[i].class);
        }
}

TEST(test_exponent_of_a_power)
{
    struct growth_fit fit = fit_of(cost_square, 4, 0);
    assert_true(fabs(fit.exponent - 2) < 1e-9);
    assert_true(fit.exponent_low <= 2 && fit.exponent_high - fit.exponent_low < 1e-6);
}

/* By hand: x = -1, 0, 1 (base e), log y = 0, 0.3, 0: slope 0, residuals -0.1, 0.2, -0.1, so
 * s^2 = 0.06 / 1, standard error sqrt(0.06 / 2), times 12.7062. */
TEST(test_exponent_interval_by_hand)
{
    double n[] = {exp(1), exp(2), exp(3)}, y[] = {1, exp(0.3), 1};
    struct growth_fit fit = fit_values(n, y, 3);
    assert_true(fabs(fit.exponent) < 1e-9);
    assert_true(fabs(fit.exponent_high - 12.7062 * sqrt(0.03)) < 1e-6);
    assert_true(fabs(fit.exponent_low + fit.exponent_high) < 1e-9);
}

/* On a line by chance: the intervals of the costs alone make the exponent uncertain. */
TEST(test_exponent_inherits_intervals)
{
    struct growth_fit fit = fit_of(cost_square, 3, 0.5);
    double half = log(1.5) * sqrt(2) * log(10) / (2 * log(10) * log(10));
    assert_true(fabs(fit.exponent_high - fit.exponent - half) < 1e-6);
}

/* ---- What cannot be told. -------------------------------------------------------------------- */

/* From 3 + 2 * 10 to 3 + 2 * 16.6 is 1.6 fold: a few noisy costs cannot tell it from a constant. */
TEST(test_noisy_times_cannot_tell)
{
    struct growth_fit fit = fit_of(cost_log, 3, 0.3);
    assert_int_equal(fit.classes, SET(TW_O_1) | SET(TW_O_LOG_N));
    fit = fit_of(cost_constant, 3, 0.3);
    assert_int_equal(fit.classes, SET(TW_O_1) | SET(TW_O_LOG_N));
    fit = fit_of(cost_linear, 3, 0.3);
    assert_int_equal(fit.classes, SET(TW_O_N) | SET(TW_O_N_LOG_N));
}

/* Noise as large as the intervals say never excludes the true class, and never lets in one that is
 * two away. */
TEST(test_noise_keeps_the_truth)
{
    struct rng rng;
    rng_seed(&rng, 1, 1);
    for (size_t round = 0; round < 500; round++)
        for (size_t k = 0; k < KNOWN; k++) {
            struct growth_point points[4];
            points_of(points, known[k].cost, 4, 0);
            for (size_t i = 0; i < 4; i++) {
                double y = points[i].y * (1 + 0.2 * (rng_unit(&rng) - 0.5));
                points[i] = (struct growth_point){points[i].n, y, y / 1.12, y * 1.12};
            }
            struct growth_fit fit = growth_fit(points, 4);
            assert_true(fit.classes & SET(known[k].class));
            assert_true(growth_highest(&fit) - growth_lowest(&fit) <= 1);
        }
}

/* Sizes side by side, in which every class looks the same. */
TEST(test_narrow_sweep_tells_nothing)
{
    struct growth_fit fit = fit_values((double[]){1000, 1001, 1002}, (double[]){9, 9, 9}, 3);
    assert_int_equal(fit.classes, (1u << GROWTH_CLASSES) - 1);
}

/* A wheel's slots are a power of two, so its load per slot goes up and down with n. */
TEST(test_wobble_is_not_growth)
{
    struct growth_fit fit =
        fit_values((double[]){1e3, 1e4, 1e5, 1e6}, (double[]){9.7, 6.1, 7.6, 9.5}, 4);
    assert_true(fit.classes & SET(TW_O_1));
    assert_false(fit.classes & SET(TW_O_N));
}

TEST(test_falling_cost_does_not_grow)
{
    struct growth_fit fit = fit_values((double[]){1e3, 1e4, 1e5, 1e6},
                                       (double[]){1000.0 / 2, 100.0 / 2, 10.0 / 2, 1.0 / 2}, 4);
    assert_int_equal(fit.classes, SET(TW_O_1));
}

/* Between n and n log n, of which neither fits well: both are named, and no other. */
TEST(test_near_tie_n_and_n_log_n)
{
    double n[] = {1e3, 1e4, 1e5, 1e6}, y[4];
    for (size_t i = 0; i < 4; i++)
        y[i] = n[i] * pow(log2(n[i]), 0.3);
    struct growth_fit fit = fit_values(n, y, 4);
    assert_int_equal(fit.classes, SET(TW_O_N) | SET(TW_O_N_LOG_N));
    assert_true(fit.misfit[TW_O_N] > 1 && fit.misfit[TW_O_N_LOG_N] > 1);
}

TEST(test_no_class_for_a_cube)
{
    struct growth_point points[4];
    points_of(points, cost_cube, 4, 0);
    struct growth_fit fit = growth_fit(points, 4);
    assert_int_equal(fit.status, GROWTH_FITTED);
    assert_int_equal(fit.classes, 0);
    assert_int_equal(growth_at_most(&fit, points, 4, TW_O_N2), GROWTH_BROKEN);
}

/* ---- Degenerate input. ----------------------------------------------------------------------- */

TEST(test_too_few_sizes)
{
    double same[] = {10, 10, 20, 20}, y[] = {1, 1, 2, 2};
    assert_int_equal(fit_values(same, y, 4).status, GROWTH_TOO_FEW);
    assert_int_equal(fit_values(same, y, 0).status, GROWTH_TOO_FEW);
    struct growth_fit fit = fit_values((double[]){1, 2}, y, 2);
    assert_int_equal(fit.status, GROWTH_TOO_FEW);
    assert_true(fit.classes == 0 && isnan(fit.exponent) && isnan(fit.misfit[TW_O_1]));
    double many[GROWTH_POINTS_MAX + 1];
    for (size_t i = 0; i <= GROWTH_POINTS_MAX; i++)
        many[i] = (double)i + 1;
    assert_int_equal(fit_values(many, many, GROWTH_POINTS_MAX + 1).status, GROWTH_TOO_FEW);
    assert_int_equal(fit_values(many, many, GROWTH_POINTS_MAX).status, GROWTH_FITTED);
}

TEST(test_numbers_that_are_none)
{
    double n[] = {1e3, 1e4, 1e5};
    static const double wrong[] = {NAN, INFINITY, -1};
    for (size_t i = 0; i < 3; i++) {
        assert_int_equal(fit_values(n, (double[]){1, wrong[i], 1}, 3).status, GROWTH_IMPOSSIBLE);
        assert_int_equal(fit_values((double[]){1e3, wrong[i], 1e5}, n, 3).status,
                         GROWTH_IMPOSSIBLE);
    }
    struct growth_point inside_out[] = {{1, 2, 3, 4}, {2, 2, 2, 2}, {3, 2, 2, 2}};
    assert_int_equal(growth_fit(inside_out, 3).status, GROWTH_IMPOSSIBLE);
}

TEST(test_zeros)
{
    double n[] = {1e3, 1e4, 1e5, 1e6};
    struct growth_fit fit = fit_values(n, (double[]){0, 0, 0, 0}, 4);
    assert_int_equal(fit.status, GROWTH_ZERO);
    assert_int_equal(fit.classes, SET(TW_O_1));
    assert_true(isnan(fit.exponent));
    fit = fit_values(n, (double[]){0, 1, 1, 1}, 4);
    assert_int_equal(fit.status, GROWTH_FITTED);
    assert_true(isnan(fit.exponent));
    assert_false(fit.classes & (SET(TW_O_N) | SET(TW_O_N2)));
}

/* ---- Bounds. --------------------------------------------------------------------------------- */

TEST(test_bounds)
{
    struct growth_point points[4];
    for (size_t i = 0; i < KNOWN; i++) {
        points_of(points, known[i].cost, 4, 0);
        struct growth_fit fit = growth_fit(points, 4);
        for (unsigned bound = 0; bound < GROWTH_CLASSES; bound++)
            assert_int_equal(growth_at_most(&fit, points, 4, (enum tw_growth)bound),
                             known[i].class <= bound ? GROWTH_HOLDS : GROWTH_BROKEN);
    }
    points_of(points, cost_log, 3, 0.3);
    struct growth_fit fit = growth_fit(points, 3);
    assert_int_equal(growth_at_most(&fit, points, 3, TW_O_1), GROWTH_UNDECIDED);
    assert_int_equal(growth_at_most(&fit, points, 3, TW_O_LOG_N), GROWTH_HOLDS);
    fit = growth_fit(points, 2);
    assert_int_equal(growth_at_most(&fit, points, 2, TW_O_N2), GROWTH_UNDECIDED);
}

TEST(test_names)
{
    assert_string_equal(growth_class_name(TW_O_1), "O(1)");
    assert_string_equal(growth_class_name(TW_O_LOG_N), "O(log n)");
    assert_string_equal(growth_class_name(TW_O_N2), "O(n^2)");
}

TEST_MAIN(NULL, NULL)
