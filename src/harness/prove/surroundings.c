/* surroundings.c - tests that a design leaves its process as it was, and keeps nothing at file scope or of an earlier life.
 */
#include "harness/base/process_state.h"
#include "harness/prove/cases.h"
#include "harness/prove/guard.h"
#include "harness/prove/judge.h"
#include "harness/prove/watch.h"

#include <pthread.h>
#include <sys/syscall.h>
#include <unistd.h>

/* ---- Many lives ------------------------------------------------------------------------------ */

#define CAPACITY 16u
#define LIVES    600u
#define CHURNS   10000u
#define JUMP     (UINT64_C(1) << 20)
/* Random lists that are lived through as well: all sizes, clocks, horizons and callbacks are among them. */
#define LIVED 48u
#define TIMES 4u

struct life {
    const struct case_plan *plan;
    struct conform_report *report;
    const struct process_state *before; /* compare after each call; NULL: do not */
    struct tw_timers *timers;
};

static void after(struct life *life, const char *function)
{
    struct process_state now;
    char text[PROCESS_STATE_TEXT];
    guard_shut_counter(false);
    watch_leave(life->report->watch, NULL);
    if (!life->before)
        return;
    process_state_take(&now);
    if (process_state_changed(life->before, &now, strcmp(function, "close") != 0, text))
        report_broken(life->report, RULE_PROCESS, "%s: %s", function, text);
    guard_inspect_variables(function, life->report);
}

static void restarts(void *ctx, tw_id id, tw_tick now)
{
    const struct life *life = ctx;
    if (id % 2 == 0)
        life->plan->backend->start(life->timers, id, now + 1 + id);
    else
        life->plan->backend->stop(life->timers, id - 1);
}

static void ignores(void *ctx, const struct tw_view *view)
{
    (void)ctx, (void)view;
}

#define CALL(name, ...)                                                                            \
    do {                                                                                           \
        watch_enter(life->report->watch, name);                                                    \
        guard_shut_counter(life->before != NULL);                                                  \
        __VA_ARGS__;                                                                               \
        after(life, name);                                                                         \
    } while (0)

/* Stops, starts, re-arms and refusals, then ever longer jumps without timers. */
static void churn(struct life *life, uint32_t churns)
{
    const struct tw_backend *backend = life->plan->backend;
    tw_tick walk = life->plan->strides->walk, most = walk > 0 && walk < JUMP ? walk : JUMP;
    for (uint32_t i = 0; i < churns; i++) {
        backend->stop(life->timers, i % CAPACITY);
        backend->start(life->timers, i % CAPACITY, TW_DEADLINE_MAX);
        backend->start(life->timers, i % CAPACITY, 1 + i % CAPACITY);
    }
    for (tw_id id = 0; id < CAPACITY; id++)
        backend->stop(life->timers, id);
    for (tw_tick to = 10; to < most; to *= 2)
        backend->advance(life->timers, to, restarts, life);
}

/* Every function of the table, with `churns` before close. */
static void live(struct life *life, uint32_t churns)
{
    const struct operations *list = life->plan->operations;
    const struct tw_backend *backend = life->plan->backend;
    struct tw_config config = {
        .capacity = CAPACITY, .settings = list->settings, .setting_count = list->setting_count};
    struct tw_error error;
    struct tw_description description;
    int status;
    CALL("open", status = backend->open(&life->timers, &config, &error));
    if (status != TW_OK)
        return;
    CALL("describe", backend->describe(life->timers, &description));
    for (uint32_t i = 0; i < CAPACITY; i++)
        CALL("start", backend->start(life->timers, i, 1 + i));
    CALL("stop", backend->stop(life->timers, 3));
    CALL("next", backend->next(life->timers));
    CALL("visit", backend->visit(life->timers, ignores, NULL));
    CALL("check", backend->check(life->timers));
    CALL("footprint", backend->footprint(life->timers));
    CALL("work", backend->work(life->timers));
    for (tw_tick to = 1; to <= 9; to += 4)
        CALL("advance", backend->advance(life->timers, to, restarts, life));
    if (churns > 0)
        churn(life, churns);
    CALL("close", backend->close(life->timers));
}

/* What grows each time goes on growing. */
static void judge_growth(const struct process_state at[TIMES], unsigned lives,
                         struct conform_report *report)
{
    for (size_t i = DESCRIPTORS; i < PROCESS_STATES; i++) {
        const uint64_t values[TIMES] = {at[0].values[i], at[1].values[i], at[2].values[i],
                                        at[3].values[i]};
        bool is_full = i == KEYS && values[3] > 600; /* a process has 1024 */
        if (is_full || (values[1] > values[0] && values[2] > values[1] && values[3] > values[2]))
            report_broken(report, RULE_LEAK,
                          "%u lives of an instance raise the %s of the process from %" PRIu64
                          " to %" PRIu64 ", %" PRIu64 " and %" PRIu64 "%s",
                          lives, process_state_name((enum process_part)i), values[0], values[1],
                          values[2], values[3], i == MAPPED || i == LOCKED ? " KiB" : "");
    }
}

/* Lives of one kind, then of many. */
static void live_all(struct life *life, bool by_lists, struct conform_report *report)
{
    struct operations *list = life->plan->operations;
    for (uint32_t n = 0; n < LIVES && !by_lists; n++)
        live(life, 0);
    if (!by_lists)
        live(life, CHURNS);
    for (uint64_t seed = 0; by_lists && seed < LIVED && !report->rule; seed++) {
        list->count = 0;
        random_list_make(list, seed, life->plan->strides);
        judge_replay(life->plan->backend, list, JUDGE_NOW_AND_THEN, report, NULL);
    }
}

void run_surroundings(struct case_plan *plan, struct conform_report *report)
{
    struct life life = {.plan = plan, .report = report};
    struct process_state at[TIMES];
    struct held held;
    if (plan->backend->traits.flags & TW_REAL_CLOCK)
        return;
    life.before = plan->before;
    live(&life, 0); /* and the C library takes what it does at its first use */
    life.before = NULL;
    for (unsigned by_lists = 0; by_lists < 2 && !report->rule; by_lists++) {
        for (size_t i = 0; i < TIMES && !report->rule; i++) {
            live_all(&life, by_lists, report);
            process_state_take(&at[i]);
            at[i].values[MAPPED] -= guard_held(&held) ? held.fences / 1024 : 0;
        }
        if (!report->rule && guard_held(&held) && held.is_all)
            judge_growth(at, by_lists ? LIVED : LIVES, report);
    }
}

/* ---- Two threads ----------------------------------------------------------------------------- */

#define THREAD_LISTS 12u
#define THREAD_CROWD 4200u /* more than any such list has */

struct thread {
    pthread_t thread;
    bool closes; /* its instance, which another opened; else that one has the last operations */
    struct guard *guard;
    struct judge *judge;
    struct operations list;
    struct conform_report report;
};

static void *thread_main(void *ctx)
{
    struct thread *thread = ctx;
    guard_adopt(thread->guard);
    judge_play(thread->judge, &thread->list, 0, thread->list.count - (thread->closes ? 0 : 2));
    if (thread->closes)
        judge_close(thread->judge);
    return NULL;
}

/* Awake: a process that sleeps for long is taken for a function that waits.  By number: the name is watched. */
static void join(pthread_t thread)
{
    while (pthread_tryjoin_np(thread, NULL) == EBUSY)
        syscall(SYS_sched_yield);
}

static void run_pair(struct case_plan *plan, uint64_t seed, bool in_turn,
                     struct conform_report *report)
{
    struct thread threads[2] = {0};
    bool created[2] = {false, false};
    for (size_t i = 0; i < 2; i++) {
        struct thread *thread = &threads[i];
        operations_copy(&thread->list, plan->operations, NULL);
        random_list_make(&thread->list, seed + i, plan->strides);
        thread->list.capacity = THREAD_CROWD;
        operations_start_many(&thread->list, 0, THREAD_CROWD, '+', 3, 1);
        operations_tick(&thread->list, THREAD_CROWD);
        thread->closes = i == 0;
        thread->guard = in_turn ? guard_here() : NULL;
        thread->report.watch = in_turn ? report->watch : NULL;
        thread->judge =
            judge_open(plan->backend, &thread->list, JUDGE_NOW_AND_THEN, &thread->report);
    }
    for (size_t i = 0; i < 2; i++) {
        created[i] = threads[i].judge &&
                     pthread_create(&threads[i].thread, NULL, thread_main, &threads[i]) == 0;
        if (created[i] && in_turn)
            join(threads[i].thread);
    }
    for (size_t i = 0; i < 2; i++) {
        if (created[i] && !in_turn)
            join(threads[i].thread);
        if (threads[i].judge && !(created[i] && threads[i].closes)) {
            judge_play(threads[i].judge, &threads[i].list, threads[i].list.count - 2,
                       threads[i].list.count);
            judge_close(threads[i].judge);
        }
        if (threads[i].report.rule)
            report_broken(report, threads[i].report.rule,
                          "%.400s; in an instance of another thread than the one that opened it",
                          threads[i].report.detail);
        report->operations_run += threads[i].report.operations_run;
        operations_clear(&threads[i].list);
    }
}

/* Each is opened here and runs in its thread; one is closed there, one goes on here.  First in turn; then at the same time,
 * when memory comes from the C library: the fence is of one thread. */
void run_threads(struct case_plan *plan, struct conform_report *report)
{
    struct held held;
    if (!guard_held(&held) || (plan->backend->traits.flags & TW_REAL_CLOCK))
        return;
    run_pair(plan, 0, true, report);
    watch_enter(report->watch, "a function, in one of two threads,");
    guard_pause(true);
    uint64_t lists = plan->many_max > 0 ? THREAD_LISTS : THREAD_LISTS / 4;
    for (uint64_t seed = 1; seed <= lists && !report->rule; seed++)
        run_pair(plan, 2 * seed, false, report);
    guard_pause(false);
    watch_leave(report->watch, NULL);
}
