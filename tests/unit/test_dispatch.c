/* test_dispatch.c - a stream's periodic tasks under one thread, over every design. */
#include "harness/measure/run/dispatch.h"
#include "testing.h"

#include "harness/measure/workload/oracle.h"
#include "harness/measure/workload/workload.h"
#include "impls/registry.h"

static struct stream *periodic(const struct workload_setting *settings, size_t count)
{
    struct workload_request request = {.workload = "periodic",
                                       .directory = "workloads",
                                       .tasks = 500,
                                       .seed = 1,
                                       .settings = settings,
                                       .setting_count = count};
    struct stream *stream = NULL;
    struct diag diag = {""};
    if (workload_stream(&request, &stream, &diag) != DIAG_OK)
        fail_msg("%s", diag.text);
    return stream;
}

static size_t play(const struct tw_design *design, const struct stream *stream,
                   struct outcome_schedule schedules[OUTCOME_SCHEDULES_MAX])
{
    struct plan_cell plan = {.design = design};
    memset(schedules, 0, OUTCOME_SCHEDULES_MAX * sizeof *schedules);
    return dispatch_play(design->counted, &plan, stream, schedules);
}

static bool is_exact(const struct tw_design *design)
{
    const struct tw_traits *traits = &design->counted->traits;
    return !traits->late_ticks && !traits->late_shift && !(traits->flags & TW_KEEPS_NOTHING);
}

static void assert_same(const struct outcome_schedule *a, const struct outcome_schedule *b)
{
    assert_int_equal(a->catch_up, b->catch_up);
    assert_true(a->digest == b->digest);
    assert_int_equal(a->runs, b->runs);
    assert_int_equal(a->missed, b->missed);
    assert_int_equal(a->late_runs, b->late_runs);
    assert_int_equal(a->late_max_ticks, b->late_max_ticks);
    assert_memory_equal(&a->late_mean_ticks, &b->late_mean_ticks, sizeof a->late_mean_ticks);
    assert_memory_equal(&a->busy_share, &b->busy_share, sizeof a->busy_share);
}

/* A design that cannot hold these periods may say so. */
static size_t play_all(const struct stream *stream, struct outcome_schedule *common)
{
    size_t designs = 0, wanted = play(registry_find("heap"), stream, common);
    for (size_t i = 0; i < registry_count; i++) {
        struct outcome_schedule found[OUTCOME_SCHEDULES_MAX];
        size_t count = play(&registry[i], stream, found);
        if (!is_exact(&registry[i]) || count == 0)
            continue;
        assert_int_equal(count, wanted);
        for (size_t j = 0; j < count; j++)
            assert_same(&found[j], &common[j]);
        designs++;
    }
    assert_true(designs >= 5);
    return wanted;
}

/* Runs that take nothing begin when the stream's timers fire: the oracle knows their digest. */
TEST(test_idle_thread_is_never_late)
{
    struct stream *stream = periodic(NULL, 0);
    uint32_t *run_time = stream->schedule.run_time;
    struct outcome_schedule schedules[OUTCOME_SCHEDULES_MAX];
    stream->schedule.run_time = NULL;
    stream->schedule.slow_every = 0;
    assert_int_equal(play_all(stream, schedules), 2);
    for (size_t i = 0; i < 2; i++) {
        assert_true(schedules[i].digest == stream->expected.digest);
        assert_int_equal(schedules[i].runs, stream->expected.fired);
        assert_int_equal(schedules[i].late_runs, 0);
        assert_int_equal(schedules[i].missed, 0);
        assert_true(schedules[i].busy_share <= 0);
    }
    stream->schedule.run_time = run_time;
    stream_free(stream);
}

TEST(test_skip_against_burst)
{
    struct stream *stream = periodic(NULL, 0);
    struct outcome_schedule schedules[OUTCOME_SCHEDULES_MAX];
    assert_int_equal(play_all(stream, schedules), 2);
    const struct outcome_schedule *skip = &schedules[0], *burst = &schedules[1];
    assert_int_equal(skip->catch_up, OUTCOME_SKIP);
    assert_int_equal(burst->catch_up, OUTCOME_BURST);
    assert_true(skip->missed > 0);
    assert_int_equal(burst->missed, 0);
    /* Ten seconds after the slow run everybody has caught up: no run is unaccounted for. */
    assert_int_equal(skip->runs + skip->missed, burst->runs);
    assert_int_equal(burst->runs, stream->expected.fired + 1);
    assert_true(skip->late_mean_ticks < burst->late_mean_ticks);
    assert_in_range(burst->late_max_ticks, 20000, 26000);
    stream_free(stream);
}

TEST(test_fixed_delay_has_nothing_to_catch_up)
{
    struct workload_setting delay = {"ended", "fixed-delay"};
    struct stream *stream = periodic(&delay, 1);
    struct outcome_schedule schedules[OUTCOME_SCHEDULES_MAX];
    assert_int_equal(play_all(stream, schedules), 1);
    assert_int_equal(schedules[0].catch_up, OUTCOME_NOTHING_TO_CATCH_UP);
    assert_int_equal(schedules[0].missed, 0);
    assert_true(schedules[0].late_runs > 0);
    /* What waits does not come again meanwhile. */
    assert_true(schedules[0].runs < stream->expected.fired);
    stream_free(stream);
}

/* Five runs of the slow task at 20, 40, ... 100 take 5 ticks each, the last until 105. */
TEST(test_slow_task)
{
    struct workload_setting settings[] = {
        {"period", "4e9"}, {"slow_every", "20"}, {"slow_run", "5"}, {"duration", "100"}};
    struct stream *stream = periodic(settings, 4);
    struct outcome_schedule schedules[OUTCOME_SCHEDULES_MAX];
    assert_int_equal(play(registry_find("heap"), stream, schedules), 2);
    assert_int_equal(schedules[0].runs, 5);
    assert_true(schedules[0].busy_share > 25 / 105.1 && schedules[0].busy_share < 25 / 104.9);
    assert_int_equal(schedules[0].late_runs, 0);
    stream_free(stream);
}

TEST(test_nothing_to_play)
{
    struct outcome_schedule schedules[OUTCOME_SCHEDULES_MAX];
    struct stream *stream = periodic(NULL, 0);
    struct diag diag;
    assert_int_equal(play(registry_find("null"), stream, schedules), 0);
    /* Where not all tasks may wait there is no schedule of all tasks. */
    assert_int_equal(oracle_cap(stream, 100, &diag), DIAG_OK);
    assert_int_equal(play(registry_find("heap"), stream, schedules), 0);
    assert_int_equal(oracle_cap(stream, 501, &diag), DIAG_OK);
    assert_int_equal(play(registry_find("heap"), stream, schedules), 2);
    stream->schedule.ticks = 0;
    assert_int_equal(play(registry_find("heap"), stream, schedules), 0);
    stream_free(stream);
}

TEST_MAIN(NULL, NULL)
