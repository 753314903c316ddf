/* test_generate.c - determinism, steady states that are steady, orders, limits. */
#include "harness/measure/workload/generate.h"
#include "harness/measure/workload/oracle.h"
#include "testing.h"

#include <math.h>

static int generate_within(const char *phases, uint64_t tasks, uint64_t seed,
                           struct generate_limits limits, struct stream **out, struct diag *diag)
{
    char text[8000];
    struct spec *spec;
    struct workload_request request = {.tasks = tasks};
    snprintf(text, sizeof text,
             "{\"name\":\"x\",\"summary\":\"s\",\"tick\":\"1ms\",\"tasks\":9,\"phases\":[%s]}",
             phases);
    int status = spec_parse(text, strlen(text), "x.json", &request, &spec, diag);
    if (status != DIAG_OK)
        return status;
    status = generate_stream(spec, seed, limits, out, diag);
    spec_free(spec);
    return status;
}

static int generate(const char *phases, uint64_t tasks, uint64_t seed, uint64_t work_max,
                    struct stream **out, struct diag *diag)
{
    struct generate_limits limits = {.work_max = work_max};
    return generate_within(phases, tasks, seed, limits, out, diag);
}

static struct stream *generated(const char *phases, uint64_t tasks, uint64_t seed)
{
    struct stream *stream = NULL;
    struct diag diag = {""};
    if (generate(phases, tasks, seed, 0, &stream, &diag) != DIAG_OK)
        fail_msg("%s", diag.text);
    return stream;
}

#define START "{\"name\":\"start\",\"do\":\"start\",\"delay\":\"uniform(1, 1000)\""

TEST(test_the_seed_decides)
{
    static const char phases[] =
        START ",\"order\":\"random\",\"stop_share\":0.5},"
              "{\"name\":\"run\",\"do\":\"run\",\"ticks\":500,\"ended\":\"replace\",\"delay\":"
              "\"exponential(100)\",\"refresh\":0.01,\"stop_share\":0.3},"
              "{\"name\":\"stop\",\"do\":\"stop\",\"share\":0.5}";
    struct stream *one = generated(phases, 1000, 1), *same = generated(phases, 1000, 1);
    struct stream *other = generated(phases, 1000, 2);
    assert_true(one->hash == same->hash);
    assert_true(one->hash != other->hash);
    assert_int_equal(one->seed, 1);
    assert_int_equal(one->tasks, 1000);
    assert_int_equal(one->capacity, 1000);
    assert_string_equal(one->tasks_meaning, "timers");
    stream_free(one);
    stream_free(same);
    stream_free(other);
}

/* Ten phases of the same run; what happens in each has to be the same but for chance. */
static struct stream *run_in_tenths(const char *start, const char *run, uint64_t tasks)
{
    char phases[6000];
    size_t length = (size_t)snprintf(phases, sizeof phases, "%s", start);
    for (int i = 0; i < 10; i++)
        length += (size_t)snprintf(phases + length, sizeof phases - length,
                                   ",{\"name\":\"t%d\",\"do\":\"run\",%s}", i, run);
    return generated(phases, tasks, 7);
}

TEST(test_hold_is_stationary)
{
    /* The mean of each is 10000; the variation says how much firings of one timer bunch. */
    static const struct {
        const char *delay;
        double variation;
    } increments[] = {
        {"exponential(10000)", 1}, {"uniform(1, 19999)", 0.6}, {"biased(10000)", 0.1},
        {"bimodal(10000)", 2},     {"triangular(10000)", 0.4}, {"constant(10000)", 0.1},
    };
    enum { TASKS = 20000, TICKS = 3000 };
    for (size_t i = 0; i < sizeof increments / sizeof *increments; i++) {
        char start[200], run[200];
        snprintf(start, sizeof start,
                 "{\"name\":\"s\",\"do\":\"start\",\"delay\":\"%s\",\"age\":\"stationary\"}",
                 increments[i].delay);
        snprintf(run, sizeof run, "\"ticks\":%d,\"delay\":\"%s\",\"ended\":\"restart\"", TICKS,
                 increments[i].delay);
        struct stream *stream = run_in_tenths(start, run, TASKS);
        double wanted = (double)TASKS * TICKS / 10000;
        double slack = 5 * sqrt(wanted) * fmax(1, increments[i].variation);
        for (size_t tenth = 1; tenth <= 10; tenth++)
            if (fabs((double)stream->expected.fired_in[tenth] - wanted) > slack)
                fail_msg("%s: tenth %zu fired %llu, expected %g +- %g", increments[i].delay, tenth,
                         (unsigned long long)stream->expected.fired_in[tenth], wanted, slack);
        assert_int_equal(stream->expected.running_end, TASKS);
        stream_free(stream);
    }
}

/* A start that is not stationary is told apart: the test above can fail. */
TEST(test_a_fresh_hold_is_not_stationary)
{
    struct stream *stream =
        run_in_tenths("{\"name\":\"s\",\"do\":\"start\",\"delay\":\"biased(10000)\"}",
                      "\"ticks\":3000,\"delay\":\"biased(10000)\",\"ended\":\"restart\"", 20000);
    assert_int_equal(stream->expected.fired_in[1], 0);
    assert_true(stream->expected.fired_in[4] > 15000);
    stream_free(stream);
}

TEST(test_closed_loop_is_stationary)
{
    /* Lives of 5250.5 on average: 10 % last 10000, 90 % half of it. */
    static const char stops[] = "\"delay\":\"constant(10000)\",\"stop_share\":0.9";
    char start[200], run[200];
    snprintf(start, sizeof start, "{\"name\":\"s\",\"do\":\"start\",\"age\":\"stationary\",%s}",
             stops);
    snprintf(run, sizeof run, "\"ticks\":2000,\"ended\":\"replace\",%s", stops);
    struct stream *stream = run_in_tenths(start, run, 20000);
    for (size_t tenth = 1; tenth <= 10; tenth++) {
        const struct stream_counts *counts = &stream->phases[tenth].counts;
        double fired = (double)stream->expected.fired_in[tenth], stopped = (double)counts->stops;
        double ended = 20000 * 2000 / (0.1 * 10000 + 0.9 * 5000.5);
        assert_true(fabs(fired + stopped - ended) < 5 * sqrt(ended));
        assert_true(fabs(fired / (fired + stopped) - 0.1) < 5 * sqrt(0.09 / ended));
        assert_int_equal(counts->starts, counts->stops + stream->expected.fired_in[tenth]);
    }
    assert_int_equal(stream->expected.running_max, 20000);
    assert_int_equal(stream->expected.running_end, 20000);
    stream_free(stream);
}

TEST(test_keepalive_is_stationary)
{
    struct stream *stream = run_in_tenths(
        "{\"name\":\"s\",\"do\":\"start\",\"delay\":3000,\"age\":\"refreshed\",\"refresh\":1e-3}",
        "\"ticks\":1000,\"delay\":3000,\"refresh\":1e-3", 20000);
    /* Of 20 refreshes a tick, one in e^3 is not followed by another in time. */
    double wanted = 1000 * 20 * exp(-3);
    for (size_t tenth = 1; tenth <= 10; tenth++) {
        assert_int_equal(stream->phases[tenth].counts.starts, 20000);
        assert_true(fabs((double)stream->expected.fired_in[tenth] - wanted) < 5 * sqrt(wanted));
    }
    assert_in_range(stream->expected.running_end, 18850, 19150);
    stream_free(stream);
}

/* The delays of a START run, in the order of the words. */
static void delays_of_start(const struct stream *stream, uint32_t *ids, uint32_t *delays,
                            size_t count)
{
    const uint32_t *word = stream->words + stream->phases[0].begin;
    assert_int_equal(*word, (uint32_t)STREAM_START << STREAM_COUNT_BITS | (uint32_t)count);
    for (size_t i = 0; i < count; i++) {
        ids[i] = word[1 + 2 * i];
        delays[i] = word[2 + 2 * i];
    }
}

TEST(test_orders_of_start_and_stop)
{
    enum { TASKS = 500 };
    uint32_t ids[TASKS], delays[TASKS], due[TASKS];
    struct stream *stream =
        generated(START ",\"order\":\"soonest\"},"
                        "{\"name\":\"stop\",\"do\":\"stop\",\"order\":\"latest\",\"share\":0.5}",
                  TASKS, 1);
    delays_of_start(stream, ids, delays, TASKS);
    for (size_t i = 0; i < TASKS; i++) {
        assert_int_equal(ids[i], i);
        assert_true(i == 0 || delays[i] >= delays[i - 1]);
        due[ids[i]] = delays[i];
    }
    const uint32_t *stopped = stream->words + stream->phases[1].begin;
    assert_int_equal(*stopped, (uint32_t)STREAM_STOP << STREAM_COUNT_BITS | TASKS / 2);
    for (size_t i = 2; i <= TASKS / 2; i++)
        assert_true(due[stopped[i]] <= due[stopped[i - 1]]);
    stream_free(stream);

    stream = generated(START ",\"order\":\"random\",\"share\":0.5}", TASKS, 1);
    delays_of_start(stream, ids, delays, TASKS / 2);
    size_t ascending = 0, high = 0;
    for (size_t i = 1; i < TASKS / 2; i++) {
        ascending += ids[i] > ids[i - 1];
        high += ids[i] >= TASKS / 2;
    }
    assert_in_range(ascending, 90, 160);
    assert_in_range(high, 90, 160);
    stream_free(stream);
}

TEST(test_arrivals_and_departures)
{
    struct stream *stream = generated(
        "{\"name\":\"up\",\"do\":\"run\",\"ticks\":400,\"delay\":5000,\"arrive\":0.00125},"
        "{\"name\":\"down\",\"do\":\"run\",\"ticks\":100,\"depart\":0.0025},"
        "{\"name\":\"full\",\"do\":\"run\",\"ticks\":400,\"delay\":5000,\"arrive\":0.01}",
        1000, 1);
    assert_int_equal(stream->phases[0].counts.starts, 500);
    assert_int_equal(stream->phases[1].counts.stops, 250);
    /* No more than there are idle ids. */
    assert_int_equal(stream->phases[2].counts.starts, 750);
    assert_int_equal(stream->expected.running_end, 1000);
    stream_free(stream);
}

TEST(test_groups_are_one_phase)
{
    struct stream *stream =
        generated("{\"name\":\"bursts\",\"repeat\":50,\"phases\":[{\"do\":\"start\",\"delay\":7},"
                  "{\"do\":\"run\",\"until\":\"empty\",\"step\":2}]}",
                  100, 1);
    assert_int_equal(stream->phase_count, 1);
    assert_string_equal(stream->phases[0].name, "bursts");
    assert_int_equal(stream->phases[0].counts.starts, 5000);
    assert_int_equal(stream->phases[0].counts.advances, 200);
    assert_int_equal(stream->expected.fired, 5000);
    stream_free(stream);
}

TEST(test_no_stop_misses)
{
    /* Stops that follow a start by the whole delay, at every step: none may hit an idle timer, so
     * that all starts are accounted for by stops and firings. */
    static const char *const steps[] = {"1", "3", "1000"};
    for (size_t i = 0; i < 3; i++) {
        char phases[400];
        snprintf(phases, sizeof phases,
                 START ",\"stop_share\":0.8},{\"name\":\"run\",\"do\":\"run\",\"ticks\":300,"
                       "\"step\":%s,\"ended\":\"replace\",\"delay\":\"uniform(1, 9)\","
                       "\"stop_share\":0.8,\"depart\":0.01},"
                       "{\"name\":\"stop\",\"do\":\"stop\"}",
                 steps[i]);
        struct stream *stream = generated(phases, 200, 3);
        uint64_t starts = 0, stops = 0;
        for (size_t j = 0; j < stream->phase_count; j++) {
            starts += stream->phases[j].counts.starts;
            stops += stream->phases[j].counts.stops;
        }
        assert_int_equal(stream->expected.running_end, 0);
        assert_int_equal(starts, stops + stream->expected.fired);
        stream_free(stream);
    }
}

TEST(test_phases_without_operations)
{
    struct stream *stream = generated(START ",\"share\":0},"
                                            "{\"name\":\"run\",\"do\":\"run\",\"until\":\"empty\"}",
                                      5, 1);
    assert_int_equal(stream->word_count, 0);
    assert_non_null(stream->words);
    assert_int_equal(stream->expected.fired, 0);
    stream_free(stream);
}

TEST(test_too_much_work_is_refused)
{
    static const char *const phases[] = {
        "{\"name\":\"run\",\"do\":\"run\",\"ticks\":\"1e15\"}",
        START "},{\"name\":\"run\",\"do\":\"run\",\"ticks\":1000,\"step\":\"1e12\",\"delay\":1,"
              "\"ended\":\"restart\"}",
        "{\"name\":\"s\",\"do\":\"start\",\"delay\":\"1e15\"},"
        "{\"name\":\"run\",\"do\":\"run\",\"until\":\"empty\"}",
        "{\"name\":\"run\",\"do\":\"run\",\"ticks\":1000,\"step\":\"1e12\",\"refresh\":1,"
        "\"delay\":5}",
        "{\"name\":\"run\",\"repeat\":1000000,\"phases\":[{\"do\":\"start\",\"delay\":1},"
        "{\"do\":\"run\",\"until\":\"empty\"}]}",
    };
    for (size_t i = 0; i < sizeof phases / sizeof *phases; i++) {
        struct stream *stream = NULL;
        struct diag diag = {""};
        assert_int_equal(generate(phases[i], 1000, 1, 1000000, &stream, &diag), DIAG_USAGE);
        assert_non_null(strstr(diag.text, "more than 1000000 operations, steps and firings with "
                                          "1000 tasks, expected a shorter phase, longer delays or "
                                          "a larger step"));
        assert_null(stream);
    }
}

/* Minutes of work of every kind of phase.  Processor time counts: it passes only while this program runs, and
 * a look at the clock after at most some thousand operations is far below the second that is granted. */
TEST(test_making_ends_with_its_deadline)
{
    static const char *const phases[] = {
        "{\"name\":\"r\",\"repeat\":1000000,\"phases\":[{\"do\":\"start\",\"delay\":1},"
        "{\"do\":\"run\",\"until\":\"empty\"}]}",
        START "},{\"name\":\"r\",\"do\":\"run\",\"ticks\":1000,\"step\":1000000,\"delay\":1,"
              "\"ended\":\"restart\"}",
        START "},{\"name\":\"r\",\"do\":\"run\",\"ticks\":10000000,\"refresh\":1,\"delay\":5}",
        START "},{\"name\":\"r\",\"do\":\"run\",\"ticks\":10000000,\"delay\":5,\"arrive\":1,"
              "\"depart\":1}",
    };
    for (size_t i = 0; i < sizeof phases / sizeof *phases; i++) {
        struct stream *stream = NULL;
        struct diag diag = {""};
        uint64_t begin_ns = clock_read_ns(CLOCK_THREAD_CPUTIME_ID);
        struct generate_limits limits = {.until = deadline_of_cpu(20000000)};
        assert_int_equal(generate_within(phases[i], 1000, 1, limits, &stream, &diag),
                         DEADLINE_OVER);
        assert_in_range(clock_read_ns(CLOCK_THREAD_CPUTIME_ID) - begin_ns, 20000000, 1020000000);
        assert_non_null(strstr(diag.text, "making the load of 1000 tasks took longer"));
        assert_null(stream);
    }
}

/* The words are there in time, and the oracle is late. */
TEST(test_the_oracle_ends_with_the_deadline)
{
    struct diag diag = {""};
    struct stream *stream = generated(START "},{\"name\":\"run\",\"do\":\"run\",\"ticks\":1000,"
                                            "\"delay\":\"uniform(1,9)\",\"ended\":\"restart\"}",
                                      1000, 1);
    struct stream_expected expected = stream->expected;
    stream->until = (struct deadline){.at_ns = 1};
    assert_int_equal(oracle_cap(stream, 2000, &diag), DEADLINE_OVER);
    stream->until = (struct deadline){.at_ns = 0};
    assert_int_equal(oracle_cap(stream, 2000, &diag), DIAG_OK);
    assert_int_equal(stream->expected.digest, expected.digest);
    stream_free(stream);
}

#define PERIODIC(ended)                                                                            \
    "{\"name\":\"s\",\"do\":\"start\",\"delay\":\"choice(7:1, 20:1, 300:2)\",\"age\":\"phased\"}," \
    "{\"name\":\"r\",\"do\":\"run\",\"ticks\":3000,\"delay\":\"choice(7:1, 20:1, 300:2)\","        \
    "\"ended\":\"" ended "\",\"run_time\":\"uniform(1, 9)\",\"slow_every\":50,\"slow_run\":30}"

/* T16 by arithmetic: run k of each timer at t0 + k * period, and no other; the digest says so. */
TEST(test_a_fixed_rate_is_kept)
{
    struct stream *stream = generated(PERIODIC("fixed-rate"), 500, 3);
    uint64_t digest = 0, fired = 0;
    for (tw_id id = 0; id < 500; id++) {
        tw_tick period = stream->phases[1].period[stream_mix(id, 0) >> 53];
        tw_tick first = stream->words[2 + 2 * id];
        assert_true(period == 7 || period == 20 || period == 300);
        assert_in_range(first, 1, period);
        for (tw_tick due = first; due <= 3000; due += period, fired++)
            digest += stream_mix(id, due);
    }
    assert_true(stream->expected.digest == digest);
    assert_int_equal(stream->expected.fired, fired);
    assert_int_equal(stream->horizon, 300);
    assert_int_equal(stream->schedule.ticks, 3000);
    assert_int_equal(stream->schedule.slow_every, 50);
    assert_int_equal(stream->schedule.slow_run, 30);
    assert_int_equal(stream->schedule.run_time[STREAM_RESTART_SIZE - 1], 9);
    stream_free(stream);
}

/* The same with the run in between: the next run is due a period after the end of the last. */
TEST(test_a_fixed_delay_is_kept)
{
    struct stream *stream = generated(PERIODIC("fixed-delay"), 500, 3);
    uint64_t digest = 0;
    for (tw_id id = 0; id < 500; id++) {
        tw_tick period = stream->phases[1].period[stream_mix(id, 0) >> 53];
        for (tw_tick due = stream->words[2 + 2 * id]; due <= 3000;) {
            uint64_t mix = stream_mix(id, due);
            uint32_t run_time = stream->schedule.run_time[mix >> 53];
            assert_in_range(run_time, 1, 9);
            digest += mix;
            due += run_time + period;
        }
    }
    assert_true(stream->expected.digest == digest);
    assert_int_equal(stream->horizon, 309);
    assert_true(stream->schedule.fixed_delay);
    stream_free(stream);
}

/* Whatever belongs to the schedule is part of what is compared. */
TEST(test_schedules_have_an_identity)
{
    struct stream *rate = generated(PERIODIC("fixed-rate"), 500, 3);
    struct stream *delay = generated(PERIODIC("fixed-delay"), 500, 3);
    struct stream *seeded = generated(PERIODIC("fixed-rate"), 500, 4);
    char text[1000] = PERIODIC("fixed-rate");
    *strstr(text, "30}") = '9';
    struct stream *slower = generated(text, 500, 3);
    assert_true(rate->hash != delay->hash && rate->hash != seeded->hash);
    assert_true(rate->hash != slower->hash);
    assert_true(rate->expected.digest == slower->expected.digest);
    stream_free(rate);
    stream_free(delay);
    stream_free(seeded);
    stream_free(slower);
}

TEST_MAIN(NULL, NULL)
