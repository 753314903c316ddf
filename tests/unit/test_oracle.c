/* test_oracle.c - the oracle against an array that is scanned from end to end on every tick. */
#include "harness/measure/workload/oracle.h"
#include "testing.h"

#include "harness/base/rng.h"

enum { IDS = 40, LONGEST = 300 };

/* The rule of backend.h and nothing else. */
struct brute {
    uint64_t due[IDS]; /* TW_NEVER: idle */
    uint64_t now;
    const uint32_t *restart, *period;
    size_t phase;
    struct stream_expected expected;
};

static uint64_t later_than(uint64_t now, int64_t delay)
{
    int64_t deadline = (int64_t)now + delay;
    return deadline > (int64_t)now ? (uint64_t)deadline : now + 1;
}

static void brute_note_running(struct brute *brute)
{
    uint64_t running = 0;
    for (tw_id id = 0; id < IDS; id++)
        running += brute->due[id] != TW_NEVER;
    brute->expected.running_end = running;
    if (running > brute->expected.running_max)
        brute->expected.running_max = running;
}

static void brute_start(struct brute *brute, tw_id id, int64_t delay)
{
    brute->due[id] = later_than(brute->now, delay);
    brute_note_running(brute);
}

static void brute_stop(struct brute *brute, tw_id id)
{
    brute->due[id] = TW_NEVER;
    brute_note_running(brute);
}

static void brute_tick(struct brute *brute)
{
    brute->now++;
    for (tw_id id = 0; id < IDS; id++) {
        if (brute->due[id] != brute->now)
            continue;
        uint64_t mix = stream_mix(id, brute->now);
        brute->expected.digest += mix;
        brute->expected.fired++;
        brute->expected.fired_in[brute->phase]++;
        brute->due[id] = TW_NEVER;
        if (brute->restart)
            brute->due[id] = brute->now + brute->restart[mix >> 53];
        if (brute->period)
            brute->due[id] = (brute->restart ? brute->due[id] : brute->now) +
                             brute->period[stream_mix(id, 0) >> 53];
    }
    brute_note_running(brute);
}

/* One random operation, done to both. */
static void operation_make(struct rng *rng, struct brute *brute, struct stream *stream)
{
    tw_id id = (tw_id)rng_below(rng, IDS);
    int64_t delay = (int64_t)rng_below(rng, LONGEST) - 3;
    uint64_t ticks;
    switch (rng_below(rng, 8)) {
    case 0:
        stream_append_stop(stream, id);
        brute_stop(brute, id);
        return;
    case 1:
        stream_append_advance(stream, 1);
        brute_tick(brute);
        return;
    case 2:
        ticks = rng_below(rng, rng_below(rng, 20) ? 10 : 2 * LONGEST);
        stream_append_advance(stream, ticks);
        for (; ticks > 0; ticks--)
            brute_tick(brute);
        return;
    default:
        if (rng_below(rng, 50) == 0)
            delay = INT64_C(1) << 40;
        stream_append_start(stream, id, delay);
        brute_start(brute, id, delay);
    }
}

TEST(test_random_streams)
{
    for (uint64_t seed = 1; seed <= 300; seed++) {
        struct rng rng;
        struct diag diag;
        struct brute brute = {.now = 0};
        uint32_t table[STREAM_RESTART_SIZE];
        rng_seed(&rng, seed, 0);
        memset(brute.due, 0xff, sizeof brute.due);
        for (size_t i = 0; i < STREAM_RESTART_SIZE; i++)
            table[i] = 1 + (uint32_t)rng_below(&rng, LONGEST);
        struct stream *stream = stream_new("random");
        stream->capacity = IDS;
        for (brute.phase = 0; brute.phase < 4; brute.phase++) {
            brute.restart = brute.phase % 2 ? table : NULL;
            brute.period = (brute.phase + seed) % 4 >= 2 ? table : NULL;
            stream_phase_begin(stream, "phase", brute.restart);
            if (brute.period)
                stream_phase_period(stream, brute.period);
            for (int i = 0; i < 500; i++)
                operation_make(&rng, &brute, stream);
            for (tw_id id = 0; id < IDS; id++)
                if (brute.due[id] != TW_NEVER)
                    stream_state_add(&brute.expected.states[brute.phase], id, brute.due[id]);
        }
        assert_int_equal(oracle_finish(stream, &diag), DIAG_OK);
        if (memcmp(&stream->expected, &brute.expected, sizeof brute.expected) != 0)
            fail_msg("seed %llu: the oracle fired %llu, the scan %llu", (unsigned long long)seed,
                     (unsigned long long)stream->expected.fired,
                     (unsigned long long)brute.expected.fired);
        assert_true(brute.expected.fired > 100);
        stream_free(stream);
    }
}

TEST(test_past_deadlines_fire_on_the_next_tick)
{
    struct diag diag;
    struct stream *stream = stream_new("past");
    stream_phase_begin(stream, "p", NULL);
    stream_append_advance(stream, 100);
    stream_append_start(stream, 7, -50);
    stream_append_start(stream, 8, 0);
    stream_append_start(stream, 9, 1);
    stream_append_advance(stream, 1000);
    assert_int_equal(oracle_finish(stream, &diag), DIAG_OK);
    assert_int_equal(stream->expected.fired, 3);
    assert_true(stream->expected.digest ==
                stream_mix(7, 101) + stream_mix(8, 101) + stream_mix(9, 101));
    stream_free(stream);
}

TEST(test_a_deadline_at_the_end_of_time_never_comes)
{
    struct diag diag;
    struct stream *stream = stream_new("end");
    stream_phase_begin(stream, "p", NULL);
    stream_append_advance(stream, TW_DEADLINE_MAX - 5);
    stream_append_start(stream, 0, INT64_MAX);
    stream_append_ticks(stream, 4);
    assert_int_equal(oracle_finish(stream, &diag), DIAG_OK);
    assert_int_equal(stream->expected.fired, 0);
    assert_int_equal(stream->expected.running_end, 1);
    stream_free(stream);
}

TEST_MAIN(NULL, NULL)
