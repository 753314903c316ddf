/*
 * test_pointer_moves.c - what turning a wheel costs, by the counts of the counted objects.
 *
 * The example of a clock: one task 3 days, 10 hours, 50 minutes and 30 seconds ahead, at a tick of
 * a second.  A pointer that is moved tick by tick takes 298,230 steps.  On wheels of days, hours,
 * minutes and seconds that are driven to what they hold, it is 3 + 10 + 50 + 30 of them.
 */
#include "impls/registry.h"
#include "testing.h"

#define MINUTE ((tw_tick)60)
#define HOUR   (60 * MINUTE)
#define DAY    (24 * HOUR)

#define EXAMPLE (3 * DAY + 10 * HOUR + 50 * MINUTE + 30)
#define TURNS   (3 + 10 + 50 + 30)

static const struct tw_setting clock_levels = {"levels", 4, {60, 60, 24, 10}};

struct drive {
    const struct tw_backend *design;
    struct tw_timers *timers;
    uint64_t fired, wake_ups;
    tw_tick last; /* tick of the last expiry */
};

static void fired_at(void *ctx, tw_id id, tw_tick now)
{
    struct drive *drive = ctx;
    (void)id;
    drive->fired++;
    drive->last = now;
}

/* Timer 0 of the counted design of that name, started for `due`. */
static struct drive drive_open(const char *name, const struct tw_setting *setting, tw_tick due)
{
    struct drive drive = {.design = registry_find(name)->counted};
    struct tw_config config = {
        .capacity = 4, .settings = setting, .setting_count = setting ? 1 : 0};
    struct tw_error error;
    assert_int_equal(drive.design->open(&drive.timers, &config, &error), TW_OK);
    assert_int_equal(drive.design->start(drive.timers, 0, due), TW_OK);
    return drive;
}

static void drive_to(struct drive *drive, tw_tick to)
{
    drive->design->advance(drive->timers, to, fired_at, drive);
    drive->wake_ups++;
}

static void drive_by_ticks(struct drive *drive, tw_tick to)
{
    for (tw_tick now = 1; now <= to; now++)
        drive_to(drive, now);
}

static void drive_by_next(struct drive *drive)
{
    for (tw_tick next; (next = drive->design->next(drive->timers)) != TW_NEVER;)
        drive_to(drive, next);
}

static uint64_t drive_close(struct drive *drive, tw_tick last)
{
    uint64_t moves = drive->design->work(drive->timers)->pointer_moves;
    assert_int_equal(drive->fired, 1);
    assert_int_equal(drive->last, last);
    drive->design->close(drive->timers);
    return moves;
}

TEST(one_wheel_turns_every_second)
{
    const struct tw_setting slots = {"slots", 1, {512}};
    struct drive drive = drive_open("hashed", &slots, EXAMPLE);
    drive_by_ticks(&drive, EXAMPLE);
    assert_int_equal(drive.wake_ups, 298230);
    assert_int_equal(drive_close(&drive, EXAMPLE), 298230);
}

TEST(hier_driven_by_next_turns_93_times)
{
    assert_int_equal(TURNS, 93);
    struct drive drive = drive_open("hier", &clock_levels, EXAMPLE);
    drive_by_next(&drive);
    assert_int_equal(drive.wake_ups, 1);
    assert_int_equal(drive_close(&drive, EXAMPLE), TURNS);
}

TEST(hier_turns_as_often_in_one_jump)
{
    struct drive drive = drive_open("hier", &clock_levels, EXAMPLE);
    drive_to(&drive, EXAMPLE);
    assert_int_equal(drive_close(&drive, EXAMPLE), TURNS);
}

/* Each tick is a step of the finest wheel; the turns of the others come on top. */
TEST(hier_by_ticks_steps_every_tick)
{
    struct drive drive = drive_open("hier", &clock_levels, EXAMPLE);
    drive_by_ticks(&drive, EXAMPLE);
    uint64_t moves = drive_close(&drive, EXAMPLE);
    assert_in_range(moves, EXAMPLE, EXAMPLE + EXAMPLE / MINUTE + EXAMPLE / HOUR + EXAMPLE / DAY);
}

/* A level that held something is looked through again only if something new came to it. */
TEST(hier_forgets_a_level_that_ran_empty)
{
    struct drive drive = drive_open("hier", &clock_levels, 30);
    drive_by_next(&drive);
    assert_int_equal(drive.design->start(drive.timers, 0, DAY), TW_OK);
    drive.fired = 0;
    drive_by_next(&drive);
    /* 30 s, then the rest of the minute, which is looked through, then a day. */
    assert_int_equal(drive_close(&drive, DAY), 30 + 29 + 1);
}

/* One task 500 s away on wheels of 1 s: one wake-up and not 500, if the finest wheel reaches it; on
 * wheels of 20, Kafka's, one for each wheel that it comes down from.  An earlier task, and only
 * that, brings the next wake-up forward. */
TEST(queue_wakes_up_for_what_is_there)
{
    const struct tw_setting wide = {"levels", 1, {512}};
    struct drive drive = drive_open("hier-queue", &wide, 500);
    assert_int_equal(drive.design->next(drive.timers), 500);
    assert_int_equal(drive.design->start(drive.timers, 1, 400), TW_OK);
    assert_int_equal(drive.design->next(drive.timers), 400);
    assert_int_equal(drive.design->start(drive.timers, 2, 450), TW_OK);
    assert_int_equal(drive.design->next(drive.timers), 400);
    assert_int_equal(drive.design->stop(drive.timers, 1), TW_OK);
    assert_int_equal(drive.design->stop(drive.timers, 2), TW_OK);
    drive_by_next(&drive);
    assert_int_equal(drive.wake_ups, 1);
    assert_int_equal(drive_close(&drive, 500), 1);
    drive = drive_open("hier-queue", NULL, 500);
    drive_by_next(&drive);
    assert_int_equal(drive.wake_ups, 2);           /* at 400, and at 500 */
    assert_int_equal(drive_close(&drive, 500), 3); /* 400, 500 of wheel 1, 500 of wheel 0 */
}

/* However long the time, nothing is stepped through. */
TEST(queue_passes_empty_time_at_once)
{
    struct drive drive = drive_open("hier-queue", NULL, EXAMPLE);
    drive_by_ticks(&drive, EXAMPLE);
    assert_in_range(drive_close(&drive, EXAMPLE), 1, 5);
}

TEST_MAIN(NULL, NULL)
