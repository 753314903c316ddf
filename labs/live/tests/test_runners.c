/*
 * test_runners.c - every runner of the registry against runner.h, over several designs.
 *
 * The proved object is tested, with points that yield and sleep by a seed (RUNNER_SEED, default 1).  Nothing
 * here depends on how fast the machine is: what is awaited has a minute, and no lateness is judged.
 */
#include "harness/base/rng.h"
#include "impls/registry.h"
#include "labs/live/runners/moment.h"
#include "labs/live/runners/runner_registry.h"

#include <sched.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define MS       UINT64_C(1000000)
#define PATIENCE (60000 * MS)
#define FAR      (3600000 * MS)
#define HORIZON  (2 * FAR)

/* A runner over a design, and how it is to be opened. */
struct subject {
    const struct tw_runner *runner;
    const struct tw_backend *design;
    const struct variant *variant; /* NULL: the runner's defaults */
};

/* How a runner may be opened besides: one setting of its own, or a number of threads. */
struct variant {
    const char *runner, *name;
    uint32_t threads;
    struct tw_setting setting; /* without a name: none */
};

struct rig {
    const struct tw_runner *runner;
    struct tw_service *service;
    struct tw_seat *seat;
    struct tw_points points;
    uint64_t seed;
    _Atomic uint32_t turns; /* of a driver that has more to do than it should do at once */
};

/* One timer of a test, and all that became of it. */
struct fate {
    uint64_t due_ns;
    _Atomic uint32_t ran, early, returned, stopped, accepted;
    tw_timer timer;
};

/* Mostly nothing, at times a yield, seldom a sleep. */
static void point_reach(void *ctx, uint32_t number, uint64_t passed, const char *name)
{
    struct rig *rig = ctx;
    if (strcmp(name, "turn_taken") == 0)
        atomic_fetch_add(&rig->turns, 1);
    struct rng rng;
    rng_seed(&rng, rig->seed, (uint64_t)number << 40 ^ passed);
    uint64_t draw = rng_next(&rng) % 256;
    if (draw < 24)
        sched_yield();
    else if (draw == 24)
        moment_sleep(moment_now() + 20000);
}

static int rig_try(struct rig *rig, const struct subject *subject, struct tw_runner_config *config)
{
    struct tw_error error = {""};
    const char *seed = getenv("RUNNER_SEED");
    *rig = (struct rig){.runner = subject->runner,
                        .seed = seed ? strtoull(seed, NULL, 10) : 1,
                        .points = {point_reach, rig}};
    config->design = subject->runner->flags & TW_RUNNER_OWN_TIMERS ? NULL : subject->design;
    config->points = &rig->points;
    if (config->capacity == 0)
        config->capacity = 64;
    if (config->tick_ns == 0)
        config->tick_ns = MS;
    if (subject->variant) {
        config->threads = subject->variant->threads;
        if (subject->variant->setting.name && config->setting_count == 0) {
            config->settings = &subject->variant->setting;
            config->setting_count = 1;
        }
    }
    int answer = rig->runner->open(&rig->service, config, &error);
    if (answer != TW_RUN_OK) {
        assert_string_not_equal(error.text, "");
        return answer;
    }
    rig->seat = rig->runner->enter(rig->service);
    assert_non_null(rig->seat);
    return answer;
}

static void rig_open(struct rig *rig, const struct subject *subject, struct tw_runner_config config)
{
    assert_int_equal(rig_try(rig, subject, &config), TW_RUN_OK);
}

static void fate_return(void *ctx, tw_timer timer, void *argument)
{
    struct fate *fate = argument;
    (void)timer;
    atomic_fetch_add(&fate->returned, 1);
    *(uint32_t *)ctx += 1;
}

/* Shuts, checks and closes; how many came back. */
static uint32_t rig_close(struct rig *rig)
{
    uint32_t returned = 0;
    struct tw_runner_stats stats;
    assert_int_equal(rig->runner->shut(rig->seat, fate_return, &returned), TW_RUN_OK);
    rig->runner->stats(rig->service, &stats);
    assert_int_equal(stats.pending, 0);
    const char *broken = rig->runner->check(rig->service);
    if (broken)
        fail_msg("%s: %s", rig->runner->name, broken);
    rig->runner->leave(rig->seat);
    rig->runner->close(rig->service);
    return returned;
}

static int fate_run(struct tw_seat *seat, void *argument, const struct tw_firing *firing)
{
    struct fate *fate = argument;
    (void)seat;
    atomic_fetch_add(&fate->early, moment_now() < firing->due_ns ||
                                       firing->tick_ns < firing->due_ns ||
                                       firing->turn_ns < firing->tick_ns);
    atomic_fetch_add(&fate->ran, 1);
    return 0;
}

static int fate_start_as(struct tw_seat *seat, struct fate *fate, struct tw_task task)
{
    fate->due_ns = task.due_ns;
    task.argument = fate;
    const struct tw_runner *runner = ((struct rig *)seat->points->ctx)->runner;
    return runner->start(seat, &task, &fate->timer);
}

static int fate_start(struct rig *rig, struct fate *fate, uint64_t due_ns)
{
    return fate_start_as(rig->seat, fate, (struct tw_task){.run = fate_run, .due_ns = due_ns});
}

/* Waits until the counter is at least that; as an idle caller does, so that every runner may fire. */
static void await(struct rig *rig, _Atomic uint32_t *counter, uint32_t least)
{
    uint64_t end = moment_now() + PATIENCE;
    while (atomic_load(counter) < least && moment_now() < end)
        rig->runner->wait(rig->seat, moment_now() + MS / 2);
    assert_true(atomic_load(counter) >= least);
}

/* ---- The tests, each over a subject. ---------------------------------------------------------- */

static void fires_once_and_not_early(const struct subject *subject)
{
    struct rig rig;
    rig_open(&rig, subject, (struct tw_runner_config){0});
    struct fate fates[8] = {{0}};
    uint64_t now = moment_now();
    for (uint32_t i = 0; i < 8; i++)
        assert_int_equal(fate_start(&rig, &fates[i], now + (7 - i) * 3 * MS), TW_RUN_OK);
    for (uint32_t i = 0; i < 8; i++)
        await(&rig, &fates[i].ran, 1);
    assert_int_equal(rig_close(&rig), 0);
    for (uint32_t i = 0; i < 8; i++) {
        assert_int_equal(fates[i].ran, 1);
        assert_int_equal(fates[i].early, 0);
    }
}

static void past_dues_fire(const struct subject *subject)
{
    struct rig rig;
    rig_open(&rig, subject, (struct tw_runner_config){0});
    struct fate fates[3] = {{0}};
    rig.runner->wait(rig.seat, moment_now() + 5 * MS);
    assert_int_equal(fate_start(&rig, &fates[0], 0), TW_RUN_OK);
    assert_int_equal(fate_start(&rig, &fates[1], 1), TW_RUN_OK);
    assert_int_equal(fate_start(&rig, &fates[2], moment_now()), TW_RUN_OK);
    for (uint32_t i = 0; i < 3; i++)
        await(&rig, &fates[i].ran, 1);
    assert_int_equal(rig_close(&rig), 0);
}

/* An earlier head has to wake whoever sleeps for a later one. */
static void earlier_heads_wake(const struct subject *subject)
{
    struct rig rig;
    rig_open(&rig, subject, (struct tw_runner_config){.horizon_ns = HORIZON});
    struct fate far = {0}, near = {0};
    assert_int_equal(fate_start(&rig, &far, moment_now() + FAR), TW_RUN_OK);
    rig.runner->wait(rig.seat, moment_now() + 5 * MS);
    assert_int_equal(fate_start(&rig, &near, moment_now() + 5 * MS), TW_RUN_OK);
    await(&rig, &near.ran, 1);
    assert_int_equal(rig_close(&rig), 1);
    assert_int_equal(far.returned, 1);
}

static void stops_answer(const struct subject *subject)
{
    struct rig rig;
    rig_open(&rig, subject, (struct tw_runner_config){.horizon_ns = HORIZON});
    struct fate stopped = {0}, ran = {0};
    assert_int_equal(fate_start(&rig, &stopped, moment_now() + FAR), TW_RUN_OK);
    assert_int_equal(rig.runner->stop(rig.seat, stopped.timer), TW_RUN_STOPPED);
    assert_int_equal(rig.runner->stop(rig.seat, stopped.timer), TW_RUN_IDLE);
    assert_int_equal(fate_start(&rig, &ran, moment_now()), TW_RUN_OK);
    await(&rig, &ran.ran, 1);
    assert_int_equal(rig.runner->stop(rig.seat, ran.timer), TW_RUN_TOO_LATE);
    assert_int_equal(rig.runner->stop(rig.seat, 0), TW_RUN_IDLE);
    assert_int_equal(rig.runner->stop(rig.seat, UINT64_MAX), TW_RUN_IDLE);
    assert_int_equal(rig_close(&rig), 0);
    assert_int_equal(stopped.ran, 0);
}

static void stop_of_a_returned_timer_is_idle(const struct subject *subject)
{
    struct rig rig;
    rig_open(&rig, subject, (struct tw_runner_config){.horizon_ns = HORIZON});
    struct fate fate = {0};
    uint32_t returned = 0;
    assert_int_equal(fate_start(&rig, &fate, moment_now() + FAR), TW_RUN_OK);
    assert_int_equal(rig.runner->shut(rig.seat, fate_return, &returned), TW_RUN_OK);
    assert_int_equal(returned, 1);
    assert_int_equal(rig.runner->stop(rig.seat, fate.timer), TW_RUN_IDLE);
    assert_int_equal(fate_start(&rig, &fate, moment_now()), TW_RUN_CLOSED);
    assert_int_equal(rig.runner->shut(rig.seat, fate_return, &returned), TW_RUN_CLOSED);
    rig.runner->leave(rig.seat);
    rig.runner->close(rig.service);
}

/* Tries until there is room. */
static void await_place(struct rig *rig, struct fate *fate, uint64_t due_ns)
{
    uint64_t end = moment_now() + PATIENCE;
    int answer = fate_start(rig, fate, due_ns);
    while (answer == TW_RUN_FULL && moment_now() < end) {
        rig->runner->wait(rig->seat, moment_now() + MS);
        answer = fate_start(rig, fate, due_ns);
    }
    assert_int_equal(answer, TW_RUN_OK);
}

/* At once, but with runners that give a stopped timer's place back later. */
static void start_soon(struct rig *rig, struct fate *fate, uint64_t due_ns)
{
    if (rig->runner->flags & TW_RUNNER_LATE_PLACE)
        await_place(rig, fate, due_ns);
    else
        assert_int_equal(fate_start(rig, fate, due_ns), TW_RUN_OK);
}

static void the_cap_holds(const struct subject *subject)
{
    struct rig rig;
    rig_open(&rig, subject, (struct tw_runner_config){.max_pending = 5, .horizon_ns = HORIZON});
    struct fate fates[8] = {{0}};
    uint64_t far = moment_now() + FAR;
    uint32_t accepted = 0;
    while (accepted < 8 && fate_start(&rig, &fates[accepted], far) == TW_RUN_OK)
        accepted++;
    if (rig.runner->flags & TW_RUNNER_SPLIT_CAP)
        assert_in_range(accepted, 1, 5);
    else
        assert_int_equal(accepted, 5);
    assert_int_equal(fate_start(&rig, &fates[accepted], far), TW_RUN_FULL);
    assert_int_equal(rig.runner->stop(rig.seat, fates[0].timer), TW_RUN_STOPPED);
    if (rig.runner->flags & TW_RUNNER_PURGES)
        rig.runner->purge(rig.seat);
    struct fate another = {0};
    start_soon(&rig, &another, far);
    assert_int_equal(fate_start(&rig, &fates[0], far), TW_RUN_FULL);
    assert_int_equal(rig_close(&rig), accepted);
}

/* The place of a stopped timer comes back by a purge that says so, or when it would have been due. */
static void places_of_stopped_timers_come_back(const struct subject *subject)
{
    struct rig rig;
    rig_open(&rig, subject, (struct tw_runner_config){.capacity = 1, .horizon_ns = HORIZON});
    struct fate far = {0}, near = {0}, last = {0};
    start_soon(&rig, &far, moment_now() + FAR);
    assert_int_equal(rig.runner->stop(rig.seat, far.timer), TW_RUN_STOPPED);
    if (rig.runner->flags & TW_RUNNER_PURGES) {
        bool kept = fate_start(&rig, &near, moment_now() + FAR) == TW_RUN_FULL;
        if (kept) {
            assert_int_equal(rig.runner->stop(rig.seat, far.timer), TW_RUN_IDLE);
            assert_int_equal(rig.runner->purge(rig.seat), 1);
        } else {
            assert_int_equal(rig.runner->stop(rig.seat, near.timer), TW_RUN_STOPPED);
        }
        assert_int_equal(rig.runner->purge(rig.seat), 0);
    }
    start_soon(&rig, &near, moment_now() + 5 * MS);
    int stopped = rig.runner->stop(rig.seat, near.timer);
    await_place(&rig, &last, moment_now() + FAR);
    /* A runner may give the place back before it runs the task. */
    if (stopped == TW_RUN_TOO_LATE)
        await(&rig, &near.ran, 1);
    assert_int_equal(near.ran, stopped == TW_RUN_TOO_LATE);
    assert_int_equal(rig_close(&rig), 1);
    assert_int_equal(last.returned, 1);
}

/* Names of earlier timers of a place do not reach the one that has it now. */
static void names_are_not_reused(const struct subject *subject)
{
    struct rig rig;
    rig_open(&rig, subject, (struct tw_runner_config){.capacity = 1, .horizon_ns = HORIZON});
    struct fate first = {0}, second = {0}, third = {0};
    start_soon(&rig, &first, moment_now());
    await(&rig, &first.ran, 1);
    start_soon(&rig, &second, moment_now() + FAR);
    assert_true(first.timer != second.timer);
    assert_int_equal(rig.runner->stop(rig.seat, first.timer), TW_RUN_IDLE);
    assert_int_equal(rig.runner->stop(rig.seat, second.timer), TW_RUN_STOPPED);
    if (rig.runner->flags & TW_RUNNER_PURGES)
        rig.runner->purge(rig.seat);
    start_soon(&rig, &third, moment_now() + FAR);
    assert_int_equal(rig.runner->stop(rig.seat, second.timer), TW_RUN_IDLE);
    assert_int_equal(rig_close(&rig), 1);
    assert_int_equal(third.returned, 1);
}

static void dues_out_of_reach_are_refused(const struct subject *subject)
{
    struct rig rig;
    struct tw_runner_description description;
    rig_open(&rig, subject, (struct tw_runner_config){0});
    rig.runner->describe(rig.service, &description);
    uint64_t reach;
    bool is_long = __builtin_mul_overflow(description.design.span, description.tick_ns, &reach) ||
                   reach > TW_DUE_MAX - FAR - moment_now();
    if (!is_long && !(rig.runner->flags & TW_RUNNER_OWN_TIMERS)) {
        struct fate fate = {0};
        assert_int_equal(fate_start(&rig, &fate, moment_now() + reach + PATIENCE), TW_RUN_RANGE);
        /* Counted from the last tick, which is late on a busy machine. */
        assert_int_equal(fate_start(&rig, &fate, moment_now() + reach / 2), TW_RUN_OK);
    }
    rig_close(&rig);
}

/* The runs of a periodic task, and how far their dues were from what was meant. */
struct repeats {
    struct fate fate;
    struct tw_task task;
    uint64_t ended_ns, expected_ns;
    _Atomic uint32_t wrong;
    int fails;
};

static int repeats_run(struct tw_seat *seat, void *argument, const struct tw_firing *firing)
{
    struct repeats *repeats = argument;
    fate_run(seat, &repeats->fate, firing);
    bool first = atomic_load(&repeats->fate.ran) == 1;
    bool right = firing->due_ns == repeats->expected_ns;
    if (repeats->task.repeat == TW_FIXED_DELAY && !first)
        right = firing->due_ns >= repeats->expected_ns;
    atomic_fetch_add(&repeats->wrong, !right);
    repeats->ended_ns = moment_now();
    repeats->expected_ns =
        (repeats->task.repeat == TW_FIXED_RATE ? firing->due_ns : repeats->ended_ns) +
        repeats->task.period_ns;
    return repeats->fails;
}

static void repeats_as_told(const struct subject *subject, enum tw_repeat repeat, int fails)
{
    struct rig rig;
    rig_open(&rig, subject, (struct tw_runner_config){0});
    struct repeats repeats = {.fails = fails};
    uint64_t due = moment_now() + 2 * MS;
    repeats.expected_ns = due;
    repeats.task = (struct tw_task){repeats_run, &repeats, due, 2 * MS + 1, repeat};
    assert_int_equal(rig.runner->start(rig.seat, &repeats.task, &repeats.fate.timer), TW_RUN_OK);
    await(&rig, &repeats.fate.ran, 5);
    assert_int_equal(rig.runner->stop(rig.seat, repeats.fate.timer), TW_RUN_STOPPED);
    assert_int_equal(rig.runner->stop(rig.seat, repeats.fate.timer), TW_RUN_IDLE);
    struct fate last = {0};
    assert_int_equal(fate_start(&rig, &last, moment_now() + 8 * MS), TW_RUN_OK);
    await(&rig, &last.ran, 1);
    struct tw_runner_stats stats;
    rig.runner->stats(rig.service, &stats);
    assert_int_equal(stats.failed, fails ? repeats.fate.ran : 0);
    uint32_t ran = repeats.fate.ran;
    assert_int_equal(rig_close(&rig), 0);
    assert_int_equal(repeats.fate.ran, ran);
    assert_int_equal(repeats.fate.early, 0);
    assert_int_equal(repeats.wrong, 0);
}

static void fixed_rate_keeps_its_dues(const struct subject *subject)
{
    repeats_as_told(subject, TW_FIXED_RATE, 0);
}

static void fixed_delay_counts_from_the_end(const struct subject *subject)
{
    repeats_as_told(subject, TW_FIXED_DELAY, 0);
}

static void failures_are_counted(const struct subject *subject)
{
    repeats_as_told(subject, TW_FIXED_RATE, 1);
}

static void a_periodic_timer_comes_back(const struct subject *subject)
{
    struct rig rig;
    rig_open(&rig, subject, (struct tw_runner_config){0});
    struct fate fate = {0};
    struct tw_task task = {fate_run, &fate, moment_now(), MS, TW_FIXED_RATE};
    assert_int_equal(rig.runner->start(rig.seat, &task, &fate.timer), TW_RUN_OK);
    await(&rig, &fate.ran, 3);
    assert_int_equal(rig_close(&rig), 1);
    assert_int_equal(fate.returned, 1);
}

/* A task that stops itself, starts another, stops a third and tries to shut. */
struct meddler {
    struct fate self, other, third;
    _Atomic int shut, stopped_self, stopped_third, started;
};

static int meddler_run(struct tw_seat *seat, void *argument, const struct tw_firing *firing)
{
    struct meddler *meddler = argument;
    const struct tw_runner *runner = ((struct rig *)seat->points->ctx)->runner;
    meddler->shut = runner->shut(seat, NULL, NULL);
    meddler->stopped_self = runner->stop(seat, firing->timer);
    meddler->stopped_third = runner->stop(seat, meddler->third.timer);
    meddler->started = fate_start_as(seat, &meddler->other,
                                     (struct tw_task){.run = fate_run, .due_ns = firing->due_ns});
    return fate_run(seat, &meddler->self, firing);
}

static void tasks_start_and_stop(const struct subject *subject)
{
    struct rig rig;
    rig_open(&rig, subject, (struct tw_runner_config){.horizon_ns = HORIZON});
    struct meddler meddler = {.shut = 99};
    assert_int_equal(fate_start(&rig, &meddler.third, moment_now() + FAR), TW_RUN_OK);
    struct tw_task task = {meddler_run, &meddler, moment_now() + MS, MS, TW_FIXED_RATE};
    assert_int_equal(rig.runner->start(rig.seat, &task, &meddler.self.timer), TW_RUN_OK);
    await(&rig, &meddler.other.ran, 1);
    assert_int_equal(meddler.shut, TW_RUN_INSIDE);
    assert_int_equal(meddler.stopped_self, TW_RUN_STOPPED);
    assert_int_equal(meddler.stopped_third, TW_RUN_STOPPED);
    assert_int_equal(meddler.started, TW_RUN_OK);
    assert_int_equal(rig_close(&rig), 0);
    assert_int_equal(meddler.self.ran, 1);
}

static void bad_settings_are_refused(const struct subject *subject)
{
    struct rig rig;
    struct tw_setting unknown = {.name = "no-such-thing", .count = 1, .values = {1}};
    struct tw_runner_config config = {.settings = &unknown, .setting_count = 1};
    assert_int_equal(rig_try(&rig, subject, &config), TW_RUN_BAD_SETTING);
    config = (struct tw_runner_config){.capacity = 4, .max_pending = 5};
    assert_int_equal(rig_try(&rig, subject, &config), TW_RUN_BAD_SETTING);
    if (subject->runner->flags & TW_RUNNER_OWN_TIMERS)
        return;
    config = (struct tw_runner_config){.design_settings = &unknown, .design_setting_count = 1};
    assert_int_equal(rig_try(&rig, subject, &config), TW_RUN_BAD_SETTING);
}

/* ---- Many threads. ---------------------------------------------------------------------------- */

#define STORM_THREADS 3
#define STORM_FATES   8192

struct storm {
    struct rig *rig;
    struct fate fates[STORM_THREADS][STORM_FATES];
    _Atomic uint32_t next[STORM_THREADS]; /* those below were started */
    _Atomic uint32_t wrong;
};

struct storm_thread {
    struct storm *storm;
    uint32_t number;
};

/* Starts with near, past and far dues; stops its own and others' timers, also twice. */
static void *storm_rage(void *ctx)
{
    struct storm_thread *thread = ctx;
    struct storm *storm = thread->storm;
    const struct tw_runner *runner = storm->rig->runner;
    struct tw_seat *seat = runner->enter(storm->rig->service);
    struct rng rng;
    rng_seed(&rng, storm->rig->seed, thread->number);
    bool closed = false;
    for (uint32_t i = 0; i < STORM_FATES && !closed; i++) {
        struct fate *fate = &storm->fates[thread->number][i];
        uint64_t delay = rng_next(&rng) % 8 == 0 ? FAR : rng_next(&rng) % (4 * MS);
        struct tw_task task = {.run = fate_run, .due_ns = moment_now() + delay};
        int answer = fate_start_as(seat, fate, task);
        closed = answer == TW_RUN_CLOSED;
        atomic_fetch_add(&storm->wrong, answer != TW_RUN_OK && answer != TW_RUN_FULL && !closed);
        atomic_store(&fate->accepted, answer == TW_RUN_OK);
        atomic_store(&storm->next[thread->number], i + 1);
        uint32_t whose = (uint32_t)(rng_next(&rng) % STORM_THREADS);
        uint32_t started = atomic_load(&storm->next[whose]);
        uint32_t back = 1 + (uint32_t)(rng_next(&rng) % 64);
        if (back <= started && rng_next(&rng) % 3 != 0) {
            struct fate *other = &storm->fates[whose][started - back];
            if (atomic_load(&other->accepted))
                atomic_fetch_add(&other->stopped,
                                 runner->stop(seat, other->timer) == TW_RUN_STOPPED);
        }
        if (i % 64 == 0)
            runner->wait(seat, moment_now());
    }
    runner->leave(seat);
    return NULL;
}

/* Shuts the service in the middle, or after all threads have ended, and adds up. */
static void storm_of(const struct subject *subject, uint32_t capacity, bool in_the_middle)
{
    struct rig rig;
    static const uint32_t none = 0;
    rig_open(&rig, subject, (struct tw_runner_config){.capacity = capacity, .horizon_ns = HORIZON});
    struct storm *storm = calloc(1, sizeof *storm);
    assert_non_null(storm);
    storm->rig = &rig;
    pthread_t threads[STORM_THREADS];
    struct storm_thread args[STORM_THREADS];
    for (uint32_t t = 0; t < STORM_THREADS; t++) {
        args[t] = (struct storm_thread){storm, t};
        assert_int_equal(pthread_create(&threads[t], NULL, storm_rage, &args[t]), 0);
    }
    uint32_t returned = none;
    if (in_the_middle) {
        await(&rig, &storm->next[0], STORM_FATES / 8);
        assert_int_equal(rig.runner->shut(rig.seat, fate_return, &returned), TW_RUN_OK);
    }
    for (uint32_t t = 0; t < STORM_THREADS; t++)
        pthread_join(threads[t], NULL);
    if (in_the_middle) {
        assert_null(rig.runner->check(rig.service));
        rig.runner->leave(rig.seat);
        rig.runner->close(rig.service);
    } else {
        returned = rig_close(&rig);
    }
    uint32_t accepted = 0, ended = 0;
    for (uint32_t t = 0; t < STORM_THREADS; t++)
        for (uint32_t i = 0; i < STORM_FATES; i++) {
            struct fate *fate = &storm->fates[t][i];
            accepted += fate->accepted;
            ended += fate->ran + fate->stopped;
            if (fate->ran + fate->stopped + fate->returned != fate->accepted || fate->early)
                fail_msg("%s over %s: timer %u of thread %u: accepted %u, ran %u, stopped %u, "
                         "returned %u, early %u",
                         rig.runner->name, subject->design->name, i, t, fate->accepted, fate->ran,
                         fate->stopped, fate->returned, fate->early);
        }
    assert_int_equal(accepted, ended + returned);
    assert_true(accepted > 0);
    assert_int_equal(storm->wrong, 0);
    free(storm);
}

static void storms_add_up(const struct subject *subject)
{
    storm_of(subject, STORM_THREADS * STORM_FATES, false);
}

static void storms_add_up_with_a_cap(const struct subject *subject)
{
    storm_of(subject, 32, false);
}

static void storms_may_be_shut(const struct subject *subject)
{
    storm_of(subject, STORM_THREADS * STORM_FATES, true);
}

/* A thread that starts timers, near and far, and leaves; with `wait` it waits a while before that. */
struct leaver {
    struct rig *rig;
    struct fate near[4], far[4];
    bool waits;
};

static void *leaver_leave(void *ctx)
{
    struct leaver *leaver = ctx;
    const struct tw_runner *runner = leaver->rig->runner;
    struct tw_seat *seat = runner->enter(leaver->rig->service);
    uint64_t now = moment_now();
    for (uint32_t i = 0; i < 4; i++) {
        struct tw_task task = {.run = fate_run, .due_ns = now + i * 2 * MS};
        leaver->near[i].accepted = fate_start_as(seat, &leaver->near[i], task) == TW_RUN_OK;
        task.due_ns = now + FAR;
        leaver->far[i].accepted = fate_start_as(seat, &leaver->far[i], task) == TW_RUN_OK;
    }
    if (leaver->waits)
        runner->wait(seat, moment_now() + 3 * MS);
    runner->leave(seat);
    return NULL;
}

/* What a thread leaves behind fires, and others stop it; twice, so that what it had may serve another. */
static void timers_outlive_their_thread(const struct subject *subject)
{
    struct rig rig;
    rig_open(&rig, subject, (struct tw_runner_config){.horizon_ns = HORIZON});
    for (uint32_t round = 0; round < 4; round++) {
        struct leaver leaver = {.rig = &rig, .waits = round % 2 == 1};
        pthread_t thread;
        assert_int_equal(pthread_create(&thread, NULL, leaver_leave, &leaver), 0);
        pthread_join(thread, NULL);
        for (uint32_t i = 0; i < 4; i++) {
            assert_int_equal(leaver.near[i].accepted + leaver.far[i].accepted, 2);
            await(&rig, &leaver.near[i].ran, 1);
            assert_int_equal(rig.runner->stop(rig.seat, leaver.far[i].timer), TW_RUN_STOPPED);
            assert_int_equal(rig.runner->stop(rig.seat, leaver.far[i].timer), TW_RUN_IDLE);
            assert_int_equal(leaver.near[i].ran, 1);
            assert_int_equal(leaver.near[i].early, 0);
        }
        if (rig.runner->flags & TW_RUNNER_PURGES)
            rig.runner->purge(rig.seat);
    }
    assert_int_equal(rig_close(&rig), 0);
}

/* What a thread leaves behind comes back from shut. */
static void timers_of_the_gone_come_back(const struct subject *subject)
{
    struct rig rig;
    rig_open(&rig, subject, (struct tw_runner_config){.horizon_ns = HORIZON});
    struct leaver leaver = {.rig = &rig};
    pthread_t thread;
    assert_int_equal(pthread_create(&thread, NULL, leaver_leave, &leaver), 0);
    pthread_join(thread, NULL);
    for (uint32_t i = 0; i < 4; i++)
        await(&rig, &leaver.near[i].ran, 1);
    assert_int_equal(rig_close(&rig), 4);
    for (uint32_t i = 0; i < 4; i++)
        assert_int_equal(leaver.far[i].returned, 1);
}

/* The worker of tick-queue drains many stops in turns, so that a tick in between is not late, and each place comes
 * back.  So many cannot be drained in one turn by any processor. */
static void many_stops_take_turns(const struct subject *subject)
{
    enum { MANY = 100000 };
    struct rig rig;
    if (strcmp(subject->runner->name, "tick-queue") != 0)
        return;
    rig_open(
        &rig, subject,
        (struct tw_runner_config){.capacity = MANY, .tick_ns = 200 * MS, .horizon_ns = HORIZON});
    struct fate *fates = calloc(MANY, sizeof *fates), *again = calloc(MANY, sizeof *again);
    assert_true(fates && again);
    for (uint32_t i = 0; i < MANY; i++)
        assert_int_equal(fate_start(&rig, &fates[i], moment_now() + FAR), TW_RUN_OK);
    for (uint32_t i = 0; i < MANY; i++)
        assert_int_equal(rig.runner->stop(rig.seat, fates[i].timer), TW_RUN_STOPPED);
    for (uint32_t i = 0; i < MANY; i++)
        await_place(&rig, &again[i], moment_now() + FAR);
    assert_int_equal(rig_close(&rig), MANY);
    assert_true(rig.turns > 0);
    free(fates);
    free(again);
}

/* ---- Over all runners and some designs. ------------------------------------------------------- */

struct trait {
    const char *name;
    void (*prove)(const struct subject *subject);
};

static const struct trait traits[] = {
    {"fires once and not early", fires_once_and_not_early},
    {"past dues fire", past_dues_fire},
    {"earlier heads wake", earlier_heads_wake},
    {"stops answer", stops_answer},
    {"stop of a returned timer is idle", stop_of_a_returned_timer_is_idle},
    {"the cap holds", the_cap_holds},
    {"places of stopped timers come back", places_of_stopped_timers_come_back},
    {"names are not reused", names_are_not_reused},
    {"dues out of reach are refused", dues_out_of_reach_are_refused},
    {"fixed rate keeps its dues", fixed_rate_keeps_its_dues},
    {"fixed delay counts from the end", fixed_delay_counts_from_the_end},
    {"failures are counted", failures_are_counted},
    {"a periodic timer comes back", a_periodic_timer_comes_back},
    {"tasks start and stop", tasks_start_and_stop},
    {"bad settings are refused", bad_settings_are_refused},
    {"storms add up", storms_add_up},
    {"storms add up with a cap", storms_add_up_with_a_cap},
    {"storms may be shut", storms_may_be_shut},
    {"timers outlive their thread", timers_outlive_their_thread},
    {"timers of the gone come back", timers_of_the_gone_come_back},
    {"many stops take turns", many_stops_take_turns},
};

/* A heap, a wheel of rounds, one with levels, one that bounds its reach, and the best one. */
static const char *const designs[] = {"heap", "hashed", "hier", "simple", "fast"};

/* Over the heap alone. */
static const struct variant variants[] = {
    {"pool", "one thread", 1, {0}},
    {"pool", "five threads", 5, {0}},
    {"pool", "marking", 3, {.name = "remove-on-cancel", .count = 1, .values = {0}}},
    {"sharded", "one shard", 1, {0}},
    {"sharded", "seven shards", 7, {0}},
};

#define TRAITS   (sizeof traits / sizeof traits[0])
#define DESIGNS  (sizeof designs / sizeof designs[0])
#define VARIANTS (sizeof variants / sizeof variants[0])

struct proof {
    const struct trait *trait;
    const struct tw_runner *runner;
    const struct variant *variant;
};

static void proof_run(void **state)
{
    const struct proof *proof = *state;
    bool own = proof->runner->flags & TW_RUNNER_OWN_TIMERS;
    for (size_t d = 0; d < (own || proof->variant ? 1 : DESIGNS); d++) {
        struct subject subject = {proof->runner, registry_find(designs[d])->timed, proof->variant};
        assert_non_null(subject.design);
        proof->trait->prove(&subject);
    }
}

/* The tests to run, and their names. */
struct proofs {
    struct CMUnitTest *tests;
    struct proof *all;
    char (*names)[80];
    size_t count;
};

static void proofs_add(struct proofs *proofs, const struct tw_runner *runner,
                       const struct variant *variant)
{
    for (size_t t = 0; t < TRAITS; t++) {
        size_t i = proofs->count++;
        proofs->all[i] = (struct proof){&traits[t], runner, variant};
        snprintf(proofs->names[i], sizeof proofs->names[i], "%s%s%s: %s", runner->name,
                 variant ? ", " : "", variant ? variant->name : "", traits[t].name);
        proofs->tests[i] = (struct CMUnitTest){
            .name = proofs->names[i], .test_func = proof_run, .initial_state = &proofs->all[i]};
    }
}

/* With a name: that runner alone. */
int main(int argc, char **argv)
{
    size_t most = (runner_registry_count + VARIANTS) * TRAITS;
    struct proofs proofs = {.tests = calloc(most, sizeof *proofs.tests),
                            .all = calloc(most, sizeof *proofs.all),
                            .names = calloc(most, sizeof *proofs.names)};
    if (!proofs.tests || !proofs.all || !proofs.names)
        return 1;
    for (size_t r = 0; r < runner_registry_count; r++) {
        const struct tw_runner *runner = runner_registry[r].proved;
        if (argc > 1 && strcmp(argv[1], runner->name) != 0)
            continue;
        proofs_add(&proofs, runner, NULL);
        for (size_t v = 0; v < VARIANTS; v++)
            if (strcmp(variants[v].runner, runner->name) == 0)
                proofs_add(&proofs, runner, &variants[v]);
    }
    if (proofs.count == 0) {
        fprintf(stderr, "test_runners: %s: expected a runner\n", argc > 1 ? argv[1] : "");
        return 2;
    }
    int failed = _cmocka_run_group_tests("runners", proofs.tests, proofs.count, NULL, NULL);
    free(proofs.names);
    free(proofs.all);
    free(proofs.tests);
    return failed;
}
