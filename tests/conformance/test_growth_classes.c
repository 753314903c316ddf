/*
 * test_growth_classes.c - every design of the registry grows as it says, by what it counts.
 *
 * The counted object of each design is driven over a sweep of n; its work per operation
 * (comparisons, visits, moves, link writes, pointer moves) is fitted as in stats/growth.h.  Random
 * deadlines have to show the average class, and nothing above it.  The adversaries below (deadlines
 * that all go to one slot, that descend, that meet in the middle, that leave one top-level slot at
 * once) must stay within the worst class, and one of them must reach it: a bound that nothing
 * reaches is too high.
 */
#include "harness/base/rng.h"
#include "harness/measure/stats/growth.h"
#include "impls/registry.h"
#include "testing.h"

#define SIZE_LEAST 256
#define SIZES      4
#define SIZE_BEGUN 4096 /* the largest least size: 16 timers in each of 256 slots */
/* From each size to the next; half as far where every tick has to be stepped through. */
#define STEP       4
#define STEP_TICKS 2

/* Random deadlines lie within so many ticks a timer, so that as many fire per tick whatever n.
 * Where ticks are counted that makes 2^17 .. 2^20 ticks: one and the same level of a hierarchy,
 * whose cost depends on the levels in use, which grow with the delays and not with n. */
#define SPREAD 512

/* Longest delay announced: the same for all n, so that no wheel gets more levels with larger n. */
#define HORIZON ((tw_tick)1 << 24)
/* A tick on which every wheel of a power of two up to here begins a new revolution, and a
 * hierarchy of powers of two moves down the slot of an upper level. */
#define TURN ((tw_tick)1 << 20)
/* A whole number of revolutions of the same wheels, and one of 512 slots of a day's seconds. */
#define DAYS ((tw_tick)86400 << 9)
/* Revolutions of a wheel with as many slots as timers that are within the horizon at every size. */
#define TURNS 1024

/* ---- Driving one instance. ------------------------------------------------------------------- */

struct drive {
    const struct tw_backend *design;
    struct tw_timers *timers;
    uint32_t n;
    uint64_t fired;
    struct rng rng;
};

static void count_fired(void *ctx, tw_id id, tw_tick now)
{
    (void)id, (void)now;
    ((struct drive *)ctx)->fired++;
}

static struct drive drive_open(const struct tw_backend *design, uint32_t n)
{
    struct drive drive = {.design = design, .n = n};
    struct tw_config config = {.capacity = n, .horizon = HORIZON};
    struct tw_error error;
    assert_int_equal(design->open(&drive.timers, &config, &error), TW_OK);
    rng_seed(&drive.rng, n, 1);
    return drive;
}

static uint64_t drive_work(const struct drive *drive)
{
    const struct tw_work *work = drive->design->work(drive->timers);
    return work->comparisons + work->visits + work->moves + work->link_writes + work->pointer_moves;
}

static void drive_start(const struct drive *drive, tw_id id, tw_tick deadline)
{
    assert_int_equal(drive->design->start(drive->timers, id, deadline), TW_OK);
}

/* The work of moving the clock to `to`. */
static uint64_t drive_advance(struct drive *drive, tw_tick to)
{
    uint64_t before = drive_work(drive);
    drive->design->advance(drive->timers, to, count_fired, drive);
    return drive_work(drive) - before;
}

/* The work of the advance that fires the first timers, which are due at `due`.  They are let be as
 * late as the design may be with a delay of `due`, for which the clock goes on by single ticks. */
static uint64_t drive_to_first(struct drive *drive, tw_tick before, tw_tick due)
{
    const struct tw_traits *traits = &drive->design->traits;
    tw_tick latest = due + traits->late_ticks;
    latest += traits->late_shift ? due >> traits->late_shift : 0;
    drive_advance(drive, before);
    assert_int_equal(drive->fired, 0);
    uint64_t work = drive_advance(drive, due);
    while (drive->fired == 0 && due < latest)
        work = drive_advance(drive, ++due);
    return work;
}

/* A tick after which every wheel of the design is where it began, as far as the design reaches. */
static tw_tick drive_revolution(const struct drive *drive)
{
    struct tw_description description;
    drive->design->describe(drive->timers, &description);
    return description.span >= 2 * DAYS ? DAYS : TURN;
}

/* ---- Costs: the work per operation of one scenario at one size. ------------------------------ */

static tw_tick random_deadline(struct drive *drive)
{
    return 1 + rng_below(&drive->rng, SPREAD * (uint64_t)drive->n);
}

static void fill_random(struct drive *drive)
{
    for (tw_id id = 0; id < drive->n; id++)
        drive_start(drive, id, random_deadline(drive));
}

static double start_random(struct drive *drive)
{
    fill_random(drive);
    return (double)drive_work(drive) / drive->n;
}

static double stop_random(struct drive *drive)
{
    fill_random(drive);
    uint64_t before = drive_work(drive);
    for (tw_id id = 0; id < drive->n / 2; id++)
        assert_int_equal(drive->design->stop(drive->timers, id), TW_OK);
    return (double)(drive_work(drive) - before) / (drive->n / 2);
}

/* Ticks with and without expiries, apart: those without only of the middle half, where a hierarchy
 * is neither being filled nor running out. */
struct ticks {
    uint64_t busy_work, idle_work, idle_ticks;
};

/* The next tick to go to.  A tickless design that knows where an idle stretch ends jumps to the last but one tick of it, so
 * that its sweep is in n and not in ticks. */
static tw_tick run_step(const struct drive *drive, tw_tick now)
{
    unsigned flags = drive->design->traits.flags;
    if (!(flags & TW_TICKLESS) || !(flags & TW_NEXT_EXACT))
        return now + 1;
    tw_tick next = drive->design->next(drive->timers);
    return next > now + 2 ? next - 2 : now + 1;
}

static struct ticks run_dry(struct drive *drive)
{
    struct ticks ticks = {0, 0, 0};
    const struct tw_traits *traits = &drive->design->traits;
    tw_tick end = SPREAD * (tw_tick)drive->n;
    end += traits->late_ticks + (traits->late_shift ? end >> traits->late_shift : 0);
    tw_tick quarter = SPREAD * (tw_tick)drive->n / 4;
    fill_random(drive);
    for (tw_tick now = 0; drive->fired < drive->n && now < end;) {
        tw_tick last = now;
        now = run_step(drive, now);
        uint64_t before = drive->fired, work = drive_advance(drive, now);
        if (drive->fired > before) {
            ticks.busy_work += work;
        } else if (now == last + 1 && now > quarter && now <= 3 * quarter) {
            ticks.idle_work += work;
            ticks.idle_ticks++;
        }
    }
    assert_int_equal(drive->fired, drive->n);
    return ticks;
}

static double expire_random(struct drive *drive)
{
    return (double)run_dry(drive).busy_work / drive->n;
}

static double tick_random(struct drive *drive)
{
    struct ticks ticks = run_dry(drive);
    return (double)ticks.idle_work / (double)ticks.idle_ticks;
}

/* Each earlier than all before it. */
static double start_descending(struct drive *drive)
{
    for (tw_id id = 0; id < drive->n; id++)
        drive_start(drive, id, TURN - id);
    return (double)drive_work(drive) / drive->n;
}

/* From both ends towards the middle. */
static double start_inwards(struct drive *drive)
{
    for (tw_id id = 0; id < drive->n; id++)
        drive_start(drive, id, id % 2 ? TURN - id : TURN / 2 + id);
    return (double)drive_work(drive) / drive->n;
}

static double start_in_one_slot(struct drive *drive)
{
    for (tw_id id = 0; id < drive->n; id++)
        drive_start(drive, id, TURN);
    return (double)drive_work(drive) / drive->n;
}

/* Multiples of the slots of a wheel of n, from both ends towards the middle. */
static double start_inwards_in_one_slot(struct drive *drive)
{
    for (tw_id id = 0; id < drive->n; id++) {
        uint64_t turn = (id % 2 ? drive->n - id : id) * (uint64_t)TURNS / drive->n;
        drive_start(drive, id, (1 + turn) * drive->n);
    }
    return (double)drive_work(drive) / drive->n;
}

static uint64_t larger(uint64_t a, uint64_t b)
{
    return a > b ? a : b;
}

/* The dearest of all starts of a running timer, each to a random deadline. */
static double start_again(struct drive *drive)
{
    uint64_t dearest = 0;
    fill_random(drive);
    for (tw_id id = 0; id < drive->n; id++) {
        uint64_t before = drive_work(drive);
        int status = drive->design->start(drive->timers, id, random_deadline(drive));
        assert_int_equal(status, TW_REARMED);
        dearest = larger(dearest, drive_work(drive) - before);
    }
    return (double)dearest;
}

/* The dearest of all starts, each later than all before it. */
static double start_ascending(struct drive *drive)
{
    uint64_t dearest = 0;
    for (tw_id id = 0; id < drive->n; id++) {
        uint64_t before = drive_work(drive);
        drive_start(drive, id, 1 + id);
        dearest = larger(dearest, drive_work(drive) - before);
    }
    return (double)dearest;
}

static double dearest_stop(struct drive *drive)
{
    uint64_t dearest = 0;
    for (tw_id id = 0; id < drive->n; id++) {
        uint64_t before = drive_work(drive);
        assert_int_equal(drive->design->stop(drive->timers, id), TW_OK);
        dearest = larger(dearest, drive_work(drive) - before);
    }
    return (double)dearest;
}

static double stop_dearest(struct drive *drive)
{
    fill_random(drive);
    return dearest_stop(drive);
}

/* Always the timer that is due first. */
static double stop_earliest(struct drive *drive)
{
    for (tw_id id = 0; id < drive->n; id++)
        drive_start(drive, id, 1 + id);
    uint64_t before = drive_work(drive);
    for (tw_id id = 0; id < drive->n; id++)
        assert_int_equal(drive->design->stop(drive->timers, id), TW_OK);
    return (double)(drive_work(drive) - before) / drive->n;
}

static double stop_earliest_dearest(struct drive *drive)
{
    for (tw_id id = 0; id < drive->n; id++)
        drive_start(drive, id, 1 + id);
    return dearest_stop(drive);
}

static double stop_in_one_slot(struct drive *drive)
{
    start_in_one_slot(drive);
    uint64_t before = drive_work(drive);
    for (tw_id id = drive->n; id-- > 0;)
        assert_int_equal(drive->design->stop(drive->timers, id), TW_OK);
    return (double)(drive_work(drive) - before) / drive->n;
}

/* All on one tick. */
static double expire_together(struct drive *drive)
{
    start_in_one_slot(drive);
    uint64_t work = drive_to_first(drive, TURN - 1, TURN);
    assert_int_equal(drive->fired, drive->n);
    return (double)work / drive->n;
}

/* One fires; the rest share its slot, revolutions later, and are further off than any slot of a
 * hierarchy that this tick empties. */
static double expire_one_of_a_slot(struct drive *drive)
{
    tw_tick turn = drive_revolution(drive);
    drive_start(drive, 0, turn);
    for (tw_id id = 1; id < drive->n; id++)
        drive_start(drive, id, 2 * turn);
    uint64_t work = drive_to_first(drive, turn - 1, turn);
    assert_int_equal(drive->fired, 1);
    return (double)work;
}

/* Half of them, due on one tick, are stopped before it. */
static void stop_half_due(struct drive *drive, tw_tick due)
{
    for (tw_id id = 0; id < drive->n; id++)
        drive_start(drive, id, id < drive->n / 2 ? due : 2 * TURN);
    for (tw_id id = 1; id < drive->n / 2; id++)
        assert_int_equal(drive->design->stop(drive->timers, id), TW_OK);
}

/* One fires behind all that would have fired a tick earlier. */
static double expire_after_stopped(struct drive *drive)
{
    stop_half_due(drive, TURN - 1);
    assert_int_equal(drive->design->start(drive->timers, 0, TURN), TW_REARMED);
    uint64_t work = drive_to_first(drive, TURN - 2, TURN);
    assert_int_equal(drive->fired, 1);
    return (double)work;
}

/* The work of one tick on which nothing is due. */
static double tick_idle(struct drive *drive, tw_tick tick)
{
    drive_advance(drive, tick - 1);
    uint64_t work = drive_advance(drive, tick);
    assert_int_equal(drive->fired, 0);
    return (double)work;
}

/* Delays of a multiple of the slots. */
static double tick_of_a_full_slot(struct drive *drive)
{
    tw_tick turn = drive_revolution(drive);
    for (tw_id id = 0; id < drive->n; id++)
        drive_start(drive, id, 2 * turn);
    return tick_idle(drive, turn);
}

/* All that would have fired are stopped. */
static double tick_of_stopped(struct drive *drive)
{
    stop_half_due(drive, TURN);
    assert_int_equal(drive->design->stop(drive->timers, 0), TW_OK);
    return tick_idle(drive, TURN);
}

/* The same, each started with a delay of its own. */
static double tick_of_stopped_delays(struct drive *drive)
{
    for (tw_id id = 0; id < drive->n; id++) {
        drive_advance(drive, id + 1);
        drive_start(drive, id, id % 2 ? TURN : 2 * TURN);
    }
    for (tw_id id = 1; id < drive->n; id += 2)
        assert_int_equal(drive->design->stop(drive->timers, id), TW_OK);
    return tick_idle(drive, TURN);
}

/* All timers leave one slot of an upper level, however few ticks it is worth. */
static double tick_of_a_cascade(struct drive *drive)
{
    for (tw_id id = 0; id < drive->n; id++)
        drive_start(drive, id, TURN + 1 + id % 255);
    return tick_idle(drive, TURN);
}

/* The same for a hierarchy of twenties, on whose upper slots no power of two falls. */
static double tick_of_a_cascade_of_twenties(struct drive *drive)
{
    const tw_tick turn = 20 * 20 * 20 * 20 * 20;
    for (tw_id id = 0; id < drive->n; id++)
        drive_start(drive, id, turn + 1 + id % 255);
    return tick_idle(drive, turn);
}

/* All timers are in the slot of a hierarchy that comes after the one that begins with the tick: what
 * is demoted ahead of time is on its way then. */
static double tick_before_a_cascade(struct drive *drive)
{
    for (tw_id id = 0; id < drive->n; id++)
        drive_start(drive, id, TURN + 257 + id % 255);
    return tick_idle(drive, TURN);
}

/* The same with 64^3 single ticks in between: what lies beyond two windows of so many moves into the second. */
static double tick_of_a_turn(struct drive *drive)
{
    for (tw_id id = 0; id < drive->n; id++)
        drive_start(drive, id, TURN + 64 * 64 * 64 + id % 255);
    return tick_idle(drive, TURN);
}

/* ---- Holding designs to their classes. ------------------------------------------------------- */

struct scenario {
    const char *name;
    double (*cost)(struct drive *drive);
    uint32_t step;
};

#define WORST_MAX 7

struct operation {
    const char *name;
    size_t offset; /* of its cost in the traits */
    struct scenario average, worst[WORST_MAX];
};

#define COST(operation) offsetof(struct tw_traits, operation)

static const struct operation operations[] = {
    {"start",
     COST(start),
     {"random deadlines", start_random, STEP},
     {{"descending deadlines", start_descending, STEP},
      {"deadlines towards the middle", start_inwards, STEP},
      {"all in one slot", start_in_one_slot, STEP},
      {"multiples of the slots", start_inwards_in_one_slot, STEP},
      {"the dearest of a running one", start_again, STEP},
      {"the dearest of ascending ones", start_ascending, STEP}}},
    {"stop",
     COST(stop),
     {"half of random ones", stop_random, STEP},
     {{"always the earliest", stop_earliest, STEP},
      {"the dearest of these", stop_earliest_dearest, STEP},
      {"all in one slot", stop_in_one_slot, STEP},
      {"the dearest of random ones", stop_dearest, STEP}}},
    {"expire",
     COST(expire),
     {"random deadlines", expire_random, STEP_TICKS},
     {{"all on one tick", expire_together, STEP},
      {"one of a full slot", expire_one_of_a_slot, STEP},
      {"one behind stopped ones", expire_after_stopped, STEP}}},
    {"tick",
     COST(tick),
     {"random deadlines", tick_random, STEP_TICKS},
     {{"multiples of the slots", tick_of_a_full_slot, STEP},
      {"cascade", tick_of_a_cascade, STEP},
      {"cascade of twenties", tick_of_a_cascade_of_twenties, STEP},
      {"before a cascade", tick_before_a_cascade, STEP},
      {"a turn of windows", tick_of_a_turn, STEP},
      {"all due were stopped", tick_of_stopped, STEP},
      {"all due were stopped, each of another delay", tick_of_stopped_delays, STEP}}},
};

/* A short sweep cannot tell O(n) from O(n log n); where ticks need not be stepped through, it need
 * not be short. */
static uint32_t sweep_step(const struct tw_backend *design, const struct scenario *scenario,
                           enum tw_growth bound)
{
    return bound == TW_O_N && (design->traits.flags & TW_TICKLESS) ? STEP : scenario->step;
}

/* Fits the scenario and says what was counted; answers whether it is at most `bound`. */
static bool stays_within(const struct tw_backend *design, const char *operation,
                         const struct scenario *scenario, enum tw_growth bound, uint32_t least,
                         enum tw_growth *measured)
{
    struct growth_point points[SIZES];
    size_t count = 0;
    uint32_t step = sweep_step(design, scenario, bound);
    for (uint32_t n = least; count < SIZES; n *= step) {
        struct drive drive = drive_open(design, n);
        double work = scenario->cost(&drive);
        design->close(drive.timers);
        points[count++] = (struct growth_point){n, work, work, work};
    }
    struct growth_fit fit = growth_fit(points, count);
    print_message("# %s.%s, %s:", design->name, operation, scenario->name);
    for (size_t i = 0; i < count; i++)
        print_message(" %.4g", points[i].y);
    if (fit.classes == 0)
        return print_message(": no class\n"), false;
    print_message(": %s to %s, declared %s\n", growth_class_name(growth_lowest(&fit)),
                  growth_class_name(growth_highest(&fit)), growth_class_name(bound));
    *measured = growth_lowest(&fit);
    return growth_at_most(&fit, points, count, bound) == GROWTH_HOLDS;
}

static const struct tw_cost *declared_cost(const struct tw_backend *design,
                                           const struct operation *operation)
{
    return (const struct tw_cost *)(const void *)((const char *)&design->traits +
                                                  operation->offset);
}

static void check_operation(const struct tw_backend *design, const struct operation *operation)
{
    const struct tw_cost *declared = declared_cost(design, operation);
    enum tw_growth measured = TW_O_1;
    for (uint32_t n = SIZE_LEAST;
         n == SIZE_LEAST || (n <= SIZE_BEGUN && measured < declared->average); n *= STEP)
        assert_true(stays_within(design, operation->name, &operation->average, declared->average, n,
                                 &measured));
    assert_int_equal(measured, declared->average);
    enum tw_growth reached = measured;
    for (size_t i = 0; i < WORST_MAX && operation->worst[i].cost; i++) {
        assert_true(stays_within(design, operation->name, &operation->worst[i], declared->worst,
                                 SIZE_LEAST, &measured));
        reached = measured > reached ? measured : reached;
    }
    assert_int_equal(reached, declared->worst);
}

static void test_design_grows_as_declared(void **state)
{
    const struct tw_design *entry = *state;
    for (size_t i = 0; i < sizeof operations / sizeof *operations; i++)
        check_operation(entry->counted, &operations[i]);
}

int main(void)
{
    struct CMUnitTest *tests = calloc(registry_count, sizeof *tests);
    size_t count = 0;
    for (size_t i = 0; tests && i < registry_count; i++)
        if (!(registry[i].counted->traits.flags & TW_KEEPS_NOTHING))
            tests[count++] = (struct CMUnitTest){
                .name = registry[i].counted->name,
                .test_func = test_design_grows_as_declared,
                .initial_state = (void *)(uintptr_t)&registry[i],
            };
    int failed = tests ? _cmocka_run_group_tests("growth classes", tests, count, NULL, NULL) : 1;
    free(tests);
    return failed;
}
