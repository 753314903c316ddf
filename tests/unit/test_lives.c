/* test_lives.c - lives met in the middle, against what renewal theory says of them. */
#include "harness/measure/workload/generate.h"
#include "testing.h"

#include <math.h>

enum { SAMPLES = 200000 };

static struct dist *dist_of(const char *text)
{
    struct dist_context context = {.tick_ns = 1000000};
    struct dist *dist = NULL;
    struct diag diag;
    assert_int_equal(dist_parse(text, "delay", &context, &dist, &diag), DIAG_OK);
    return dist;
}

struct outcome {
    double delay;       /* mean of those that run */
    double stopped;     /* share with a planned stop */
    double running;     /* share that runs at all */
    bool stop_in_range; /* 1 .. delay, always */
};

static struct outcome lives_measure(const struct spec_phase *phase)
{
    struct lives lives;
    struct rng delays, stops;
    struct outcome out = {0, 0, 0, true};
    rng_seed(&delays, 5, 1);
    rng_seed(&stops, 5, 2);
    lives_open(&lives, phase, 1000, &delays, &stops);
    for (int i = 0; i < SAMPLES; i++) {
        struct life life = lives_aged(&lives);
        out.delay += (double)life.delay;
        out.stopped += life.stop_after > 0;
        out.running += life.delay > 0;
        out.stop_in_range = out.stop_in_range && life.stop_after <= life.delay;
    }
    lives_close(&lives);
    out.delay /= out.running;
    out.stopped /= SAMPLES;
    out.running /= SAMPLES;
    return out;
}

static void assert_near(double found, double wanted, double slack)
{
    if (fabs(found - wanted) > slack)
        fail_msg("%g, expected %g +- %g", found, wanted, slack);
}

/* The mean residual is half the mean square over the mean. */
TEST(test_stationary_residuals)
{
    static const struct {
        const char *delay;
        double residual;
    } expected[] = {
        {"constant(10000)", 5000},   {"exponential(10000)", 10000}, {"uniform(1, 20000)", 6667},
        {"triangular(10000)", 5625}, {"bimodal(10000)", 25185},     {"choice(100:1, 900:1)", 410},
    };
    for (size_t i = 0; i < sizeof expected / sizeof *expected; i++) {
        struct spec_phase phase = {.kind = SPEC_START, .age = SPEC_STATIONARY};
        phase.delay = dist_of(expected[i].delay);
        struct outcome out = lives_measure(&phase);
        assert_near(out.delay, expected[i].residual, 0.012 * expected[i].residual);
        assert_near(out.running, 1, 1e-9);
        dist_free(phase.delay);
    }
}

TEST(test_new_lives_and_their_stops)
{
    struct spec_phase phase = {.kind = SPEC_START, .stop_share = 0.7};
    phase.delay = dist_of("uniform(1, 20)");
    struct outcome out = lives_measure(&phase);
    assert_near(out.delay, 10.5, 0.1);
    assert_near(out.stopped, 0.7, 0.006);
    assert_true(out.stop_in_range);
    /* A stop that comes after the delay is none: of 1 .. 20 and a delay of 5, a quarter is left. */
    dist_free(phase.delay);
    phase.delay = dist_of("5");
    phase.stop_share = 1;
    phase.stop_after = dist_of("uniform(1, 20)");
    out = lives_measure(&phase);
    assert_near(out.stopped, 0.25, 0.006);
    assert_true(out.stop_in_range);
    dist_free(phase.delay);
    dist_free(phase.stop_after);
}

/* With a delay D and a stop in 1 .. D with probability p, lives of D are met in proportion to
 * (1 - p) D, those that are stopped to p D / 2. */
TEST(test_stationary_share_of_planned_stops)
{
    struct spec_phase phase = {.kind = SPEC_START, .age = SPEC_STATIONARY, .stop_share = 0.9};
    phase.delay = dist_of("constant(10000)");
    struct outcome out = lives_measure(&phase);
    assert_near(out.stopped, 0.45 / 0.55, 0.01);
    assert_true(out.stop_in_range);
    dist_free(phase.delay);
}

/* Refreshed with a chance of q per tick, a delay of D has run out with probability (1 - q)^D. */
TEST(test_refreshed_lives)
{
    struct spec_phase phase = {.kind = SPEC_START, .age = SPEC_REFRESHED, .refresh = 1e-3};
    phase.delay = dist_of("constant(1000)");
    struct outcome out = lives_measure(&phase);
    double q = 1e-3, kept = 1 - pow(1 - q, 1000);
    assert_near(out.running, kept, 0.006);
    /* The mean age of those that still run, from the truncated geometric distribution. */
    double age = (1 - q) / q - 1000 * pow(1 - q, 1000) / kept;
    assert_near(out.delay, 1000 - age, 4);
    /* refresh_min of 2 per tick over 1000 tasks is the larger rate. */
    phase.refresh_min = 2;
    out = lives_measure(&phase);
    assert_near(out.running, 1 - pow(1 - 2e-3, 1000), 0.006);
    dist_free(phase.delay);
}

TEST_MAIN(NULL, NULL)
