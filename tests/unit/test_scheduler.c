/*
 * test_scheduler.c - tasks over every design: written examples, and random ones against a model
 * that looks at all tasks on every tick.
 */
#include "harness/measure/sched/scheduler.h"
#include "testing.h"

#include "harness/base/rng.h"
#include "harness/measure/run/instance.h"
#include "impls/registry.h"

#define LOG_MAX 20000

/* ---- A design with a scheduler over it, and the log of the runs. ----------------------------- */

struct entry {
    int name;
    tw_tick due, start;
    uint64_t number, missed;
};

struct journal {
    size_t count;
    struct entry entries[LOG_MAX];
};

struct bench {
    const struct tw_backend *design;
    struct tw_timers *timers;
    struct scheduler *scheduler;
};

static struct bench bench_open(const struct tw_backend *design, uint32_t capacity, tw_tick now)
{
    struct bench bench = {.design = design};
    struct tw_config config = {.capacity = capacity, .now = now, .horizon = 1000};
    struct tw_error error;
    assert_int_equal(design->open(&bench.timers, &config, &error), TW_OK);
    bench.scheduler = scheduler_open(design, bench.timers, capacity, now);
    assert_non_null(bench.scheduler);
    return bench;
}

static void bench_close(struct bench *bench)
{
    scheduler_close(bench->scheduler);
    assert_true(bench->design->next(bench->timers) == TW_NEVER);
    assert_null(bench->design->check(bench->timers));
    bench->design->close(bench->timers);
}

static bool is_exact(const struct tw_traits *traits)
{
    return !traits->late_ticks && !traits->late_shift && !(traits->flags & TW_KEEPS_NOTHING);
}

/* The counted objects: they are the same source, and what they count is checked elsewhere. */
static void for_each_exact_design(void (*test)(const struct tw_backend *design))
{
    size_t tested = 0;
    for (size_t i = 0; i < registry_count; i++)
        if (is_exact(&registry[i].counted->traits)) {
            test(registry[i].counted);
            tested++;
        }
    assert_true(tested >= 5);
}

static const struct tw_backend *any_design(void)
{
    return registry_find("heap")->timed;
}

/* ---- Written examples. ----------------------------------------------------------------------- */

/* A task that takes `takes[i]` ticks in its run i, the last value for all further ones. */
struct worker {
    struct journal *journal;
    int name;
    size_t take_count;
    uint64_t takes[8];
};

static void journal_add(struct journal *journal, int name, const struct schedule_run *run)
{
    assert_true(journal->count < LOG_MAX);
    journal->entries[journal->count++] =
        (struct entry){name, run->due, run->start, run->number, run->missed};
}

static uint64_t work(void *ctx, struct scheduler *scheduler, const struct schedule_run *run)
{
    struct worker *worker = ctx;
    assert_true(scheduler_now(scheduler) == run->start);
    journal_add(worker->journal, worker->name, run);
    size_t i = run->number - 1;
    return worker->take_count == 0
               ? 0
               : worker->takes[i < worker->take_count ? i : worker->take_count - 1];
}

static struct journal *journal_new(void)
{
    struct journal *journal = calloc(1, sizeof *journal);
    assert_non_null(journal);
    return journal;
}

static void assert_starts(const struct journal *journal, const tw_tick *starts, size_t count)
{
    assert_int_equal(journal->count, count);
    for (size_t i = 0; i < count; i++)
        assert_int_equal(journal->entries[i].start, starts[i]);
}

#define ASSERT_STARTS(journal, ...)                                                                \
    assert_starts(journal, (const tw_tick[]){__VA_ARGS__},                                         \
                  sizeof((const tw_tick[]){__VA_ARGS__}) / sizeof(tw_tick))

/* T16: run k of a fixed rate begins at t0 + k * period, however long the runs are below a period. */
static void rate_case(const struct tw_backend *design)
{
    struct bench bench = bench_open(design, 4, 100);
    struct journal *journal = journal_new();
    struct worker worker = {journal, 0, 3, {0, 3, 9}};
    struct schedule schedule = {.kind = SCHEDULE_AT_FIXED_RATE,
                                .delay = 5,
                                .period = 10,
                                .times = SCHEDULE_FOR_EVER,
                                .run = work,
                                .ctx = &worker};
    assert_int_equal(scheduler_add(bench.scheduler, &schedule, NULL), SCHEDULER_OK);
    scheduler_advance(bench.scheduler, 155);
    ASSERT_STARTS(journal, 105, 115, 125, 135, 145, 155);
    /* The last run began at 155 and took 9 ticks. */
    assert_int_equal(scheduler_now(bench.scheduler), 164);
    struct scheduler_totals totals = scheduler_totals(bench.scheduler);
    assert_int_equal(totals.runs, 6);
    assert_int_equal(totals.late_runs, 0);
    assert_int_equal(totals.busy_ticks, 3 + 4 * 9);
    bench_close(&bench);
    free(journal);
}

/* T16: a fixed delay counts from the end of the run before. */
static void delay_case(const struct tw_backend *design)
{
    struct bench bench = bench_open(design, 4, 100);
    struct journal *journal = journal_new();
    struct worker worker = {journal, 0, 3, {0, 3, 25}};
    struct schedule schedule = {.kind = SCHEDULE_WITH_FIXED_DELAY,
                                .delay = 5,
                                .period = 10,
                                .times = SCHEDULE_FOR_EVER,
                                .run = work,
                                .ctx = &worker};
    assert_int_equal(scheduler_add(bench.scheduler, &schedule, NULL), SCHEDULER_OK);
    scheduler_advance(bench.scheduler, 163);
    ASSERT_STARTS(journal, 105, 115, 128, 163);
    assert_int_equal(scheduler_totals(bench.scheduler).late_max_ticks, 0);
    bench_close(&bench);
    free(journal);
}

/* A run of 35 ticks at a rate of 10: the runs due at 20, 30 and 40 are late (to 45), or left out. */
static void catch_up_case(const struct tw_backend *design)
{
    for (unsigned catch_up = SCHEDULE_BURST; catch_up <= SCHEDULE_SKIP; catch_up++) {
        struct bench bench = bench_open(design, 4, 0);
        struct journal *journal = journal_new();
        struct worker worker = {journal, 0, 2, {35, 1}};
        struct schedule schedule = {.kind = SCHEDULE_AT_FIXED_RATE,
                                    .catch_up = catch_up,
                                    .delay = 10,
                                    .period = 10,
                                    .times = SCHEDULE_FOR_EVER,
                                    .run = work,
                                    .ctx = &worker};
        assert_int_equal(scheduler_add(bench.scheduler, &schedule, NULL), SCHEDULER_OK);
        scheduler_advance(bench.scheduler, 69);
        struct scheduler_totals totals = scheduler_totals(bench.scheduler);
        if (catch_up == SCHEDULE_BURST) {
            ASSERT_STARTS(journal, 10, 45, 46, 47, 50, 60);
            assert_int_equal(totals.late_max_ticks, 25);
            assert_int_equal(totals.late_runs, 3);
            assert_true(totals.late_mean_ticks * 6 > 47.999 && totals.late_mean_ticks * 6 < 48.001);
            assert_int_equal(totals.missed, 0);
        } else {
            ASSERT_STARTS(journal, 10, 50, 60);
            assert_int_equal(totals.late_runs, 0);
            assert_int_equal(totals.missed, 3);
            assert_int_equal(journal->entries[1].missed, 3);
        }
        bench_close(&bench);
        free(journal);
    }
}

/* A run that ends on the very tick on which the next is due has missed nothing. */
static void full_load_case(const struct tw_backend *design)
{
    for (unsigned catch_up = SCHEDULE_BURST; catch_up <= SCHEDULE_SKIP; catch_up++) {
        struct bench bench = bench_open(design, 4, 0);
        struct journal *journal = journal_new();
        struct worker worker = {journal, 0, 1, {2}};
        struct schedule schedule = {.kind = SCHEDULE_AT_FIXED_RATE,
                                    .catch_up = catch_up,
                                    .delay = 1,
                                    .period = 2,
                                    .times = 4,
                                    .run = work,
                                    .ctx = &worker};
        assert_int_equal(scheduler_add(bench.scheduler, &schedule, NULL), SCHEDULER_OK);
        scheduler_advance(bench.scheduler, 50);
        ASSERT_STARTS(journal, 1, 3, 5, 7);
        assert_int_equal(scheduler_count(bench.scheduler), 0);
        bench_close(&bench);
        free(journal);
    }
}

/* T15: with one thread a slow task delays those behind it, the earliest due first, ties as armed. */
static void slow_neighbour_case(const struct tw_backend *design)
{
    static const uint64_t delays[] = {1, 7, 5, 5};
    struct bench bench = bench_open(design, 4, 0);
    struct journal *journal = journal_new();
    struct worker workers[4];
    for (int i = 0; i < 4; i++) {
        workers[i] = (struct worker){journal, i, 1, {i == 0 ? 20 : 2}};
        struct schedule schedule = {.delay = delays[i], .run = work, .ctx = &workers[i]};
        assert_int_equal(scheduler_add(bench.scheduler, &schedule, NULL), SCHEDULER_OK);
    }
    scheduler_advance(bench.scheduler, 30);
    ASSERT_STARTS(journal, 1, 21, 23, 25);
    static const int order[] = {0, 2, 3, 1};
    for (int i = 0; i < 4; i++)
        assert_int_equal(journal->entries[i].name, order[i]);
    assert_int_equal(scheduler_totals(bench.scheduler).late_max_ticks, 18);
    bench_close(&bench);
    free(journal);
}

/* A design that is late by three ticks, as those that round deadlines are. */
struct late_layer {
    struct layer_below layer;
};

static int late_start(struct tw_timers *timers, tw_id id, tw_tick deadline)
{
    struct late_layer *late = (struct late_layer *)timers;
    return late->layer.design->start(late->layer.inner, id, deadline + 3);
}

/* Its lateness is seen in every run and adds up in none: the rate is kept from t0 on. */
TEST(test_late_design)
{
    struct bench bench = bench_open(any_design(), 1, 0);
    struct tw_backend table = layer_table(any_design());
    struct late_layer late = {{any_design(), bench.timers}};
    struct journal *journal = journal_new();
    struct worker worker = {journal, 0, 0, {0}};
    struct schedule schedule = {.kind = SCHEDULE_AT_FIXED_RATE,
                                .delay = 10,
                                .period = 10,
                                .times = 4,
                                .run = work,
                                .ctx = &worker};
    table.start = late_start;
    struct scheduler *scheduler = scheduler_open(&table, (struct tw_timers *)&late, 1, 0);
    assert_non_null(scheduler);
    assert_int_equal(scheduler_add(scheduler, &schedule, NULL), SCHEDULER_OK);
    scheduler_advance(scheduler, 100);
    ASSERT_STARTS(journal, 13, 23, 33, 43);
    assert_int_equal(journal->entries[3].due, 40);
    struct scheduler_totals totals = scheduler_totals(scheduler);
    assert_int_equal(totals.late_max_ticks, 3);
    assert_int_equal(totals.late_runs, 4);
    scheduler_close(scheduler);
    bench_close(&bench);
    free(journal);
}

TEST(test_fixed_rate)
{
    for_each_exact_design(rate_case);
}

TEST(test_fixed_delay)
{
    for_each_exact_design(delay_case);
}

TEST(test_catch_up)
{
    for_each_exact_design(catch_up_case);
}

TEST(test_full_load)
{
    for_each_exact_design(full_load_case);
}

TEST(test_slow_neighbour)
{
    for_each_exact_design(slow_neighbour_case);
}

struct wanted {
    tw_id id;
    uint32_t slot;
    uint64_t rounds;
    bool found;
};

static void slot_look(void *ctx, const struct tw_view *view)
{
    struct wanted *wanted = ctx;
    wanted->found = wanted->found || (view->id == wanted->id && view->slot == wanted->slot &&
                                      view->rounds == wanted->rounds);
}

static bool slot_is(const struct bench *bench, tw_id id, uint32_t slot, uint64_t rounds)
{
    struct wanted wanted = {id, slot, rounds, false};
    bench->design->visit(bench->timers, slot_look, &wanted);
    return wanted.found;
}

/* After W7 of the keyed wheel: second 3, tasks in 5 s, 15 s and 20 s.  The wheel makes 16 slots of
 * the 12, so that only the last of them waits for a second turn. */
TEST(test_keyed_wheel)
{
    static const char *const keys[] = {"five", "fifteen", "twenty"};
    static const uint64_t delays[] = {5, 15, 20}, rounds[] = {0, 0, 1};
    static const uint32_t at[] = {8, 2, 7};
    struct tw_setting slots = {"slots", 1, {12}};
    struct tw_config config = {
        .capacity = 4, .now = 3, .horizon = 20, .settings = &slots, .setting_count = 1};
    struct tw_error error;
    struct journal *journal = journal_new();
    struct worker worker = {journal, 0, 0, {0}};
    struct bench bench = {.design = registry_find("round")->timed};
    assert_int_equal(bench.design->open(&bench.timers, &config, &error), TW_OK);
    bench.scheduler = scheduler_open(bench.design, bench.timers, 4, 3);
    for (int i = 0; i < 3; i++) {
        tw_id id;
        struct schedule schedule = {
            .key = keys[i], .delay = delays[i], .run = work, .ctx = &worker};
        assert_int_equal(scheduler_add(bench.scheduler, &schedule, &id), SCHEDULER_OK);
        assert_true(slot_is(&bench, id, at[i], rounds[i]));
    }
    assert_true(scheduler_remove_key(bench.scheduler, "fifteen"));
    scheduler_advance(bench.scheduler, 30);
    ASSERT_STARTS(journal, 8, 23);
    bench_close(&bench);
    free(journal);
}

/* ---- Keys and guards. ------------------------------------------------------------------------ */

TEST(test_keys)
{
    struct bench bench = bench_open(any_design(), 3, 0);
    struct scheduler *scheduler = bench.scheduler;
    struct journal *journal = journal_new();
    struct worker first = {journal, 1, 0, {0}}, second = {journal, 2, 0, {0}};
    char key[] = "backup";
    struct schedule schedule = {.key = key,
                                .kind = SCHEDULE_AT_FIXED_RATE,
                                .delay = 10,
                                .period = 10,
                                .times = 2,
                                .run = work,
                                .ctx = &first};
    tw_id id, found;
    assert_int_equal(scheduler_add(scheduler, &schedule, &id), SCHEDULER_OK);
    memset(key, 'x', strlen(key)); /* the scheduler has a copy */
    assert_true(scheduler_find(scheduler, "backup", &found));
    assert_int_equal(found, id);
    schedule.key = "backup";
    schedule.ctx = &second;
    schedule.delay = 1;
    assert_int_equal(scheduler_add(scheduler, &schedule, NULL), SCHEDULER_DUPLICATE_KEY);
    scheduler_advance(scheduler, 15);
    /* The first goes on as if nothing had been asked. */
    ASSERT_STARTS(journal, 10);
    assert_int_equal(journal->entries[0].name, 1);
    assert_false(scheduler_remove_key(scheduler, "restore"));
    assert_true(scheduler_remove_key(scheduler, "backup"));
    assert_false(scheduler_remove_key(scheduler, "backup"));
    assert_false(scheduler_remove(scheduler, id));
    assert_int_equal(scheduler_add(scheduler, &schedule, NULL), SCHEDULER_OK);
    scheduler_advance(scheduler, 100);
    ASSERT_STARTS(journal, 10, 16, 26);
    /* After its last run the key is free. */
    assert_false(scheduler_find(scheduler, "backup", &found));
    assert_int_equal(scheduler_count(scheduler), 0);
    bench_close(&bench);
    free(journal);
}

TEST(test_guards)
{
    struct bench bench = bench_open(any_design(), 2, 50);
    struct journal *journal = journal_new();
    struct worker worker = {journal, 0, 0, {0}};
    struct schedule schedule = {.kind = SCHEDULE_AT_FIXED_RATE,
                                .delay = 1,
                                .period = 0,
                                .times = 1,
                                .run = work,
                                .ctx = &worker};
    assert_int_equal(scheduler_add(bench.scheduler, &schedule, NULL), SCHEDULER_SHORT_PERIOD);
    schedule.kind = SCHEDULE_WITH_FIXED_DELAY;
    assert_int_equal(scheduler_add(bench.scheduler, &schedule, NULL), SCHEDULER_SHORT_PERIOD);
    schedule.period = 1;
    schedule.times = 0;
    assert_int_equal(scheduler_add(bench.scheduler, &schedule, NULL), SCHEDULER_NO_TIMES);
    assert_int_equal(scheduler_count(bench.scheduler), 0);
    schedule.times = 1;
    schedule.delay = 0;
    assert_int_equal(scheduler_add(bench.scheduler, &schedule, NULL), SCHEDULER_ROUNDED_UP);
    schedule.delay = 2;
    assert_int_equal(scheduler_add(bench.scheduler, &schedule, NULL), SCHEDULER_OK);
    assert_int_equal(scheduler_add(bench.scheduler, &schedule, NULL), SCHEDULER_FULL);
    scheduler_advance(bench.scheduler, 60);
    ASSERT_STARTS(journal, 51, 52);
    bench_close(&bench);
    free(journal);
}

/* A design that cannot hold what it is asked says so when it is asked, and a period that time cannot
 * hold ends the task. */
TEST(test_end_of_time)
{
    struct bench bench = bench_open(any_design(), 2, TW_DEADLINE_MAX - 10);
    struct journal *journal = journal_new();
    struct worker worker = {journal, 0, 1, {100}};
    struct schedule schedule = {.kind = SCHEDULE_AT_FIXED_RATE,
                                .delay = 5,
                                .period = 10,
                                .times = SCHEDULE_FOR_EVER,
                                .run = work,
                                .ctx = &worker};
    assert_int_equal(scheduler_add(bench.scheduler, &schedule, NULL), SCHEDULER_OK);
    scheduler_advance(bench.scheduler, TW_DEADLINE_MAX);
    assert_int_equal(journal->count, 1);
    assert_true(scheduler_now(bench.scheduler) == TW_DEADLINE_MAX);
    assert_int_equal(scheduler_totals(bench.scheduler).refused, 1);
    assert_int_equal(scheduler_count(bench.scheduler), 0);
    bench_close(&bench);
    free(journal);
}

/* ---- The model: all tasks looked at on every tick. ------------------------------------------- */

enum { NAMES = 24, ACTIONS = 6, CAPACITY = 20 };

/* Tasks by name; a name is a key, except for the last few, which have none. */
enum { KEYED = 20 };

struct rule {
    unsigned kind, catch_up;
    uint64_t delay, period, times;
};

/* What both sides can do; a world is the scheduler or the model. */
struct world {
    struct scheduler *scheduler; /* NULL: the model */
    struct journal *journal;
    /* The model. */
    tw_tick now;
    uint64_t armed, busy, missed;
    struct modelled {
        bool lives, runs;
        bool gone; /* removed while it ran */
        struct rule rule;
        tw_tick due;
        uint64_t armed, number, missed;
    } tasks[NAMES + 8];
    uint64_t seed;
    /* For callbacks of the scheduler: which name they belong to. */
    struct caller {
        struct world *world;
        int name;
    } callers[NAMES];
};

static const char *key_of(int name)
{
    static const char *const keys[KEYED] = {"a", "b", "c", "d", "e", "f", "g",  "h",  "i",  "j",
                                            "k", "l", "m", "n", "o", "p", "qq", "rr", "ss", "a "};
    return name < KEYED ? keys[name] : NULL;
}

static uint64_t call_task(struct world *world, const struct schedule_run *run, int name);

static uint64_t call_real(void *ctx, struct scheduler *scheduler, const struct schedule_run *run)
{
    struct caller *caller = ctx;
    assert_ptr_equal(scheduler, caller->world->scheduler);
    if (key_of(caller->name))
        assert_string_equal(run->key, key_of(caller->name));
    else
        assert_null(run->key);
    return call_task(caller->world, run, caller->name);
}

/* A name that is taken is a duplicate; names without a key are not asked for twice. */
static struct modelled *model_find(struct world *world, int name)
{
    struct modelled *task = &world->tasks[name];
    return task->lives && !task->gone ? task : NULL;
}

static uint32_t model_count(const struct world *world)
{
    uint32_t count = 0;
    for (int i = 0; i < NAMES + 8; i++)
        count += world->tasks[i].lives;
    return count;
}

static int model_add(struct world *world, int name, struct rule rule)
{
    if (model_find(world, name))
        return SCHEDULER_DUPLICATE_KEY;
    if (model_count(world) == CAPACITY)
        return SCHEDULER_FULL;
    struct modelled *task = &world->tasks[name];
    if (task->gone) {
        /* The old one still runs: it moves out of the way and ends there. */
        int spare = NAMES;
        while (world->tasks[spare].lives)
            spare++;
        world->tasks[spare] = *task;
    }
    *task = (struct modelled){
        .lives = true, .rule = rule, .due = world->now + rule.delay, .armed = world->armed++};
    return SCHEDULER_OK;
}

static bool model_remove(struct world *world, int name)
{
    struct modelled *task = model_find(world, name);
    if (!task)
        return false;
    if (task->runs)
        task->gone = true;
    else
        task->lives = false;
    return true;
}

static int model_choose(const struct world *world)
{
    int best = -1;
    for (int i = 0; i < NAMES; i++) {
        const struct modelled *task = &world->tasks[i];
        if (!task->lives || task->due > world->now)
            continue;
        const struct modelled *other = best < 0 ? NULL : &world->tasks[best];
        if (!other || task->due < other->due ||
            (task->due == other->due && task->armed < other->armed))
            best = i;
    }
    return best;
}

static void model_rearm(struct world *world, struct modelled *task)
{
    task->runs = false;
    if (task->gone || task->number == task->rule.times) {
        *task = (struct modelled){.lives = false};
        return;
    }
    if (task->rule.kind == SCHEDULE_WITH_FIXED_DELAY)
        task->due = world->now;
    do
        task->due += task->rule.period;
    while (task->rule.kind == SCHEDULE_AT_FIXED_RATE && task->rule.catch_up == SCHEDULE_SKIP &&
           task->due < world->now && ++task->missed && ++world->missed);
    task->armed = world->armed++;
}

static void model_run(struct world *world, int name)
{
    struct modelled *task = &world->tasks[name];
    struct schedule_run run = {
        .due = task->due, .start = world->now, .number = ++task->number, .missed = task->missed};
    task->runs = true;
    uint64_t ticks = call_task(world, &run, name);
    world->now += ticks;
    world->busy += ticks;
    /* Where it is now: a new one of its name may stand in its place. */
    for (int i = 0; i < NAMES + 8; i++)
        if (world->tasks[i].runs) {
            model_rearm(world, &world->tasks[i]);
            return;
        }
    fail_msg("the running task is gone");
}

static void model_advance(struct world *world, tw_tick to)
{
    while (world->now <= to) {
        int name = model_choose(world);
        if (name >= 0)
            model_run(world, name);
        else if (world->now < to)
            world->now++;
        else
            break;
    }
}

/* ---- Random operations on both. -------------------------------------------------------------- */

static int world_add(struct world *world, int name, struct rule rule)
{
    if (!world->scheduler)
        return model_add(world, name, rule);
    world->callers[name] = (struct caller){world, name};
    return scheduler_add(world->scheduler,
                         &(struct schedule){.key = key_of(name),
                                            .kind = rule.kind,
                                            .catch_up = rule.catch_up,
                                            .delay = rule.delay,
                                            .period = rule.period,
                                            .times = rule.times,
                                            .run = call_real,
                                            .ctx = &world->callers[name]},
                         NULL);
}

static bool world_remove(struct world *world, int name)
{
    return world->scheduler ? scheduler_remove_key(world->scheduler, key_of(name))
                            : model_remove(world, name);
}

static struct rule rule_draw(struct rng *rng)
{
    static const uint64_t times[] = {1, 2, 5, SCHEDULE_FOR_EVER};
    unsigned kind = (unsigned)rng_below(rng, 3);
    return (struct rule){
        .kind = kind,
        .catch_up = (unsigned)rng_below(rng, 2),
        .delay = 1 + rng_below(rng, 200),
        .period = 1 + rng_below(rng, rng_below(rng, 2) ? 20 : 300),
        .times = kind == SCHEDULE_ONCE ? 1 : times[rng_below(rng, 4)],
    };
}

/* Most runs take nothing, some a little, few very long; some add or remove tasks, themselves too. */
static uint64_t call_task(struct world *world, const struct schedule_run *run, int name)
{
    struct rng rng;
    rng_seed(&rng, world->seed ^ run->start << 8 ^ run->number, (uint64_t)name);
    journal_add(world->journal, name, run);
    int other = (int)rng_below(&rng, KEYED);
    int status = -100;
    switch (rng_below(&rng, 8)) {
    case 0:
        status = world_remove(world, other);
        break;
    case 1:
        status = world_add(world, other, rule_draw(&rng));
        break;
    case 2:
        if (name < KEYED)
            status = world_remove(world, name);
        break;
    case 3:
        if (name < KEYED && rng_below(&rng, 2)) {
            world_remove(world, name);
            status = world_add(world, name, rule_draw(&rng));
        }
        break;
    default:
        break;
    }
    struct schedule_run answer = {.due = (tw_tick)status + 1000};
    journal_add(world->journal, -1, &answer);
    static const uint64_t takes[] = {0, 0, 0, 1, 3, 10};
    return rng_below(&rng, 50) ? takes[rng_below(&rng, 6)] : rng_below(&rng, 500);
}

static tw_tick world_advance(struct world *world, uint64_t ticks)
{
    if (!world->scheduler) {
        model_advance(world, world->now + ticks);
        return world->now;
    }
    scheduler_advance(world->scheduler, scheduler_now(world->scheduler) + ticks);
    return scheduler_now(world->scheduler);
}

static void world_play(struct world *world, uint64_t seed, int operations)
{
    struct rng rng;
    rng_seed(&rng, seed, 1);
    world->seed = seed * 1000003;
    for (int name = KEYED; name < NAMES; name++) {
        struct rule rule = rule_draw(&rng);
        rule.kind = name % 2 ? SCHEDULE_AT_FIXED_RATE : SCHEDULE_WITH_FIXED_DELAY;
        rule.times = SCHEDULE_FOR_EVER;
        assert_int_equal(world_add(world, name, rule), SCHEDULER_OK);
    }
    for (int i = 0; i < operations; i++) {
        struct schedule_run answer = {.due = 0};
        int name = (int)rng_below(&rng, KEYED);
        uint64_t jump = rng_below(&rng, rng_below(&rng, 10) ? 10 : 1000);
        switch (rng_below(&rng, 4)) {
        case 0:
            answer.due = (tw_tick)(world_add(world, name, rule_draw(&rng)) + 1000);
            break;
        case 1:
            answer.due = world_remove(world, name);
            break;
        default:
            answer.start = world_advance(world, jump);
            break;
        }
        if (world->journal->count > LOG_MAX - 2000)
            break;
        journal_add(world->journal, -2, &answer);
    }
}

static void assert_same_journal(const struct journal *real, const struct journal *model,
                                const char *design, uint64_t seed)
{
    size_t count = real->count < model->count ? real->count : model->count;
    for (size_t i = 0; i < count; i++) {
        const struct entry *a = &real->entries[i], *b = &model->entries[i];
        if (a->name != b->name || a->due != b->due || a->start != b->start ||
            a->number != b->number || a->missed != b->missed)
            fail_msg("%s, seed %d, entry %zu: %d due %d at %d number %d missed %d, expected "
                     "%d due %d at %d number %d missed %d",
                     design, (int)seed, i, a->name, (int)a->due, (int)a->start, (int)a->number,
                     (int)a->missed, b->name, (int)b->due, (int)b->start, (int)b->number,
                     (int)b->missed);
    }
    assert_int_equal(real->count, model->count);
}

static void random_case(const struct tw_backend *design)
{
    struct world *real = calloc(1, sizeof *real), *model = calloc(1, sizeof *model);
    assert_true(real && model);
    real->journal = journal_new();
    model->journal = journal_new();
    for (uint64_t seed = 1; seed <= 30; seed++) {
        struct bench bench = bench_open(design, CAPACITY, 0);
        struct journal *journals[] = {real->journal, model->journal};
        *real = (struct world){.scheduler = bench.scheduler, .journal = journals[0]};
        *model = (struct world){.journal = journals[1]};
        real->journal->count = model->journal->count = 0;
        world_play(real, seed, 1000);
        world_play(model, seed, 1000);
        assert_same_journal(real->journal, model->journal, design->name, seed);
        struct scheduler_totals totals = scheduler_totals(bench.scheduler);
        assert_int_equal(totals.busy_ticks, model->busy);
        assert_int_equal(totals.missed, model->missed);
        assert_int_equal(totals.refused, 0);
        assert_int_equal(scheduler_count(bench.scheduler), model_count(model));
        bench_close(&bench);
    }
    free(real->journal);
    free(model->journal);
    free(real);
    free(model);
}

TEST(test_random)
{
    for_each_exact_design(random_case);
}

TEST_MAIN(NULL, NULL)
