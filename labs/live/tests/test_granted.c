/*
 * test_granted.c - slack on the real clock: windows in the runner's ticks, from the moment of the start, and what fires past them.
 */
#include "impls/registry.h"
#include "labs/live/clock/performance.h"
#include "labs/live/runners/guarded.h"
#include "testing.h"

#define TICK_NS 1000000

static uint64_t planted_ns;

static uint64_t planted_now(void)
{
    return planted_ns;
}

static struct windows windows_of(const char *design, uint64_t ticks, uint32_t shift)
{
    const struct tw_backend *table = registry_find(design)->timed;
    return (struct windows){.design = table,
                            .within = registry_part(table, "slack"),
                            .tick_ns = TICK_NS,
                            .ticks = ticks,
                            .shift = shift,
                            .now_ns = planted_now};
}

static struct tw_timers *open_of(const struct tw_backend *table)
{
    struct tw_timers *timers = NULL;
    struct tw_config config = {.capacity = 4};
    struct tw_error error;
    assert_int_equal(table->open(&timers, &config, &error), TW_OK);
    return timers;
}

struct fired {
    uint32_t count;
    tw_tick last;
};

static void note(void *ctx, tw_id id, tw_tick now)
{
    struct fired *fired = ctx;
    (void)id;
    fired->count++;
    fired->last = now;
}

TEST(test_windows_that_overlap_share_a_wake_up)
{
    const char *const designs[] = {"coalesce", "slack-wheel"};
    for (size_t i = 0; i < 2; i++) {
        struct windows windows = windows_of(designs[i], 9, 0);
        const struct tw_backend *table = windows_grant(&windows);
        struct tw_timers *timers = open_of(table);
        struct fired fired = {0};
        for (tw_id id = 0; id < 4; id++)
            assert_int_equal(table->start(timers, id, 97 + id), TW_OK);
        table->advance(timers, 100, note, &fired);
        assert_int_equal(fired.count, 0);
        table->advance(timers, 109, note, &fired);
        assert_int_equal(fired.count, 4);
        assert_in_range(fired.last, 100, 109);
        assert_int_equal(windows_past(), 0);
        assert_null(table->check(timers));
        table->close(timers);
    }
}

/* The design's clock stands at 0 when a timer of 800 ticks is started at tick 10,000: its window has 100 ticks. */
TEST(test_the_share_is_of_the_delay_from_now)
{
    struct windows windows = windows_of("coalesce", 0, 3);
    const struct tw_backend *table = windows_grant(&windows);
    planted_ns = UINT64_C(7) * TICK_NS;
    struct tw_timers *timers = open_of(table);
    planted_ns += UINT64_C(10000) * TICK_NS;
    assert_int_equal(table->start(timers, 0, 10800), TW_OK);
    assert_int_equal(table->next(timers), 10900);
    assert_int_equal(table->start(timers, 1, 4), TW_OK);
    assert_int_equal(table->next(timers), 4);
    table->close(timers);
}

/* Not until the timer is due: then every start would wake the driver up. */
TEST(test_a_runner_is_asked_to_wake_up_when_the_first_window_ends)
{
    struct windows windows = windows_of("coalesce", 50, 0);
    struct tw_runner_config config = {.design = windows_grant(&windows)};
    struct guarded guarded = {.closed = false};
    struct tw_error error;
    tw_timer timer;
    tw_tick wake;
    assert_int_equal(guarded_open(&guarded, &config, TICK_NS, 4, &error), TW_RUN_OK);
    for (uint64_t due = 100; due <= 120; due += 20) {
        struct tw_task task = {.due_ns = due * TICK_NS};
        assert_int_equal(guarded_start(&guarded, &task, &timer, &wake), TW_RUN_OK);
        assert_int_equal(wake, 150);
    }
    guarded_close(&guarded);
}

/* ---- Planted. -------------------------------------------------------------------------------- */

static int start_past(struct tw_timers *timers, tw_id id, tw_tick deadline, tw_tick slack)
{
    const struct tw_slack *taken = registry_part(registry_find("coalesce")->timed, "slack");
    return taken->start_within(timers, id, deadline, 2 * slack);
}

TEST(test_what_fires_past_its_window_is_counted)
{
    struct windows windows = windows_of("coalesce", 10, 0);
    const struct tw_slack wrong = {start_past};
    windows.within = &wrong;
    const struct tw_backend *table = windows_grant(&windows);
    struct tw_timers *timers = open_of(table);
    struct fired fired = {0};
    assert_int_equal(table->start(timers, 0, 100), TW_OK);
    assert_int_equal(table->start(timers, 1, 115), TW_OK);
    table->advance(timers, 300, note, &fired);
    assert_int_equal(fired.count, 2);
    assert_int_equal(windows_past(), 1);
    table->close(timers);
}

TEST_MAIN(NULL, NULL)
