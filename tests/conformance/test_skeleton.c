/* test_skeleton.c - docs/skeleton.c, which people copy, keeps the contract itself. */
#include "harness/prove/conform.h"
#include "testing.h"

extern const struct tw_backend tw_skeleton_timed, tw_skeleton_counted;

static void assert_conforms(const struct tw_backend *backend)
{
    struct conform_report report = {0};
    struct conform_options options = {.seed = 1, .operations = 100000, .check_always = true};
    if (conform_run(backend, &options, &report) != 0)
        fail_msg("%s: %s\n%s", report.rule, report.detail, report.operations);
    assert_true(report.operations_run >= options.operations);
}

TEST(timed_skeleton_conforms)
{
    assert_conforms(&tw_skeleton_timed);
}

TEST(counted_skeleton_conforms)
{
    assert_conforms(&tw_skeleton_counted);
}

static struct tw_timers *open_with(const struct tw_backend *backend, uint64_t running_max)
{
    const struct tw_setting setting = {"max-running", 1, {running_max}};
    struct tw_config config = {.capacity = 4, .settings = &setting, .setting_count = 1};
    struct tw_timers *timers = NULL;
    struct tw_error error = {""};
    if (backend->open(&timers, &config, &error) != TW_OK)
        assert_non_null(strstr(error.text, "max-running"));
    return timers;
}

TEST(setting_is_honoured)
{
    const struct tw_backend *backend = &tw_skeleton_timed;
    assert_null(open_with(backend, 0));
    struct tw_timers *timers = open_with(backend, 2);
    assert_non_null(timers);
    assert_int_equal(backend->start(timers, 0, 5), TW_OK);
    assert_int_equal(backend->start(timers, 1, 5), TW_OK);
    assert_int_equal(backend->start(timers, 2, 5), TW_REFUSED_FULL);
    assert_int_equal(backend->start(timers, 1, 6), TW_REARMED);
    backend->close(timers);
}

TEST(only_the_counted_object_counts)
{
    struct tw_timers *timed = open_with(&tw_skeleton_timed, 2);
    struct tw_timers *counted = open_with(&tw_skeleton_counted, 2);
    assert_int_equal(tw_skeleton_counted.start(counted, 0, 5), TW_OK);
    assert_int_equal(tw_skeleton_counted.work(counted)->comparisons, 2);
    assert_null(tw_skeleton_timed.work(timed));
    tw_skeleton_timed.close(timed);
    tw_skeleton_counted.close(counted);
}

TEST_MAIN(NULL, NULL)
