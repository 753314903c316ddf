/* test_windows.c - that coalesce wakes up as seldom as windows allow, and that slack-wheel fires in them. */
#include "impls/registry.h"
#include "testing.h"

#include "harness/base/rng.h"

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
    const struct tw_slack *slack = registry_slack(design);
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

static void test_no_set_of_wakeups_is_smaller(void **state)
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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_no_set_of_wakeups_is_smaller),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
