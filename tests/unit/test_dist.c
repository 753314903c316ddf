/*
 * test_dist.c - samples and restart tables against the moments that theory says, and the messages
 * for what is not a distribution.
 */
#include "harness/measure/workload/dist.h"
#include "testing.h"

#include <math.h>

static const struct dist_context context = {.tick_ns = 1000000, .directory = "workloads"};

static struct dist *parsed(const char *text)
{
    struct dist *dist = NULL;
    struct diag diag = {""};
    if (dist_parse(text, "delay", &context, &dist, &diag) != DIAG_OK)
        fail_msg("%s", diag.text);
    return dist;
}

struct moments {
    const char *text;
    double mean, deviation;
    double table_slack; /* of the table's deviation, relative: its midpoints cut the tails */
};

/* The third column is the standard deviation. */
static const struct moments expected[] = {
    {"constant(30s)", 30000, 0, 0},
    {"30s", 30000, 0, 0},
    {"choice(200:30, 1000:25, 5000:20, 30000:15, 60000:10)", 11810, 18994.4, 1e-3},
    {"uniform(1, 20000)", 10000.5, 5773.5, 1e-3},
    {"exponential(10000)", 10000, 10000, 5e-3},
    {"biased(10000)", 10000, 577.35, 1e-3},
    /* 2/3 r of variance 1/27 within the hump, and 20/3 with probability .1 of variance 4. */
    {"bimodal(10000)", 10000, 20092.4, 1e-3},
    /* 1.5 sqrt(r): mean square 9/8. */
    {"triangular(10000)", 10000, 3535.53, 1e-3},
    /* Density 2 * 100^2 x^-3 / (1 - 1/100) on 100 .. 1000. */
    {"pareto(100, 2, 1000)", 181.818, 116.2, 1e-2},
    {"lognormal(10000, 0.5, 1e9)", 11331.5, 6039.1, 1e-2},
    /* (b - a) / ln(b/a) on 1000 .. 1e6. */
    {"loguniform(1000, 1e6)", 144620, 227207, 2e-3},
    /* k * 512 with k of 1 .. 64, and -1, 0, 1. */
    {"lattice(512, 1, 64, 1)", 16640, 9458.1, 2e-2},
    {"powers(10, 2, 4, 0)", 3700, 4477.9, 2e-3},
};

struct sums {
    double sum, squares, count;
};

static void sums_add(struct sums *sums, double value)
{
    sums->sum += value;
    sums->squares += value * value;
    sums->count++;
}

static double sums_mean(const struct sums *sums)
{
    return sums->sum / sums->count;
}

static double sums_deviation(const struct sums *sums)
{
    double mean = sums_mean(sums);
    return sqrt(fmax(0, sums->squares / sums->count - mean * mean));
}

static void assert_near(const char *text, const char *what, double found, double wanted,
                        double slack)
{
    if (fabs(found - wanted) > slack)
        fail_msg("%s: %s is %g, expected %g +- %g", text, what, found, wanted, slack);
}

TEST(test_moments_of_samples)
{
    enum { SAMPLES = 400000 };
    for (size_t i = 0; i < sizeof expected / sizeof *expected; i++) {
        const struct moments *want = &expected[i];
        struct dist *dist = parsed(want->text);
        struct sums sums = {0, 0, 0};
        struct rng rng;
        rng_seed(&rng, 12, i);
        for (int n = 0; n < SAMPLES; n++)
            sums_add(&sums, (double)dist_sample(dist, &rng));
        /* Five standard errors of the mean; the deviation has a heavier tail. */
        assert_near(want->text, "mean", sums_mean(&sums), want->mean,
                    5 * want->deviation / sqrt(SAMPLES) + 1e-4 * want->mean);
        assert_near(want->text, "deviation", sums_deviation(&sums), want->deviation,
                    0.01 * want->deviation);
        dist_free(dist);
    }
}

TEST(test_moments_of_restart_tables)
{
    for (size_t i = 0; i < sizeof expected / sizeof *expected; i++) {
        const struct moments *want = &expected[i];
        struct dist *dist = parsed(want->text);
        uint32_t table[STREAM_RESTART_SIZE];
        struct sums sums = {0, 0, 0};
        assert_true(dist_restart_table(dist, table));
        for (size_t n = 0; n < STREAM_RESTART_SIZE; n++) {
            assert_true(table[n] >= 1);
            sums_add(&sums, table[n]);
        }
        assert_near(want->text, "mean of the table", sums_mean(&sums), want->mean,
                    1e-3 * want->mean + 1);
        assert_near(want->text, "mean", dist_mean(dist), sums_mean(&sums), 1e-6 * want->mean);
        assert_near(want->text, "deviation of the table", sums_deviation(&sums), want->deviation,
                    want->table_slack * want->deviation + 1);
        dist_free(dist);
    }
}

/* A mixture of which moments see little. */
TEST(test_bimodal_has_two_humps)
{
    struct dist *dist = parsed("bimodal(30000)");
    assert_int_equal(dist_quantile(dist, 0.45), 10000);
    assert_in_range(dist_quantile(dist, 0.899999), 19999, 20000);
    assert_in_range(dist_quantile(dist, 0.900001), 200000, 200001);
    assert_int_equal(dist_quantile(dist, 0.95), 210000);
    dist_free(dist);
}

TEST(test_lognormal_quantiles)
{
    struct dist *dist = parsed("lognormal(1e9, 1, 1e15)");
    /* exp of the standard normal quantiles -3.090232, -0.841621, 0.841621, 3.090232. */
    static const double p[] = {0.001, 0.2, 0.8, 0.999},
                        z[] = {-3.0902323, -0.8416212, 0.8416212, 3.0902323};
    for (size_t i = 0; i < 4; i++)
        assert_near("lognormal", "quantile", (double)dist_quantile(dist, p[i]), 1e9 * exp(z[i]),
                    1e-6 * 1e9 * exp(z[i]));
    dist_free(dist);
}

TEST(test_lattice_and_powers_hit_their_points)
{
    struct dist *dist = parsed("lattice(512, 1, 4, 1)");
    struct rng rng;
    unsigned seen = 0;
    rng_seed(&rng, 1, 1);
    for (int i = 0; i < 2000; i++) {
        uint64_t delay = dist_sample(dist, &rng), k = (delay + 1) / 512;
        assert_in_range(k, 1, 4);
        assert_true(delay + 1 - k * 512 <= 2);
        seen |= 1u << ((k - 1) * 3 + (delay + 1 - k * 512));
    }
    assert_int_equal(seen, 0xfff);
    dist_free(dist);
    dist = parsed("powers(64, 1, 3, 1)");
    static const uint64_t points[] = {63, 64, 65, 4095, 4096, 4097, 262143, 262144, 262145};
    for (size_t i = 0; i < 9; i++)
        assert_int_equal(dist_quantile(dist, ((double)i + 0.5) / 9), points[i]);
    dist_free(dist);
}

TEST(test_units_round_up)
{
    struct dist *dist = parsed("uniform(100us, 2500us)");
    assert_int_equal(dist_quantile(dist, 1e-9), 1);
    assert_int_equal(dist_quantile(dist, 1 - 1e-9), 3);
    dist_free(dist);
}

TEST(test_empirical_follows_the_trace)
{
    struct dist *dist = parsed("empirical(libuv-bind)");
    /* 97986 of 107537 starts of this trace ask for 1200 ms, and none for more than 3200. */
    struct rng rng;
    int hits = 0;
    rng_seed(&rng, 1, 1);
    for (int i = 0; i < 100000; i++) {
        uint64_t delay = dist_sample(dist, &rng);
        assert_in_range(delay, 3, 3200);
        hits += delay == 1200;
    }
    assert_in_range(hits, 90700, 91600);
    dist_free(dist);
    /* At ticks of a second they round up to 2 and 4. */
    struct dist_context coarse = {.tick_ns = 1000000000, .directory = "workloads"};
    struct diag diag;
    assert_int_equal(dist_parse("empirical(libuv-bind)", "delay", &coarse, &dist, &diag), DIAG_OK);
    assert_int_equal(dist_quantile(dist, 0.5), 2);
    assert_int_equal(dist_quantile(dist, 1 - 1e-9), 4);
    dist_free(dist);
}

TEST(test_long_delays_have_no_restart_table)
{
    uint32_t table[STREAM_RESTART_SIZE];
    struct dist *dist = parsed("constant(4294967296)");
    assert_false(dist_restart_table(dist, table));
    dist_free(dist);
    dist = parsed("constant(4294967295)");
    assert_true(dist_restart_table(dist, table));
    dist_free(dist);
    dist = parsed("exponential(9007199254740992)");
    assert_true(dist_quantile(dist, 0.999999) == DIST_DELAY_MAX);
    dist_free(dist);
}

struct bad {
    const char *text, *message;
};

#define KNOWN                                                                                      \
    "constant, choice, uniform, exponential, biased, bimodal, triangular, pareto, lognormal, "     \
    "loguniform, lattice, powers, empirical"
#define A_DELAY                                                                                    \
    "a number of ticks or a time, expected a number of ticks or a time such as 30000 or 30s"

static const struct bad bads[] = {
    {"", "delay: column 1: found 'end of text', expected a delay or a distribution such as "
         "uniform(1, 1h)"},
    {"unifrm(1, 2)", "delay: column 1: 'unifrm', expected a delay or one of " KNOWN},
    {"-5", "delay: column 1: '-5', expected a delay or one of " KNOWN},
    {"0", "delay: column 1: '0' is a delay of 0 ticks, expected 1 .. 2^53"},
    {"1e300", "delay: column 1: '1e300' is too large, expected a number of ticks or a time below "
              "2^64"},
    {"1e18", "delay: column 1: '1e18' is a delay of 1000000000000000000 ticks, expected 1 .. 2^53"},
    {"uniform", "delay: column 8: found 'end of text', expected uniform(min, max)"},
    {"uniform(1)", "delay: column 10: found ')', expected uniform(min, max)"},
    {"uniform(1, )", "delay: column 12: found ')', expected uniform(min, max)"},
    {"uniform(1, 2, 3)", "delay: column 13: found ', 3)', expected uniform(min, max)"},
    {"uniform(1, 2) x", "delay: column 15: found 'x', expected nothing more"},
    {"uniform(9, 2)", "delay: uniform(min, max): expected min <= max"},
    {"uniform(1, foo)", "delay: column 12: 'foo' is not " A_DELAY},
    {"uniform(1, nan)", "delay: column 12: 'nan' is not " A_DELAY},
    {"exponential(-1)", "delay: column 13: '-1' is not " A_DELAY},
    {"exponential(0)", "delay: column 13: '0' is a delay of 0 ticks, expected 1 .. 2^53"},
    {"choice(1)", "delay: column 9: found ')', expected choice(delay:weight, ...)"},
    {"choice(1:0)", "delay: column 10: '0', expected a weight above 0 and up to 1e12"},
    {"choice(1:-1)", "delay: column 10: '-1', expected a weight above 0 and up to 1e12"},
    {"choice(1:inf)", "delay: column 10: 'inf' is not a number, expected one such as 0.5 or 1e-4"},
    {"choice(1:1,)", "delay: column 12: found ')', expected choice(delay:weight, ...)"},
    {"pareto(1, 0, 9)", "delay: pareto(min, shape, max): expected a shape above 0 and up to 100"},
    {"pareto(9, 1, 9)", "delay: pareto(min, shape, max): expected min < max"},
    {"lognormal(1, 1e9, 9)",
     "delay: lognormal(median, sigma, max): expected a sigma above 0 and up to 10"},
    {"lognormal(10, 1, 9)", "delay: lognormal(median, sigma, max): expected median < max"},
    {"lattice(512, 3, 2, 1)", "delay: lattice(step, from, to, jitter): expected from <= to"},
    {"lattice(1, 1, 2, 1)",
     "delay: lattice(step, from, to, jitter): expected a jitter below the shortest delay"},
    {"lattice(1e15, 1, 1000, 0)",
     "delay: lattice(step, from, to, jitter): expected delays up to 2^53 ticks"},
    {"powers(1, 1, 2, 0)", "delay: powers(base, from, to, jitter): expected a base of at least 2"},
    {"powers(10, 1, 4000000000, 0)",
     "delay: powers(base, from, to, jitter): expected delays up to 2^53 ticks"},
    {"powers(10, 1, 1e10, 0)", "delay: column 15: 1e10 is too large, expected a number below 2^32"},
    {"empirical(nowhere)", "workloads/traces/nowhere.tt.xz: there is no such trace, expected a "
                           "name or a path"},
};

TEST(test_bad_texts)
{
    for (size_t i = 0; i < sizeof bads / sizeof *bads; i++) {
        struct dist *dist = NULL;
        struct diag diag = {""};
        int status = dist_parse(bads[i].text, "delay", &context, &dist, &diag);
        assert_string_equal(diag.text, bads[i].message);
        assert_int_equal(status, DIAG_USAGE);
        assert_null(dist);
    }
}

/* Drawn in milliseconds, run at ticks of ten: rounded up, never down, and by how much is known. */
TEST(test_coarse_ticks)
{
    static const struct {
        const char *text;
        double p;
        struct dist_delay delay;
    } rows[] = {
        {"15ms", 0.5, {2, 5000000}},
        {"1ms", 0.5, {1, 9000000}},
        {"20ms", 0.5, {2, 0}},
        {"3", 0.5, {3, 0}},
        {"uniform(1ms, 20ms)", 0.524, {2, 9000000}},
        {"choice(4ms:1, 2:1)", 0.25, {1, 6000000}},
        {"choice(4ms:1, 2:1)", 0.75, {2, 0}},
        {"lattice(8, 1, 1, 0)", 0.5, {8, 0}},
        {"powers(2, 3, 3, 0)", 0.5, {8, 0}},
    };
    const struct dist_context coarse = {.tick_ns = 10000000, .unit_ns = 1000000};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct diag diag;
        struct dist *dist = NULL;
        assert_int_equal(dist_parse(rows[i].text, "delay", &coarse, &dist, &diag), DIAG_OK);
        struct dist_delay delay = dist_draw(dist, rows[i].p);
        if (delay.ticks != rows[i].delay.ticks || delay.slack_ns != rows[i].delay.slack_ns)
            fail_msg("%s: %llu ticks, %llu ns of them rounding", rows[i].text,
                     (unsigned long long)delay.ticks, (unsigned long long)delay.slack_ns);
        dist_free(dist);
    }
}

TEST_MAIN(NULL, NULL)
