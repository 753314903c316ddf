/* test_samemath.c - the errors that rng.h states, against the C library in long double. */
#include "harness/base/rng.h"
#include "testing.h"

#include <math.h>

enum { DRAWS = 200000 };

static void assert_near(const char *what, double x, double y, double found, long double right,
                        double error)
{
    long double off = right == 0 ? fabsl(found) : fabsl(found / right - 1);
    if (!(off <= error))
        fail_msg("%s(%a, %a) is %a: off by 2^%.1Lf, expected at most 2^%.0f", what, x, y, found,
                 log2l(off), log2(error));
}

/* Of every magnitude: 2^-60 .. 2^60. */
static double any_positive(struct rng *rng)
{
    return ldexp(1 + rng_unit(rng), (int)rng_below(rng, 120) - 60);
}

TEST(test_log)
{
    struct rng rng;
    rng_seed(&rng, 1, 0);
    assert_true(same_log(1) == 0);
    for (int i = 0; i < DRAWS; i++) {
        double wide = any_positive(&rng), unit = rng_unit(&rng);
        double close = 1 + (unit - 0.5) * ldexp(1, -(int)rng_below(&rng, 50));
        assert_near("same_log", wide, 0, same_log(wide), logl(wide), SAME_LOG_ERROR);
        assert_near("same_log", unit, 0, same_log(unit), logl(unit), SAME_LOG_ERROR);
        assert_near("same_log", close, 0, same_log(close), logl(close), SAME_LOG_ERROR);
    }
}

TEST(test_log1p)
{
    struct rng rng;
    rng_seed(&rng, 2, 0);
    for (int i = 0; i < DRAWS; i++) {
        double x = -rng_unit(&rng) * ldexp(1, -(int)rng_below(&rng, 70)), wide = any_positive(&rng);
        assert_near("same_log1p", x, 0, same_log1p(x), log1pl(x), SAME_LOG1P_ERROR);
        assert_near("same_log1p", wide, 0, same_log1p(wide), log1pl(wide), SAME_LOG1P_ERROR);
    }
}

TEST(test_exp)
{
    struct rng rng;
    rng_seed(&rng, 3, 0);
    assert_true(same_exp(0) == 1);
    assert_true(same_exp(-1000) == 0 && isinf(same_exp(1000)));
    for (int i = 0; i < DRAWS; i++) {
        double x = (2 * rng_unit(&rng) - 1) * 700, small = x * ldexp(1, -(int)rng_below(&rng, 70));
        assert_near("same_exp", x, 0, same_exp(x), expl(x), SAME_EXP_ERROR);
        assert_near("same_exp", small, 0, same_exp(small), expl(small), SAME_EXP_ERROR);
    }
}

TEST(test_pow)
{
    struct rng rng;
    rng_seed(&rng, 4, 0);
    for (int i = 0; i < DRAWS; i++) {
        double base = any_positive(&rng);
        double exponent = (2 * rng_unit(&rng) - 1) * 40 / fmax(fabs(log(base)), 0.4);
        assert_near("same_pow", base, exponent, same_pow(base, exponent), powl(base, exponent),
                    SAME_POW_ERROR);
    }
}

TEST(test_whole_powers_are_exact)
{
    for (uint64_t base = 2; base < 3000; base++) {
        uint64_t power = 1;
        for (int exponent = 0; power <= UINT64_C(1) << 53; exponent++, power *= base)
            assert_true(same_power((double)base, exponent) == (double)power);
    }
    assert_true(same_power(2, 54) > 0x1p53 && same_power(4294967295.0, 4294967295.0) > 0x1p53);
}

static long double share_below(long double x)
{
    return 0.5L * erfcl(-x / sqrtl(2));
}

TEST(test_normal_share)
{
    struct rng rng;
    rng_seed(&rng, 5, 0);
    assert_true(same_normal_share(0) == 0.5 && same_normal_share(100) == 1);
    for (int i = 0; i < DRAWS / 20; i++) {
        double x = rng_unit(&rng) * 12;
        assert_near("same_normal_share", x, 0, same_normal_share(x), share_below(x),
                    SAME_SHARE_ERROR);
    }
}

/* The right quantile is the one found, improved by two steps of Newton's method in long double. */
TEST(test_normal_quantile)
{
    struct rng rng;
    rng_seed(&rng, 6, 0);
    assert_true(same_normal_quantile(0.5) == 0);
    for (int i = 0; i < DRAWS; i++) {
        double p = i % 2 ? rng_unit(&rng) : ldexp(rng_unit(&rng), -(int)rng_below(&rng, 51));
        double found = same_normal_quantile(p);
        /* Of the upper half the lower tail, which long double holds to its last digit. */
        long double tail = p < 0.5 ? (long double)p : 1 - (long double)p, x = -fabsl(found);
        for (int step = 0; step < 2; step++)
            x -= (share_below(x) - tail) * sqrtl(2 * 3.14159265358979323846264L) * expl(x * x / 2);
        assert_near("same_normal_quantile", p, 0, -fabs(found), x, SAME_QUANTILE_ERROR);
        assert_true(p < 0.5 ? found <= 0 : found >= 0);
    }
}

/* Chosen results to the last bit, which is what all this is for. */
TEST(test_bits)
{
    struct rng rng;
    uint64_t bits = 0;
    rng_seed(&rng, 7, 0);
    for (int i = 0; i < 10000; i++) {
        double unit = rng_unit(&rng);
        const double results[] = {
            same_log(unit),      same_log1p(-unit),          same_exp(unit * 30 - 15),
            same_pow(1e9, unit), same_normal_quantile(unit), same_normal_share(unit * 9)};
        for (size_t j = 0; j < sizeof results / sizeof *results; j++) {
            union {
                double number;
                uint64_t bits;
            } as = {results[j]};
            bits = (bits ^ as.bits) * UINT64_C(0x9e3779b97f4a7c15);
            bits ^= bits >> 29;
        }
    }
    assert_true(bits == UINT64_C(0xa3f962314dfa1a56));
}

TEST_MAIN(NULL, NULL)
