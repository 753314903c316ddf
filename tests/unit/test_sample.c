/* test_sample.c - series of samples in this process: right under a drag, a cap, and when wrong. */
#include "harness/measure/run/sample.h"
#include "testing.h"

#include "harness/measure/run/instance.h"
#include "harness/measure/workload/oracle.h"

#include <math.h>

/* 2000 timers started, half of them stopped, then 300 ticks of hold; the first is due after `first` ticks. */
static struct stream *make_stream_of(uint32_t first)
{
    uint32_t restart[STREAM_RESTART_SIZE];
    struct stream *stream = stream_new("test");
    struct diag diag;
    assert_non_null(stream);
    for (uint32_t i = 0; i < STREAM_RESTART_SIZE; i++)
        restart[i] = 1 + i % 90;
    stream->tasks = stream->capacity = 2000;
    stream->tick_ns = 1000000;
    stream_phase_begin(stream, "start", NULL);
    for (tw_id id = 0; id < 2000; id++)
        stream_append_start(stream, id, first + id % 200);
    stream_phase_begin(stream, "stop", NULL);
    for (tw_id id = 0; id < 2000; id += 2)
        stream_append_stop(stream, id);
    stream_phase_begin(stream, "hold", restart);
    stream_append_ticks(stream, 300);
    assert_int_equal(oracle_finish(stream, &diag), DIAG_OK);
    return stream;
}

static struct stream *make_stream(void)
{
    return make_stream_of(1);
}

static struct sample_series *take(const struct tw_design *design, const struct stream *stream,
                                  struct sample_request request)
{
    struct plan_cell cell = {.design = design};
    struct sample_series *series = malloc(sizeof *series);
    assert_non_null(series);
    memset(series, 0x55, sizeof *series);
    request.plan = &cell;
    request.stream = stream;
    sample_take(&request, series);
    return series;
}
/* ---- As asked. ------------------------------------------------------------------------------- */

TEST(test_passes_as_many_as_asked)
{
    struct stream *stream = make_stream();
    struct sample_series *series =
        take(registry_find("heap"), stream, (struct sample_request){.samples = 3, .passes = 2});
    assert_int_equal(series->status, OUTCOME_OK);
    assert_string_equal(series->reason, "");
    assert_int_equal(series->passes, 2);
    /* 2000 starts, 1000 stops, 300 ticks; each expiry is one call, and one more that restarts. */
    assert_int_equal(series->calls, 2000 + 1000 + 300 + 2 * stream->expected.fired);
    for (size_t i = 0; i < 3; i++)
        for (size_t phase = 0; phase < 3; phase++) {
            assert_true(series->cpu_ns[i][phase] > 0);
            assert_true(series->wall_ns[i][phase] > 0);
        }
    assert_true(series->cpu_ns[3][0] == 0 && series->wall_ns[3][0] == 0);
    assert_true(series->cpu_ns[0][3] == 0);
    free(series);
    stream_free(stream);
}

TEST(test_passes_that_fill_a_time)
{
    assert_int_equal(sample_passes(20000000, 3000000), 7);
    assert_int_equal(sample_passes(20000000, 4000000), 5);
    assert_int_equal(sample_passes(20000000, 1e12), 1);
    assert_int_equal(sample_passes(20000000, 0), 20000000);
    assert_int_equal(sample_passes(0, 3000000), 1);
}

/* How many times the design below has been opened. */
static uint64_t opened;

static int counted_open(struct tw_timers **out, const struct tw_config *config,
                        struct tw_error *error)
{
    opened++;
    return registry_find("heap")->timed->open(out, config, error);
}

/* As many passes as fill the time: a pass that was timed took no longer than everything, and more than a
 * picosecond a call, on whatever machine. */
TEST(test_passes_by_time)
{
    struct stream *stream = make_stream();
    const struct tw_design *heap = registry_find("heap");
    struct sample_request request = {.samples = 0, .min_time_ns = UINT64_C(1000000000000000)};
    uint64_t begin_ns = clock_read_ns(CLOCK_MONOTONIC);
    struct sample_series *series = take(heap, stream, request);
    double taken_ns = (double)(clock_read_ns(CLOCK_MONOTONIC) - begin_ns);
    assert_int_equal(series->status, OUTCOME_OK);
    assert_true((double)series->passes >= 1e15 / taken_ns);
    assert_true((double)series->passes <= 1e15 / (0.001 * (double)series->calls));
    free(series);
    request.min_time_ns = 0;
    series = take(heap, stream, request);
    assert_int_equal(series->passes, 1);
    free(series);
    stream_free(stream);
}

/* Two passes before, then those of each sample, however many a time made of them. */
TEST(test_each_sample_has_its_passes)
{
    struct stream *stream = make_stream();
    struct tw_backend design = *registry_find("heap")->timed;
    struct tw_design entry = {.timed = &design, .counted = &design};
    struct sample_request request = {.samples = 3, .min_time_ns = 3000000};
    design.open = counted_open;
    opened = 0;
    struct sample_series *series = take(&entry, stream, request);
    assert_int_equal(opened, 2 + 3 * series->passes);
    free(series);
    request.passes = 4;
    opened = 0;
    series = take(&entry, stream, request);
    assert_int_equal(opened, 1 + 3 * 4);
    free(series);
    stream_free(stream);
}

static tw_tick firsts[16]; /* of the instances in the order of their opening: deadline of timer 0 */

static int noting_start(struct tw_timers *timers, tw_id id, tw_tick deadline)
{
    if (id == 0 && firsts[opened - 1] == 0)
        firsts[opened - 1] = deadline;
    return registry_find("heap")->timed->start(timers, id, deadline);
}

/* Each pass goes on where the one before it ended, across samples; the warm-up has a stream of its own. */
TEST(test_no_pass_comes_again)
{
    struct stream *stream = make_stream();
    struct tw_backend design = *registry_find("heap")->timed;
    struct tw_design entry = {.timed = &design, .counted = &design};
    uint64_t alone = stream_hash_of_passes(stream);
    for (uint32_t first = 2; first <= 7; first++)
        stream_add_pass(stream, make_stream_of(first));
    assert_int_equal(alone, stream->hash);
    assert_true(stream_hash_of_passes(stream) != alone);
    design.open = counted_open;
    design.start = noting_start;
    opened = 0;
    memset(firsts, 0, sizeof firsts);
    struct sample_series *series =
        take(&entry, stream, (struct sample_request){.samples = 3, .passes = 2});
    assert_int_equal(series->status, OUTCOME_OK);
    assert_int_equal(opened, 7);
    for (size_t i = 0; i < 7; i++)
        assert_int_equal(firsts[i], i == 0 ? 7 : i);
    free(series);
    stream_free(stream);
}

/* With an impossible pace every sample is a slow one, but all are taken once the patience is over; with any
 * pace good enough none is. */
TEST(test_waits_for_the_pace_no_longer_than_told)
{
    struct stream *stream = make_stream();
    const struct tw_design *heap = registry_find("heap");
    struct sample_request request = {
        .samples = 4, .passes = 1, .pace_ns = 1, .patience_ns = 30000000};
    uint64_t begin_ns = clock_read_ns(CLOCK_MONOTONIC);
    struct sample_series *series = take(heap, stream, request);
    assert_true(clock_read_ns(CLOCK_MONOTONIC) - begin_ns >= request.patience_ns);
    assert_int_equal(series->status, OUTCOME_OK);
    assert_int_equal(series->slow, 4);
    assert_true(series->pace_ns > 1 && series->cpu_ns[3][2] > 0);
    free(series);
    request.pace_ns = 1e9;
    series = take(heap, stream, request);
    assert_int_equal(series->slow, 0);
    assert_true(series->cpu_ns[3][2] > 0 && series->cpu_ns[4][2] == 0);
    free(series);
    request.pace_ns = 0;
    series = take(heap, stream, request);
    assert_int_equal(series->slow, 0);
    free(series);
    stream_free(stream);
}

/* ---- Layers. --------------------------------------------------------------------------------- */

/* The digest is held to the oracle's: `ok` says that it is the same with the drag and without. */
TEST(test_every_design_is_right_under_drag_and_cap)
{
    struct stream *stream = make_stream();
    struct diag diag;
    for (int capped = 0; capped < 2; capped++) {
        for (size_t i = 0; i < registry_count; i++)
            for (int dragged = 0; dragged < 2; dragged++) {
                struct sample_request request = {
                    .samples = 1, .passes = 1, .dragged = dragged, .drag_share = 0.5};
                struct sample_series *series = take(&registry[i], stream, request);
                if (series->status != OUTCOME_OK)
                    fail_msg("%s: %s", registry[i].timed->name, series->reason);
                free(series);
            }
        if (!capped)
            assert_int_equal(oracle_cap(stream, 1500, &diag), DIAG_OK);
    }
    assert_int_equal(stream->expected.refused, 500);
    stream_free(stream);
}

/* ---- Designs that fail. ---------------------------------------------------------------------- */

static int lazy_stop(struct tw_timers *timers, tw_id id)
{
    (void)timers, (void)id;
    return TW_OK;
}

static int poor_open(struct tw_timers **out, const struct tw_config *config, struct tw_error *error)
{
    (void)out, (void)config;
    strcpy(error->text, "not today");
    return TW_REFUSED_MEMORY;
}

static int picky_open(struct tw_timers **out, const struct tw_config *config,
                      struct tw_error *error)
{
    poor_open(out, config, error);
    return TW_BAD_SETTING;
}

static void assert_status(const struct tw_backend *design, enum outcome_status status,
                          const char *words)
{
    struct stream *stream = make_stream();
    struct tw_design entry = {.timed = design, .counted = design};
    struct sample_request request = {.samples = 2, .passes = 1, .dragged = true};
    struct sample_series *series = take(&entry, stream, request);
    assert_int_equal(series->status, status);
    if (!strstr(series->reason, words))
        fail_msg("'%s' has not the words '%s'", series->reason, words);
    free(series);
    stream_free(stream);
}

TEST(test_wrong_designs_are_told)
{
    struct tw_backend lazy = *registry_find("heap")->timed, poor = lazy, picky = lazy;
    lazy.stop = lazy_stop;
    poor.open = poor_open;
    picky.open = picky_open;
    assert_status(&lazy, OUTCOME_MISMATCH, "the oracle says");
    assert_status(&poor, OUTCOME_OUT_OF_MEMORY, "open: not today");
    assert_status(&picky, OUTCOME_UNSUPPORTED, "open: not today");
}

/* A design that may be late has no one right digest; an exact one is held to both figures. */
TEST(test_whose_digest_has_to_be_right)
{
    struct stream *stream = make_stream();
    struct tw_backend design = *registry_find("heap")->timed;
    uint64_t digest = stream->expected.digest, fired = stream->expected.fired;
    char reason[INSTANCE_REASON] = "";
    assert_true(instance_digest_is_right(&design, stream, digest, fired, reason));
    assert_string_equal(reason, "");
    assert_false(instance_digest_is_right(&design, stream, digest + 1, fired, reason));
    assert_false(instance_digest_is_right(&design, stream, digest, fired - 1, reason));
    assert_non_null(strstr(reason, "the oracle says"));
    design.traits.late_shift = 3;
    assert_true(instance_digest_is_right(&design, stream, digest + 1, fired, reason));
    design.traits.late_shift = 0;
    design.traits.late_ticks = 1;
    assert_true(instance_digest_is_right(&design, stream, digest + 1, fired, reason));
    design.traits.late_ticks = 0;
    design.traits.flags |= TW_KEEPS_NOTHING;
    assert_true(instance_digest_is_right(&design, stream, 0, 0, reason));
    stream_free(stream);
}

/* What is asked for comes back, through the layers. */
TEST(test_an_instance_describes_itself)
{
    struct stream *stream = make_stream();
    const struct tw_design *hashed = registry_find("hashed");
    struct plan_cell cell = {
        .design = hashed, .settings = {{"slots", 1, {128}}}, .setting_count = 1};
    struct outcome_setting settings[4];
    struct instance instance;
    char reason[INSTANCE_REASON];
    size_t count = 0;
    tw_tick span_ticks = 0;
    stream->max_pending = 5;
    assert_int_equal(instance_open(&instance, hashed->timed, &cell, stream, reason), OUTCOME_OK);
    assert_int_equal(instance_drag(&instance, 5, reason), OUTCOME_OK);
    assert_int_equal(instance_describe(&instance, settings, &count, &span_ticks, reason),
                     OUTCOME_OK);
    assert_int_equal(count, 1);
    assert_string_equal(settings[0].name, "slots");
    assert_int_equal(settings[0].values[0], 128);
    assert_true(span_ticks > 0);
    for (tw_id id = 0; id < 5; id++)
        assert_int_equal(instance.design->start(instance.timers, id, 9), TW_OK);
    assert_int_equal(instance.design->start(instance.timers, 5, 9), TW_REFUSED_FULL);
    instance_close(&instance);
    stream_free(stream);
}

TEST_MAIN(NULL, NULL)
