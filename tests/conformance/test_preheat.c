/*
 * test_preheat.c - hier-preheat's guarantee: how many timers a single tick moves at most.
 *
 * The bound is the one of the design's header, computed here from the levels alone; the counted
 * object says what each tick moved.  Each fill is driven through hier as well, where one tick does
 * move more than the bound allows: a fill that does not stall hier would prove nothing.
 */
#include "harness/base/rng.h"
#include "impls/registry.h"
#include "testing.h"

#define TIMERS 20000u
#define LEVELS 3u

struct plan {
    const char *name;
    struct tw_setting levels;
    void (*tick)(const struct plan *plan, void *drive, tw_tick now); /* what to do after a tick */
    tw_tick ticks;
    uint64_t step;
    uint64_t reached; /* share of the bound that some tick moves at least, in percent */
};

struct drive {
    const struct tw_backend *design;
    struct tw_timers *timers;
    uint64_t running, fired;
    uint64_t moved_most; /* by one tick */
    uint64_t over;       /* ticks that moved more than the bound */
    uint64_t bound_most;
    struct rng rng;
};

static void count_fired(void *ctx, tw_id id, tw_tick now)
{
    struct drive *drive = ctx;
    (void)id, (void)now;
    drive->fired++;
    drive->running--;
}

static void start(struct drive *drive, tw_id id, tw_tick due)
{
    int status = drive->design->start(drive->timers, id, due);
    assert_true(status == TW_OK || status == TW_REARMED);
    drive->running += status == TW_OK;
}

/* ---- Fills. ---------------------------------------------------------------------------------- */

/* Ticks of a revolution of that level. */
static tw_tick revolution(const struct plan *plan, uint32_t level)
{
    tw_tick ticks = 1;
    for (uint32_t i = 0; i <= level; i++)
        ticks *= plan->levels.values[i];
    return ticks;
}

/* All into one slot of a level, on the last tick on which it still takes any: one later they would
 * go below.  Due from its first tick on, one after another. */
static void fill_late(const struct plan *plan, struct drive *drive, tw_tick now, uint32_t level)
{
    tw_tick ticks = revolution(plan, level - 1);
    if (now != ticks - 1)
        return;
    for (tw_id id = 0; id < TIMERS; id++)
        start(drive, id, 2 * ticks + id % ticks);
}

static void fill_level_1_late(const struct plan *plan, void *drive, tw_tick now)
{
    fill_late(plan, drive, now, 1);
}

static void fill_level_2_late(const struct plan *plan, void *drive, tw_tick now)
{
    fill_late(plan, drive, now, 2);
}

/* As late, and all on the first tick of the slot. */
static void fill_one_tick(const struct plan *plan, void *drive, tw_tick now)
{
    tw_tick ticks = revolution(plan, 0);
    for (tw_id id = 0; now == ticks - 1 && id < TIMERS; id++)
        start(drive, id, 2 * ticks);
}

/* All of both levels' slots come up with the same tick. */
static void fill_both(const struct plan *plan, void *drive, tw_tick now)
{
    tw_tick fine = revolution(plan, 0), coarse = revolution(plan, 1);
    for (tw_id id = 0; now == coarse - fine - 1 && id < TIMERS / 2; id++)
        start(drive, id, coarse + id % fine);
    for (tw_id id = TIMERS / 2; now == coarse - 1 && id < TIMERS; id++)
        start(drive, id, 2 * coarse + id % fine);
}

/* Into one slot again and again: it is given each timer five times, and holds it once. */
static void fill_again(const struct plan *plan, void *drive, tw_tick now)
{
    for (int i = 0; i < 5; i++)
        fill_late(plan, drive, now, 1);
}

/* Starts, re-arms and stops of all kinds. */
static void fill_random(const struct plan *plan, void *ctx, tw_tick now)
{
    struct drive *drive = ctx;
    for (int i = 0; i < 100; i++) {
        tw_id id = (tw_id)rng_below(&drive->rng, TIMERS);
        tw_tick limit = revolution(plan, (uint32_t)rng_below(&drive->rng, LEVELS));
        if (rng_below(&drive->rng, 4) > 0)
            start(drive, id, now + 1 + rng_below(&drive->rng, limit));
        else
            drive->running -= drive->design->stop(drive->timers, id) == TW_OK;
    }
}

/* ---- Holding every tick to the bound. -------------------------------------------------------- */

static struct drive drive_open(const char *name, const struct plan *plan)
{
    struct drive drive = {.design = registry_find(name)->counted};
    struct tw_setting settings[] = {plan->levels, {"step", 1, {plan->step}}};
    bool takes_step = drive.design->params[1].name;
    struct tw_config config = {
        .capacity = TIMERS, .settings = settings, .setting_count = takes_step ? 2 : 1};
    struct tw_error error;
    assert_int_equal(drive.design->open(&drive.timers, &config, &error), TW_OK);
    rng_seed(&drive.rng, 1, 1);
    return drive;
}

static void drive_run(struct drive *drive, const struct plan *plan)
{
    uint64_t running[LEVELS] = {0}; /* when the present revolution of each level began */
    const struct tw_work *work = drive->design->work(drive->timers);
    for (tw_tick now = 1; now <= plan->ticks; now++) {
        uint64_t before = work->moves, bound = 0;
        for (uint32_t i = 0; i + 1 < LEVELS; i++) {
            tw_tick ticks = revolution(plan, i);
            if (now % ticks == 0)
                running[i] = drive->running;
            uint64_t rate = (running[i] + ticks - 1) / ticks;
            bound += rate > plan->step ? rate : plan->step;
        }
        drive->design->advance(drive->timers, now, count_fired, drive);
        uint64_t moved = work->moves - before;
        drive->over += moved > bound;
        if (moved > drive->moved_most)
            drive->moved_most = moved;
        if (bound > drive->bound_most)
            drive->bound_most = bound;
        plan->tick(plan, drive, now);
    }
    drive->design->close(drive->timers);
}

static void no_tick_moves_more_than_the_bound(void **state)
{
    const struct plan *plan = *state;
    struct drive drive = drive_open("hier-preheat", plan), hier = drive_open("hier", plan);
    drive_run(&drive, plan);
    drive_run(&hier, plan);
    print_message("# %s: at most %u of %u moved by a tick, bound %u; hier %u\n", plan->name,
                  (unsigned)drive.moved_most, TIMERS, (unsigned)drive.bound_most,
                  (unsigned)hier.moved_most);
    assert_int_equal(drive.over, 0);
    assert_true(drive.fired > 0);
    assert_int_equal(drive.fired, hier.fired);
    assert_true(100 * drive.moved_most >= plan->reached * drive.bound_most);
    assert_true(hier.over > 0);
}

#define SIZES(a, b, c)                                                                             \
    {                                                                                              \
        "levels", LEVELS,                                                                          \
        {                                                                                          \
            a, b, c                                                                                \
        }                                                                                          \
    }

static const struct plan plans[] = {
    {"slot of level 1 with the least time", SIZES(256, 64, 64), fill_level_1_late, 1000, 1, 90},
    {"the same on 16 slots", SIZES(16, 16, 16), fill_level_1_late, 1000, 1, 90},
    {"the same on 2 slots", SIZES(2, 3, 5), fill_level_1_late, 20, 1, 70},
    {"slot of level 2 with the least time", SIZES(16, 16, 16), fill_level_2_late, 1000, 1, 5},
    {"all on one tick", SIZES(60, 60, 24), fill_one_tick, 1000, 1, 90},
    {"slots of both levels at once", SIZES(16, 16, 16), fill_both, 1000, 1, 40},
    {"the same slot again and again", SIZES(60, 60, 24), fill_again, 1000, 1, 90},
    {"random", SIZES(16, 16, 16), fill_random, 20000, 1, 5},
    {"random in steps of 20", SIZES(60, 60, 24), fill_random, 20000, 20, 5},
};

int main(void)
{
    struct CMUnitTest tests[sizeof plans / sizeof *plans];
    for (size_t i = 0; i < sizeof plans / sizeof *plans; i++)
        tests[i] = (struct CMUnitTest){.name = plans[i].name,
                                       .test_func = no_tick_moves_more_than_the_bound,
                                       .initial_state = (void *)(uintptr_t)&plans[i]};
    return cmocka_run_group_tests_name("preheat", tests, NULL, NULL);
}
