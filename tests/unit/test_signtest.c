/* test_signtest.c - sign test, Holm and Clopper-Pearson against figures worked out elsewhere. */
#include "harness/measure/stats/summary.h"
#include "testing.h"

#include "harness/base/rng.h"

#include <math.h>

static bool near(double a, double b)
{
    return fabs(a - b) < 1e-9;
}

/* Of 30 pairs `above` lie above a half, none of them by the same distance. */
static void make_pairs(double *pairs, size_t above)
{
    for (size_t i = 0; i < 30; i++)
        pairs[i] = i < above ? 1 + (double)i : -(double)i;
}

/* ---- Sign test. ------------------------------------------------------------------------------ */

/* Sums of C(30, k) over 2^30 = 1073741824; the numerators are integers added by hand. */
TEST(test_p_is_the_exact_binomial)
{
    static const struct {
        size_t above;
        double ways;
    } known[] = {{30, 1}, {29, 31}, {25, 174437}, {23, 2804012}, {15, 614429672}, {0, 1073741824}};
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        double pairs[30], p = known[i].ways / 1073741824;
        make_pairs(pairs, known[i].above);
        assert_true(near(signtest_above(pairs, 30, 0.5), p));
        for (size_t k = 0; k < 30; k++)
            pairs[k] = -pairs[k];
        assert_true(near(signtest_below(pairs, 30, -0.5), p));
    }
}

/* What lies on the threshold speaks for neither side, and neither does what is not a number. */
TEST(test_ties_and_nothing_are_no_evidence)
{
    double level[] = {1, 1, 1, 1, NAN};
    assert_true(near(signtest_above(level, 5, 1), 1));
    assert_true(near(signtest_below(level, 5, 1), 1));
    assert_true(near(signtest_above(NULL, 0, 0), 1));
    assert_true(near(signtest_below(NULL, 0, 0), 1));
}

TEST(test_distance_does_not_matter)
{
    double pairs[30];
    make_pairs(pairs, 23);
    double p = signtest_above(pairs, 30, 0);
    pairs[22] = 1e300;
    pairs[29] = -1e300;
    assert_true(signtest_above(pairs, 30, 0) == p);
}

TEST(test_hundreds_of_pairs_stay_in_range)
{
    double pairs[400];
    for (size_t i = 0; i < 400; i++)
        pairs[i] = i < 200 ? 1 : -1;
    /* 1/2 and half of the middle term, C(400, 200) / 2^400 = 0.0398693. */
    assert_true(fabs(signtest_above(pairs, 400, 0) - 0.51993465) < 1e-6);
    for (size_t i = 0; i < 400; i++)
        pairs[i] = 1;
    assert_true(signtest_above(pairs, 400, 0) > 0 && signtest_above(pairs, 400, 0) < 1e-119);
}

/* ---- Holm. ----------------------------------------------------------------------------------- */

/* The worked example of R's p.adjust and many lectures, and one in which the steps have to be held
 * monotone: 0.03 * 2 = 0.06, and so is what follows although it would be 0.04 alone. */
TEST(test_holm_as_published)
{
    double four[] = {0.01, 0.04, 0.03, 0.005}, wanted[] = {0.03, 0.06, 0.06, 0.02};
    holm_adjust(four, 4);
    for (size_t i = 0; i < 4; i++)
        assert_true(near(four[i], wanted[i]));
    double one[] = {0.04}, big[] = {0.6, 0.7};
    holm_adjust(one, 1);
    assert_true(near(one[0], 0.04));
    holm_adjust(big, 2);
    assert_true(near(big[0], 1) && near(big[1], 1));
    holm_adjust(NULL, 0);
}

TEST(test_holm_keeps_small_values_apart)
{
    double p[] = {1e-9, 2e-9, 0.5};
    holm_adjust(p, 3);
    assert_true(fabs(p[0] / 3e-9 - 1) < 1e-6);
    assert_true(fabs(p[1] / 4e-9 - 1) < 1e-6);
}

TEST(test_holm_of_ties)
{
    double p[] = {0.02, 0.01, 0.02, 0.01};
    holm_adjust(p, 4);
    assert_true(near(p[1], 0.04) && near(p[3], 0.04) && near(p[0], 0.04) && near(p[2], 0.04));
}

/* A test that could not be made is one that found nothing; it must not hide the others. */
TEST(test_holm_takes_unknown_for_one)
{
    for (size_t unknown = 0; unknown < 3; unknown++) {
        double p[3] = {0.001, 0.001, 0.001};
        p[unknown] = NAN;
        holm_adjust(p, 3);
        for (size_t i = 0; i < 3; i++)
            assert_true(near(p[i], i == unknown ? 1 : 0.003));
    }
}

TEST(test_holm_properties)
{
    struct rng rng;
    rng_seed(&rng, 7, 0);
    for (int trial = 0; trial < 200; trial++) {
        double raw[20] = {0}, adjusted[20], turned[20];
        size_t count = 1 + (size_t)rng_below(&rng, 20);
        for (size_t i = 0; i < count; i++)
            raw[i] = pow(rng_unit(&rng), 4);
        memcpy(adjusted, raw, sizeof raw);
        holm_adjust(adjusted, count);
        for (size_t i = 0; i < count; i++)
            turned[i] = raw[(i + 3) % count];
        holm_adjust(turned, count);
        for (size_t i = 0; i < count; i++) {
            assert_true(adjusted[i] >= raw[i] - 1e-15 && adjusted[i] <= 1);
            assert_true(adjusted[i] <= raw[i] * (double)count + 1e-12);
            assert_true(near(turned[i], adjusted[(i + 3) % count]));
            for (size_t j = 0; j < count; j++)
                assert_true(raw[i] > raw[j] || adjusted[i] <= adjusted[j]);
        }
    }
}

/* ---- Bounds of a rate. ----------------------------------------------------------------------- */

/* Where all or nothing came true the bound has a closed form; the others are quantiles of the beta
 * distribution, qbeta(0.05, 190, 11) and qbeta(0.95, 6, 195). */
TEST(test_bounds_are_clopper_pearson)
{
    assert_true(near(binomial_high(0, 200, 0.95), 1 - pow(0.05, 1.0 / 200)));
    assert_true(fabs(binomial_high(0, 200, 0.95) - 0.0149) < 5e-5);
    assert_true(near(binomial_low(200, 200, 0.95), pow(0.05, 1.0 / 200)));
    assert_true(near(binomial_low(1, 10, 0.95), 1 - pow(0.95, 0.1)));
    assert_true(fabs(binomial_low(190, 200, 0.95) - 0.916665) < 5e-6);
    assert_true(fabs(binomial_high(5, 200, 0.95) - 0.051843) < 5e-6);
}

TEST(test_bounds_at_the_ends)
{
    assert_true(binomial_low(0, 200, 0.95) == 0 && binomial_high(200, 200, 0.95) == 1);
    assert_true(binomial_low(0, 0, 0.95) == 0 && binomial_high(0, 0, 0.95) == 1);
    for (size_t hits = 0; hits <= 40; hits++) {
        assert_true(binomial_low(hits, 40, 0.95) <= (double)hits / 40);
        assert_true(binomial_high(hits, 40, 0.95) >= (double)hits / 40);
        assert_true(binomial_high(hits, 40, 0.99) >= binomial_high(hits, 40, 0.95));
        assert_true(near(binomial_high(hits, 40, 0.9), 1 - binomial_low(40 - hits, 40, 0.9)));
    }
}

TEST_MAIN(NULL, NULL)
