/* test_pace.c - the loop takes time, and what is decided from its readings. */
#include "harness/measure/run/pace.h"
#include "testing.h"

#include "harness/measure/run/cycles.h"

/* ---- The loop. --------------------------------------------------------------------------------- */

/* 8000 additions.  Cores that add constants while they rename registers do 8 in a cycle, over 20 in a nanosecond; none does
 * 100, and a loop that the compiler dropped would take a clock's reading alone. */
#define LOOP_NS_MIN (8000.0 / 100)

/* Three such loops, of which the reading is the fastest, took no longer than all of the call: that and the bound hold
 * however slow or uneven the machine is. */
TEST(test_the_loop_is_done)
{
    for (int i = 0; i < 100; i++) {
        uint64_t begin_ns = clock_read_ns(CLOCK_MONOTONIC);
        double pace_ns = pace_read_ns();
        uint64_t taken_ns = clock_read_ns(CLOCK_MONOTONIC) - begin_ns;
        assert_true(pace_ns > LOOP_NS_MIN);
        assert_true(3 * pace_ns <= (double)taken_ns);
    }
}

/* ---- What is made of readings. ----------------------------------------------------------------- */

/* A core with these paces, one after the other and the last for ever, whose clock goes on by `step_ns` at
 * each reading. */
struct scene {
    double paces_ns[6];
    size_t count, read;
    uint64_t now_ns, step_ns;
};

static double scene_pace(void *ctx)
{
    struct scene *scene = ctx;
    size_t at = scene->read < scene->count ? scene->read : scene->count - 1;
    scene->read++;
    scene->now_ns += scene->step_ns;
    return scene->paces_ns[at];
}

static uint64_t scene_now(void *ctx)
{
    return ((struct scene *)ctx)->now_ns;
}

static struct pace_source source_of(struct scene *scene)
{
    return (struct pace_source){scene_pace, scene_now, scene};
}

TEST(test_what_is_full)
{
    assert_true(pace_is_full(700, 750) && pace_is_full(787, 750));
    assert_false(pace_is_full(789, 750));
}

TEST(test_the_full_pace_is_the_best_of_20_ms)
{
    struct scene scene = {{1500, 1100, 750, 1100, 1500, 700}, 6, 0, 77, 5000000};
    struct pace_source source = source_of(&scene);
    assert_true(pace_calibrate_on(&source) == 750);
    assert_int_equal(scene.read, 4);
    /* A stall of any length ends it with what there is. */
    scene = (struct scene){{1500, 700}, 2, 0, 77, 1000000000};
    assert_true(pace_calibrate_on(&source) == 1500);
}

TEST(test_a_wait_ends_with_the_full_pace)
{
    struct scene scene = {{1500, 1100, 789, 787, 1500}, 5, 0, 77, 10000};
    struct pace_source source = source_of(&scene);
    assert_true(pace_wait_on(&source, 750, 77 + 1000000));
    assert_int_equal(scene.read, 4);
}

TEST(test_a_wait_ends_at_its_deadline)
{
    struct scene scene = {{1500, 1100, 789}, 3, 0, 77, 10000};
    struct pace_source source = source_of(&scene);
    assert_false(pace_wait_on(&source, 750, 77 + 1000000));
    assert_int_equal(scene.read, 100);
    /* Past it there is one look yet. */
    scene.read = 0;
    assert_false(pace_wait_on(&source, 750, 0));
    assert_int_equal(scene.read, 1);
    scene.paces_ns[0] = 750;
    scene.read = 0;
    assert_true(pace_wait_on(&source, 750, 0));
}

/* No core does the loop in a nanosecond, and every core does it in 10^300. */
TEST(test_a_wait_on_this_core_ends)
{
    uint64_t begin_ns = clock_read_ns(CLOCK_MONOTONIC);
    assert_false(pace_wait(1, begin_ns + 5000000));
    assert_true(clock_read_ns(CLOCK_MONOTONIC) - begin_ns >= 5000000);
    assert_true(pace_wait(1e300, 0));
    begin_ns = clock_read_ns(CLOCK_MONOTONIC);
    assert_true(pace_calibrate_ns() > LOOP_NS_MIN);
    assert_true(clock_read_ns(CLOCK_MONOTONIC) - begin_ns >= 20000000);
}

TEST_MAIN(NULL, NULL)
