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

/* A task, its runs, and when they begin. */
static const struct example {
    tw_tick now, to, end; /* the clock's: opened at, advanced to, then at */
    struct schedule schedule;
    uint64_t takes[3];
    tw_tick starts[8]; /* up to the first 0 */
    struct scheduler_totals totals;
} examples[] = {
    /* T16: run k of a fixed rate begins at t0 + k * period, however long the runs are below a period. */
    {100,
     155,
     164,
     {SCHEDULE_AT_FIXED_RATE, SCHEDULE_BURST, 5, 10, SCHEDULE_FOR_EVER, work, NULL},
     {0, 3, 9},
     {105, 115, 125, 135, 145, 155},
     {.runs = 6, .busy_ticks = 3 + 4 * 9}},
    /* T16: a fixed delay counts from the end of the run before. */
    {100,
     163,
     188,
     {SCHEDULE_WITH_FIXED_DELAY, SCHEDULE_BURST, 5, 10, SCHEDULE_FOR_EVER, work, NULL},
     {0, 3, 25},
     {105, 115, 128, 163},
     {.runs = 4, .busy_ticks = 3 + 2 * 25}},
    /* A run of 35 ticks at a rate of 10: the runs due at 20, 30 and 40 are late (to 45), or left out. */
    {0,
     69,
     69,
     {SCHEDULE_AT_FIXED_RATE, SCHEDULE_BURST, 10, 10, SCHEDULE_FOR_EVER, work, NULL},
     {35, 1, 1},
     {10, 45, 46, 47, 50, 60},
     {.runs = 6, .late_runs = 3, .late_max_ticks = 25, .late_mean_ticks = 8, .busy_ticks = 40}},
    {0,
     69,
     69,
     {SCHEDULE_AT_FIXED_RATE, SCHEDULE_SKIP, 10, 10, SCHEDULE_FOR_EVER, work, NULL},
     {35, 1, 1},
     {10, 50, 60},
     {.runs = 3, .missed = 3, .busy_ticks = 37}},
    /* A run that ends on the very tick on which the next is due has missed nothing. */
    {0,
     50,
     50,
     {SCHEDULE_AT_FIXED_RATE, SCHEDULE_BURST, 1, 2, 4, work, NULL},
     {2, 2, 2},
     {1, 3, 5, 7},
     {.runs = 4, .busy_ticks = 8}},
    {0,
     50,
     50,
     {SCHEDULE_AT_FIXED_RATE, SCHEDULE_SKIP, 1, 2, 4, work, NULL},
     {2, 2, 2},
     {1, 3, 5, 7},
     {.runs = 4, .busy_ticks = 8}},
};

static void examples_case(const struct tw_backend *design)
{
    for (size_t i = 0; i < sizeof examples / sizeof *examples; i++) {
        const struct example *example = &examples[i];
        struct bench bench = bench_open(design, 4, example->now);
        struct journal *journal = journal_new();
        struct worker worker = {.journal = journal, .take_count = 3};
        struct schedule schedule = example->schedule;
        size_t count = 0;
        memcpy(worker.takes, example->takes, sizeof example->takes);
        schedule.ctx = &worker;
        assert_int_equal(scheduler_add(bench.scheduler, &schedule, NULL), SCHEDULER_OK);
        scheduler_advance(bench.scheduler, example->to);
        while (count < 8 && example->starts[count] > 0)
            count++;
        assert_starts(journal, example->starts, count);
        assert_int_equal(scheduler_now(bench.scheduler), example->end);
        struct scheduler_totals totals = scheduler_totals(bench.scheduler);
        assert_memory_equal(&totals, &example->totals, sizeof totals);
        assert_int_equal(journal->entries[count - 1].missed, totals.missed);
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

TEST(test_examples)
{
    for_each_exact_design(examples_case);
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

/* After W7: second 3, tasks in 5 s, 15 s and 20 s.  The wheel makes 16 slots of the 12, so that only
 * the last of them waits for a second turn. */
TEST(test_slots_of_a_wheel)
{
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
        struct schedule schedule = {.delay = delays[i], .run = work, .ctx = &worker};
        assert_int_equal(scheduler_add(bench.scheduler, &schedule, &id), SCHEDULER_OK);
        assert_true(slot_is(&bench, id, at[i], rounds[i]));
    }
    scheduler_advance(bench.scheduler, 30);
    ASSERT_STARTS(journal, 8, 18, 23);
    bench_close(&bench);
    free(journal);
}

/* ---- Guards. --------------------------------------------------------------------------------- */

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
    bench_close(&bench);
    free(journal);
}

/* ---- The model: all tasks looked at on every tick. ------------------------------------------- */

/* Places of tasks, those of the first that never end, and names: one for each that is added. */
enum { CAPACITY = 20, ENDLESS = 4, NAMES = 4000 };

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
        bool lives;
        int name;
        struct rule rule;
        tw_tick due;
        uint64_t armed, number, missed;
    } tasks[CAPACITY];
    uint64_t seed;
    int names;
    /* For callbacks of the scheduler: which name they belong to. */
    struct caller {
        struct world *world;
        int name;
    } callers[NAMES];
};

static uint64_t call_task(struct world *world, const struct schedule_run *run, int name);

static uint64_t call_real(void *ctx, struct scheduler *scheduler, const struct schedule_run *run)
{
    struct caller *caller = ctx;
    assert_ptr_equal(scheduler, caller->world->scheduler);
    return call_task(caller->world, run, caller->name);
}

static int model_add(struct world *world, int name, struct rule rule)
{
    int place = 0;
    while (place < CAPACITY && world->tasks[place].lives)
        place++;
    if (place == CAPACITY)
        return SCHEDULER_FULL;
    world->tasks[place] = (struct modelled){.lives = true,
                                            .name = name,
                                            .rule = rule,
                                            .due = world->now + rule.delay,
                                            .armed = world->armed++};
    return SCHEDULER_OK;
}

static struct modelled *model_choose(struct world *world)
{
    struct modelled *best = NULL;
    for (struct modelled *task = world->tasks; task < world->tasks + CAPACITY; task++)
        if (task->lives && task->due <= world->now &&
            (!best || task->due < best->due ||
             (task->due == best->due && task->armed < best->armed)))
            best = task;
    return best;
}

static void model_run(struct world *world, struct modelled *task)
{
    struct schedule_run run = {
        .due = task->due, .start = world->now, .number = ++task->number, .missed = task->missed};
    uint64_t ticks = call_task(world, &run, task->name);
    world->now += ticks;
    world->busy += ticks;
    task->lives = task->number != task->rule.times;
    if (!task->lives)
        return;
    if (task->rule.kind == SCHEDULE_WITH_FIXED_DELAY)
        task->due = world->now;
    do
        task->due += task->rule.period;
    while (task->rule.kind == SCHEDULE_AT_FIXED_RATE && task->rule.catch_up == SCHEDULE_SKIP &&
           task->due < world->now && ++task->missed && ++world->missed);
    task->armed = world->armed++;
}

static void model_advance(struct world *world, tw_tick to)
{
    while (world->now <= to) {
        struct modelled *task = model_choose(world);
        if (task)
            model_run(world, task);
        else if (world->now < to)
            world->now++;
        else
            break;
    }
}

/* ---- Random operations on both. -------------------------------------------------------------- */

static int world_add(struct world *world, struct rule rule)
{
    int name = world->names++;
    assert_true(name < NAMES);
    if (!world->scheduler)
        return model_add(world, name, rule);
    world->callers[name] = (struct caller){world, name};
    return scheduler_add(world->scheduler,
                         &(struct schedule){.kind = rule.kind,
                                            .catch_up = rule.catch_up,
                                            .delay = rule.delay,
                                            .period = rule.period,
                                            .times = rule.times,
                                            .run = call_real,
                                            .ctx = &world->callers[name]},
                         NULL);
}

static struct rule rule_draw(struct rng *rng)
{
    static const uint64_t times[] = {1, 2, 5, 20};
    unsigned kind = (unsigned)rng_below(rng, 3);
    return (struct rule){
        .kind = kind,
        .catch_up = (unsigned)rng_below(rng, 2),
        .delay = 1 + rng_below(rng, 200),
        .period = 1 + rng_below(rng, rng_below(rng, 2) ? 20 : 300),
        .times = kind == SCHEDULE_ONCE ? 1 : times[rng_below(rng, 4)],
    };
}

/* Most runs take nothing, some a little, few very long; some add tasks. */
static uint64_t call_task(struct world *world, const struct schedule_run *run, int name)
{
    static const uint64_t takes[] = {0, 0, 0, 1, 3, 10};
    struct rng rng;
    rng_seed(&rng, world->seed ^ run->start << 8 ^ run->number, (uint64_t)name);
    journal_add(world->journal, name, run);
    if (rng_below(&rng, 4) == 0) {
        int status = world_add(world, rule_draw(&rng));
        journal_add(world->journal, -1, &(struct schedule_run){.due = (tw_tick)status + 1000});
    }
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
    for (int i = 0; i < ENDLESS; i++) {
        struct rule rule = rule_draw(&rng);
        rule.kind = i % 2 ? SCHEDULE_AT_FIXED_RATE : SCHEDULE_WITH_FIXED_DELAY;
        rule.times = SCHEDULE_FOR_EVER;
        assert_int_equal(world_add(world, rule), SCHEDULER_OK);
    }
    for (int i = 0; i < operations; i++) {
        struct schedule_run answer = {.due = 0};
        uint64_t jump = rng_below(&rng, rng_below(&rng, 10) ? 10 : 1000);
        if (rng_below(&rng, 3) == 0)
            answer.due = (tw_tick)(world_add(world, rule_draw(&rng)) + 1000);
        else
            answer.start = world_advance(world, jump);
        if (world->journal->count > LOG_MAX - 2000 || world->names > NAMES - 1000)
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
