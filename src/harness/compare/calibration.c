/* calibration.c - checks that chained calls are told as long as they take: null with N dependent additions in start. */
#include "harness/compare/selftest.h"

#include "harness/measure/run/instance.h"
#include "harness/measure/run/replay.h"
#include "harness/measure/stats/summary.h"
#include "impls/registry.h"

#define STARTS       1000u
#define ROUNDS       101
#define CONFIDENCE   0.99
#define UNIT_CHAINS  1000
#define CHAIN_LENGTH 100

/* No compiler folds two of them, and no processor begins one before the last has ended. */
#define ADD                                                                                        \
    x += one;                                                                                      \
    __asm__ volatile("" : "+r"(x));
#define TEN(what) what what what what what what what what what what

/* The first waits for the deadline, as a design's work does for its operands. */
#define DEFINE_START(name, additions)                                                              \
    static int name(struct tw_timers *timers, tw_id id, tw_tick deadline)                          \
    {                                                                                              \
        uint64_t x = deadline, one = 1;                                                            \
        (void)timers, (void)id;                                                                    \
        __asm__ volatile("" : "+r"(one));                                                          \
        additions;                                                                                 \
        return TW_OK;                                                                              \
    }

DEFINE_START(start_20, TEN(ADD) TEN(ADD))
DEFINE_START(start_100, TEN(TEN(ADD)))

static double addition_ns(void)
{
    uint64_t x = 0, one = 1;
    __asm__ volatile("" : "+r"(one));
    uint64_t begin_ns = clock_read_ns(CLOCK_MONOTONIC);
    for (int i = 0; i < UNIT_CHAINS; i++) {
        TEN(TEN(ADD))
    }
    return (double)(clock_read_ns(CLOCK_MONOTONIC) - begin_ns) / (UNIT_CHAINS * CHAIN_LENGTH);
}

struct chained {
    struct instance instance; /* of null */
    struct stream stream;
    struct gap gap;
    uint32_t words[1 + 2 * STARTS];
};

/* ns per start. */
static double start_ns(struct chained *chained, const struct tw_backend *design)
{
    static const struct plan_cell plan = {.between = PLAN_BETWEEN_CHAIN};
    struct replay_pass pass;
    replay_time(design, chained->instance.timers, &chained->stream, &plan, &chained->gap, &pass);
    return pass.phases[0].wall_ns / STARTS;
}

static bool open_chained(struct chained *chained, const struct tw_backend *null)
{
    static const struct plan_cell plan = {.between = PLAN_BETWEEN_CHAIN};
    char reason[INSTANCE_REASON];
    chained->words[0] = (uint32_t)STREAM_START << STREAM_COUNT_BITS | STARTS;
    for (uint32_t i = 0; i < STARTS; i++) {
        chained->words[1 + 2 * i] = i;
        chained->words[2 + 2 * i] = 1 + i;
    }
    chained->stream =
        (struct stream){.words = chained->words, .phase_count = 1, .capacity = STARTS};
    chained->stream.phases[0].end = 1 + 2 * STARTS;
    return gap_open(&chained->gap, PLAN_BETWEEN_CHAIN) &&
           instance_open(&chained->instance, null, &plan, &chained->stream, reason) == OUTCOME_OK;
}

void calibration_judge(struct calibration *out, const double *told_ns, const double *expected_ns,
                       size_t count)
{
    double ratios[CALIBRATION_ROUNDS_MAX];
    for (size_t i = 0; i < count; i++)
        ratios[i] = told_ns[i] / expected_ns[i];
    struct summary ratio = summary_at(ratios, count, CONFIDENCE);
    double low = 1 - CALIBRATION_TOLERANCE, high = 1 + CALIBRATION_TOLERANCE;
    out->told_ns = summary_of(told_ns, count).median;
    out->expected_ns = summary_of(expected_ns, count).median;
    out->ratio = ratio.median;
    out->ratio_low = ratio.low;
    out->ratio_high = ratio.high;
    out->status = "inconclusive";
    if (ratio.confidence >= CONFIDENCE && ratio.low >= low && ratio.high <= high)
        out->status = "ok";
    else if (ratio.confidence >= CONFIDENCE && (ratio.high < low || ratio.low > high))
        out->status = "wrong";
}

void calibration_measure(struct calibration out[CALIBRATIONS])
{
    static const unsigned additions[CALIBRATIONS] = {20, 100};
    const struct tw_backend *null = registry_find("null")->timed;
    struct tw_backend designs[CALIBRATIONS] = {*null, *null};
    struct chained chained;
    double told_ns[CALIBRATIONS][ROUNDS], expected_ns[CALIBRATIONS][ROUNDS];
    designs[0].start = start_20;
    designs[1].start = start_100;
    if (!open_chained(&chained, null))
        return;
    for (int round = -1; round < ROUNDS; round++) {
        double harness_ns = start_ns(&chained, null), unit_ns = addition_ns();
        for (size_t i = 0; i < CALIBRATIONS; i++) {
            double ns = start_ns(&chained, &designs[i]) - harness_ns;
            if (round < 0)
                continue; /* it touches code and stream */
            told_ns[i][round] = ns;
            expected_ns[i][round] = additions[i] * unit_ns;
        }
    }
    instance_close(&chained.instance);
    gap_close(&chained.gap);
    for (size_t i = 0; i < CALIBRATIONS; i++) {
        out[i].additions = additions[i];
        calibration_judge(&out[i], told_ns[i], expected_ns[i], ROUNDS);
    }
}
