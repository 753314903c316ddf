/*
 * test_narrow_generations.c - heap-lazy keeps the contract when its generations come round.
 *
 * They are 32 bits wide and would take hours to; here the design is compiled with 8 bits, so that
 * 128 starts of one timer will do.
 */
#define HEAP_LAZY_GENERATION uint8_t
#define tw_heap_lazy_timed   narrow_heap_lazy

/* clang-format off */
#include "impls/heap_lazy.c" /* NOLINT(bugprone-suspicious-include): another width of the same */
/* clang-format on */

#include "harness/prove/conform.h"
#include "testing.h"

TEST(holds_the_contract)
{
    struct conform_report report = {0};
    struct conform_options options = {.seed = 1, .operations = 300000, .check_always = true};
    if (conform_run(&narrow_heap_lazy, &options, &report) != 0)
        fail_msg("%s: %s\n%s", report.rule, report.detail, report.operations);
}

static void count_fired(void *ctx, tw_id id, tw_tick now)
{
    (void)id, (void)now;
    ++*(unsigned *)ctx;
}

/* The entry of timer 0 for tick 1000 is dead and stays; 127 starts that fire, then one that is to
 * have the generation of the dead entry. */
TEST(forgotten_entry_does_not_fire)
{
    struct tw_timers *timers = NULL;
    struct tw_error error;
    struct tw_config config = {.capacity = 2};
    unsigned fired = 0;
    assert_int_equal(narrow_heap_lazy.open(&timers, &config, &error), TW_OK);
    assert_int_equal(narrow_heap_lazy.start(timers, 1, 5000), TW_OK);
    assert_int_equal(narrow_heap_lazy.start(timers, 0, 1000), TW_OK);
    assert_int_equal(narrow_heap_lazy.stop(timers, 0), TW_OK);
    for (tw_tick now = 1; now <= 127; now++) {
        assert_int_equal(narrow_heap_lazy.start(timers, 0, now), TW_OK);
        narrow_heap_lazy.advance(timers, now, count_fired, &fired);
    }
    assert_int_equal(fired, 127);
    assert_int_equal(narrow_heap_lazy.start(timers, 0, 2000), TW_OK);
    narrow_heap_lazy.advance(timers, 1999, count_fired, &fired);
    assert_int_equal(fired, 127);
    narrow_heap_lazy.advance(timers, 2000, count_fired, &fired);
    assert_int_equal(fired, 128);
    narrow_heap_lazy.close(timers);
}

TEST_MAIN(NULL, NULL)
