/* test_windows.c - that coalesce wakes up as seldom as windows allow, slack-wheel fires in them, and a load's are checked. */
#include "harness/base/rng.h"
#include "harness/measure/run/instance.h"
#include "harness/measure/run/replay.h"
#include "harness/measure/workload/oracle.h"
#include "impls/registry.h"
#include "testing.h"

enum { WINDOWS = 6, SPAN = 24 };

struct windows {
    tw_tick begins[WINDOWS], dues[WINDOWS], ends[WINDOWS]; /* started at `begins` */
    unsigned fired, outside;
};

static void note(void *ctx, tw_id id, tw_tick now)
{
    struct windows *windows = ctx;
    windows->fired++;
    windows->outside += now < windows->dues[id] || now > windows->ends[id];
}

static void draw(struct windows *windows, struct rng *rng)
{
    *windows = (struct windows){.fired = 0};
    for (tw_id id = 0; id < WINDOWS; id++) {
        windows->begins[id] = rng_below(rng, SPAN / 3);
        windows->dues[id] = windows->begins[id] + 1 + rng_below(rng, SPAN / 3);
        windows->ends[id] = windows->dues[id] + rng_below(rng, SPAN / 3);
    }
}

/* Every set of wake-ups is tried. */
static unsigned fewest(const struct windows *windows)
{
    unsigned best = WINDOWS;
    for (uint32_t set = 1; set < UINT32_C(1) << SPAN; set++) {
        unsigned count = (unsigned)__builtin_popcount(set), hit = 0;
        for (tw_id id = 0; count < best && id < WINDOWS; id++) {
            uint32_t window =
                (UINT32_C(2) << windows->ends[id]) - (UINT32_C(1) << windows->dues[id]);
            hit += (set & window) != 0;
        }
        best = hit == WINDOWS ? count : best;
    }
    return best;
}

/* Tick by tick; how many of them fired something. */
static unsigned wakeups_of(const char *name, struct windows *windows)
{
    const struct tw_backend *design = registry_find(name)->timed;
    const struct tw_slack *slack = registry_part(design, "slack");
    struct tw_config config = {.capacity = WINDOWS};
    struct tw_timers *timers;
    struct tw_error error;
    unsigned wakeups = 0;
    windows->fired = windows->outside = 0;
    assert_int_equal(design->open(&timers, &config, &error), TW_OK);
    for (tw_tick now = 0; now < SPAN; now++) {
        for (tw_id id = 0; id < WINDOWS; id++)
            if (windows->begins[id] == now)
                assert_int_equal(slack->start_within(timers, id, windows->dues[id],
                                                     windows->ends[id] - windows->dues[id]),
                                 TW_OK);
        unsigned fired = windows->fired;
        design->advance(timers, now + 1, note, windows);
        wakeups += windows->fired > fired;
    }
    design->close(timers);
    assert_int_equal(windows->fired, WINDOWS);
    assert_int_equal(windows->outside, 0);
    return wakeups;
}

TEST(test_no_set_of_wakeups_is_smaller)
{
    struct rng rng;
    rng_seed(&rng, 7, 0);
    for (int round = 0; round < 12; round++) {
        struct windows windows;
        draw(&windows, &rng);
        unsigned best = fewest(&windows);
        assert_int_equal(wakeups_of("coalesce", &windows), best);
        assert_true(wakeups_of("slack-wheel", &windows) >= best);
    }
}

/* ---- The windows of a load. ------------------------------------------------------------------- */

/* Of a delay of 10: 1 + (10 >> 2) ticks. */
static const struct stream_slack granted = {.ticks = 1, .shift = 2};
#define DELAY 10

static int start_at(struct tw_timers *timers, tw_id id, tw_tick tick)
{
    return registry_find("heap")->counted->start(timers, id, tick);
}

static int at_the_end(struct tw_timers *timers, tw_id id, tw_tick deadline, tw_tick slack)
{
    return start_at(timers, id, deadline + slack);
}

static int past_the_end(struct tw_timers *timers, tw_id id, tw_tick deadline, tw_tick slack)
{
    return start_at(timers, id, deadline + slack + 1);
}

static int before_due(struct tw_timers *timers, tw_id id, tw_tick deadline, tw_tick slack)
{
    return start_at(timers, id, deadline - (slack > 0));
}

/* Two timers, of which the second is started when the clock is at 5. */
static struct stream *make_stream(void)
{
    struct diag diag;
    struct stream *stream = stream_new("windows");
    stream->tasks = stream->capacity = 2;
    stream->tick_ns = 1;
    stream_phase_begin(stream, "wait", NULL);
    stream_append_start(stream, 0, DELAY);
    stream_append_ticks(stream, 5);
    stream_append_start(stream, 1, DELAY);
    stream_append_ticks(stream, 3 * (uint64_t)DELAY);
    assert_int_equal(oracle_finish(stream, &diag), DIAG_OK);
    uint64_t hash = stream->hash;
    stream_allow(stream, granted);
    assert_true(stream->hash != hash);
    return stream;
}

TEST(test_the_checking_pass_tests_each_window)
{
    static const struct {
        struct tw_slack within;
        const char *says;
    } cases[] = {
        {{at_the_end}, ""}, {{past_the_end}, "later than declared"}, {{before_due}, "fired early"}};
    const struct tw_backend *heap = registry_find("heap")->counted;
    struct stream *stream = make_stream();
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct tw_config config = {.capacity = stream->capacity};
        struct outcome_phase phases[1] = {{0}};
        struct tw_timers *timers;
        struct replay_proof proof;
        struct tw_error error;
        struct layer layer;
        struct diag diag;
        assert_int_equal(heap->open(&timers, &config, &error), TW_OK);
        assert_int_equal(layer_slack(&layer, heap, timers, &cases[i].within, stream->slack), TW_OK);
        assert_int_equal(replay_prove(&layer.table, layer.timers, stream, PLAN_DRIVE_TICKS, phases,
                                      &proof, &diag),
                         DIAG_OK);
        layer.table.close(layer.timers);
        assert_int_equal(proof.fired, 2);
        if (cases[i].says[0] == '\0')
            assert_string_equal(proof.broken, "");
        else
            assert_non_null(strstr(proof.broken, cases[i].says));
        if (i == 0)
            assert_int_equal(proof.late_max_ticks, granted.ticks + (DELAY >> granted.shift));
    }
    stream_free(stream);
}

TEST_MAIN(NULL, NULL)
