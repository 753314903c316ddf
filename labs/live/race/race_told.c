/* race_told.c - cases of what is handed over and told: arguments, names, wake-ups, purges, calls beside a task. */
#include "labs/live/race/race_service.h"

#include "labs/live/runners/moment.h"

#include <signal.h>
#include <sys/syscall.h>
#include <unistd.h>

/* ---- Arguments of any bits, functions of any kind, and shut without anybody to return to. ----------- */

static struct {
    struct race_service *service;
    void *argument;
    _Atomic uint32_t runs, others, returned;
} bare;

static int bare_run(struct tw_seat *seat, void *argument, const struct tw_firing *firing)
{
    (void)seat, (void)firing;
    atomic_fetch_add(&bare.service->runs, 1);
    atomic_fetch_add(&bare.runs, argument == bare.argument);
    return 0;
}

static int bare_other(struct tw_seat *seat, void *argument, const struct tw_firing *firing)
{
    atomic_fetch_add(&bare.others, argument == bare.argument);
    return bare_run(seat, argument, firing);
}

static void bare_return(void *ctx, tw_timer timer, void *argument)
{
    (void)ctx, (void)timer;
    atomic_fetch_add(&bare.returned, argument == bare.argument);
}

static tw_timer bare_start(struct race_service *service, struct tw_seat *seat, tw_task_fn *run,
                           uint64_t due_ns, enum tw_repeat repeat)
{
    struct tw_task task = {
        .run = run, .argument = bare.argument, .due_ns = due_ns, .period_ns = MS, .repeat = repeat};
    tw_timer name = 0;
    if (service->runner->start(seat, &task, &name) != TW_RUN_OK)
        FIND(service, RACE_START, "a task whose argument is %p was not started", bare.argument);
    return name;
}

/* One that is due, a periodic one, one that is stopped and one that shut returns, or has nobody to return to.  Where the
 * first one was comes a task of another function. */
static void bare_play(struct race_service *service, struct tw_seat *seat, tw_return_fn *returned,
                      void *argument)
{
    bare.service = service;
    bare.argument = argument;
    bare_start(service, seat, bare_run, 1, TW_ONCE);
    const tw_timer stopped[] = {bare_start(service, seat, bare_run, 1, TW_FIXED_RATE),
                                bare_start(service, seat, bare_run, moment_now() + FAR, TW_ONCE)};
    bare_start(service, seat, bare_run, moment_now() + FAR, TW_ONCE);
    if (!case_await(service, seat, &bare.runs, 4, "a task whose argument is no pointer"))
        return;
    bare_start(service, seat, bare_other, 1, TW_ONCE);
    if (!case_await(service, seat, &bare.others, 1, "a task of another function"))
        return;
    for (uint32_t i = 0; i < 2; i++)
        if (service->runner->stop(seat, stopped[i]) != TW_RUN_STOPPED)
            FIND(service, RACE_STOP, "a task whose argument is %p was not stopped", argument);
    int answer = service->runner->shut(seat, returned, NULL);
    if (answer != TW_RUN_OK || atomic_load(&bare.returned) != (returned != NULL))
        FIND(service, RACE_LOST, "shut answered %d and returned %u timers with the argument %p",
             answer, atomic_load(&bare.returned), argument);
    race_leave(service, seat);
    if (!race_is_over(service))
        race_close(service);
}

static void bare_arguments(struct race_service *service)
{
    for (uint32_t i = 0; i < 3 && !race_is_over(service); i++) {
        race_again(service);
        bare.runs = bare.others = bare.returned = 0;
        struct tw_seat *seat = case_open(service, (struct tw_runner_config){0});
        if (seat)
            bare_play(service, seat, i < 2 ? bare_return : NULL,
                      (void *)(i == 1 ? UINTPTR_MAX : 0));
    }
}

/* ---- Names over a long life. --------------------------------------------------------------------- */

/* More than a count of 24 bits has; of 20 bits where 1 .. 99,999 operations are asked for, or the driver gives places back. */
#define LIFE_USES  ((1u << 24) + 8u)
#define BRIEF_USES ((1u << 20) + 8u)

static void names_of_one(struct race_service *service)
{
    const struct tw_runner *runner = service->runner;
    struct tw_seat *seat =
        case_open(service, (struct tw_runner_config){.capacity = 1, .tick_ns = US});
    struct tw_task task = {.run = bare_run, .due_ns = moment_now() + 60 * FAR};
    uint32_t uses = service->options->operations - 1 < 99999 ? BRIEF_USES : LIFE_USES;
    tw_timer first = 0, name = 0;
    for (uint32_t i = 0; seat && i < uses && !race_is_over(service); i++) {
        int answer = runner->start(seat, &task, &name);
        if (answer == TW_RUN_FULL && runner->purge) {
            runner->purge(seat);
            answer = runner->start(seat, &task, &name);
        }
        if (answer != TW_RUN_OK || runner->stop(seat, name) != TW_RUN_STOPPED)
            FIND(service, RACE_STOP, "the only timer was not started (%d) or not stopped", answer);
        else if (name == first)
            FIND(service, RACE_NAMES, "a timer has the name %#" PRIx64 " after %u uses again", name,
                 i);
        first = i == 0 ? name : first;
    }
    if (seat)
        case_close(service, seat);
}

static struct {
    tw_timer first;
    _Atomic uint32_t runs;
} chain;

/* Starts the next one, which takes its place or the other one. */
static int chain_run(struct tw_seat *seat, void *argument, const struct tw_firing *firing)
{
    struct race_service *service = argument;
    struct tw_task task = {.run = chain_run, .argument = argument, .due_ns = 1};
    tw_timer name;
    uint32_t runs = atomic_load(&chain.runs);
    if (runs == 0)
        chain.first = firing->timer;
    else if (firing->timer == chain.first)
        FIND(service, RACE_NAMES, "a timer has the name %#" PRIx64 " after %u uses again",
             firing->timer, runs);
    if (runs < 2 * BRIEF_USES && service->runner->start(seat, &task, &name) != TW_RUN_OK)
        FIND(service, RACE_START, "a task that ran did not start the only other one");
    atomic_fetch_add(&service->runs, 1);
    atomic_store(&chain.runs, runs + 1);
    return 0;
}

/* Where the place of a stopped one comes back when the driver has had its turn, one that has run gives its place back at
 * once.  One that wakes on ticks has them behind it. */
static void names_of_a_chain(struct race_service *service)
{
    struct tw_seat *seat =
        case_open(service, (struct tw_runner_config){.capacity = 2, .tick_ns = US});
    struct tw_task task = {.run = chain_run, .argument = service, .due_ns = 1};
    tw_timer name;
    if (race_has(service, TW_RUNNER_TICKS))
        race_clock_move(8000 * MS);
    if (seat && service->runner->start(seat, &task, &name) != TW_RUN_OK)
        FIND(service, RACE_START, "the only timer was not started");
    if (seat && case_await(service, seat, &chain.runs, 2 * BRIEF_USES + 1,
                           "a task that the one before started"))
        case_close(service, seat);
}

/* In the timed object, which counts as the proved one does, in less time. */
static void names_of_a_life(struct race_service *service)
{
    struct race_service life = case_another(service);
    life.runner = service->timed;
    if (!case_tickless(&life) || !case_tickless(service))
        return;
    if (race_has(service, TW_RUNNER_LATE_PLACE) && !race_has(service, TW_RUNNER_CALLERS_DRIVE))
        names_of_a_chain(service);
    else
        names_of_one(&life);
}

/* ---- Wake-ups. ----------------------------------------------------------------------------------- */

#define WAKES 16u

/* A timer that is due, started while all of them sleep, wakes one, which runs it; by turns with one that becomes due while
 * they sleep, so that no start has the lock: then they sleep once for each wake-up. */
static void wake_ups(struct race_service *service)
{
    struct usage before, own, later;
    struct tw_runner_stats first, last;
    uint32_t rounds = 0, over = 0;
    usage_take(&before, NULL);
    struct tw_seat *seat =
        case_open(service, (struct tw_runner_config){.threads = 2, .tick_ns = 5 * MS});
    usage_take(&own, &before);
    bool drives = race_has(service, TW_RUNNER_CALLERS_DRIVE);
    for (uint32_t i = 0; seat && !drives && i < 2 * WAKES; i++) {
        uint64_t from = moment_now();
        struct race_account *next = i % 2 ? case_start_at(service, seat, from + 6 * MS) : NULL;
        if (!usage_all_sleep(service, &own))
            break;
        usage_take(&own, &before); /* sleeps are those of a longer time than wake-ups */
        service->runner->stats(service->service, &first);
        if (!(next ? case_await(service, seat, &next->runs, 1, "a timer that is due")
                   : case_run(service, seat, 1, "a timer that is due")) ||
            !usage_all_sleep(service, &own))
            return;
        service->runner->stats(service->service, &last);
        usage_take(&later, &before);
        bool told = last.wakeups > first.wakeups && last.useful_wakeups > first.useful_wakeups;
        rounds += next && told;
        over += next && last.wakeups - first.wakeups > later.sleeps - own.sleeps;
        if (last.longest_pause_ns > moment_now() - from)
            FIND(service, RACE_STATS, "longest_pause_ns is %" PRIu64 ", as if sleep were work",
                 last.longest_pause_ns);
        if (!next && !told)
            FIND(service, RACE_STATS,
                 "all threads of the runner's slept, then one ran a task: its wake-ups went from "
                 "%" PRIu64 " to %" PRIu64 ", useful ones from %" PRIu64 " to %" PRIu64,
                 first.wakeups, last.wakeups, first.useful_wakeups, last.useful_wakeups);
    }
    if (rounds > WAKES / 2 && 4 * over > 3 * rounds)
        FIND(service, RACE_STATS, "in %u of %u rounds more wake-ups than its threads slept", over,
             rounds);
    case_close(service, seat);
}

/* ---- Purges. ------------------------------------------------------------------------------------- */

#define PURGED 8u

/* Where stopped timers keep their places, a purge tells how many came back; else none. */
static bool purge_tells(struct race_service *service, struct tw_seat *seat)
{
    if (!race_has(service, TW_RUNNER_PURGES) || !service->runner->purge)
        return true;
    for (uint32_t i = 0; i < PURGED; i++)
        if (!case_start_at(service, seat, moment_now() + FAR))
            return false;
    for (uint32_t i = 0; i < PURGED; i++)
        race_stop(service, seat, &service->accounts[i]);
    struct race_account *more = race_account(service);
    more->due_ns = moment_now() + FAR;
    uint32_t kept = race_start(service, seat, more) == TW_RUN_FULL ? PURGED : 0;
    uint32_t told = service->runner->purge(seat);
    if (told != kept)
        FIND(service, RACE_PLACES, "purge says that %u places came back; expected %u", told, kept);
    return true;
}

/* ---- Calls beside a task. ------------------------------------------------------------------------- */

static void *call_beside(void *ctx)
{
    struct race_service *service = ctx;
    struct race_account *slow = &service->accounts[atomic_load(&service->next) - 1];
    struct tw_seat *seat = race_enter(service);
    bool once = slow->repeat == TW_ONCE;
    if (seat && case_await(service, seat, &slow->runs, 1, "a timer that is due")) {
        struct tw_runner_stats stats;
        if (slow == service->accounts)
            case_each_bit(service, seat, atomic_load(&slow->fired_name));
        if (once)
            case_stop(service, seat, slow, TW_RUN_TOO_LATE, "a timer that runs");
        struct race_account *far = case_start_at(service, seat, moment_now() + FAR);
        if (far)
            case_stop(service, seat, far, TW_RUN_STOPPED, "a far timer beside a task");
        service->runner->stats(service->service, &stats);
        if (!once && stats.pending != 1)
            FIND(service, RACE_STATS, "pending is %" PRIu64 " while a periodic timer runs, alone",
                 stats.pending);
        service->runner->describe(service->service, &(struct tw_runner_description){0});
        race_leave(service, race_enter(service));
        race_purge(service, seat);
        if (!once)
            case_stop(service, seat, slow, TW_RUN_STOPPED, "a periodic timer that runs");
        race_leave(service, seat);
    }
    atomic_store(&service->is_let_go, 1);
    return NULL;
}

/* A task that does not end before another thread has started, stopped and asked: no call waits for it. */
static bool calls_beside_a_task(struct race_service *service, struct tw_seat *seat)
{
    for (uint32_t repeat = TW_FIXED_DELAY + 1; repeat-- > TW_ONCE;) {
        pthread_t other;
        atomic_store(&service->is_let_go, 0);
        struct race_account *slow =
            CASE_TIMER(service, seat, .due_ns = moment_now(), .repeat = repeat, .period_ns = MS,
                       .deed = DEED_HOLD);
        if (!slow || !case_thread(service, &other, call_beside, service))
            return false;
        case_await(service, seat, &slow->runs, 1, "a timer that is due");
        pthread_join(other, NULL);
        case_ended(service, seat);
    }
    return !race_is_over(service);
}

static bool service_in_a_task(struct race_service *service, struct tw_seat *seat)
{
    struct race_account *opens = CASE_TIMER(service, seat, .due_ns = 1, .deed = DEED_OPEN);
    return opens && case_await(service, seat, &opens->runs, 1, "a timer that is due") &&
           case_ended(service, seat);
}

/* Tasks that start where no place is left are refused, and do not wait for one: it may be their own thread that gives it
 * back.  One that failed goes on, too. */
static bool tasks_when_full(struct race_service *service, struct tw_seat *seat)
{
    struct race_account *again[3];
    for (uint32_t i = 0; i < 3; i++) {
        again[i] = CASE_TIMER(service, seat, .due_ns = moment_now() + (i == 0 ? 20 * MS : 0),
                              .repeat = i == 1 ? TW_FIXED_RATE : TW_FIXED_DELAY, .period_ns = MS,
                              .deed = i == 0 ? DEED_START : DEED_FAIL);
        if (!again[i])
            return false;
    }
    for (int answer = TW_RUN_OK; answer == TW_RUN_OK;) {
        struct race_account *far = race_account(service);
        far->due_ns = moment_now() + FAR;
        answer = race_start(service, seat, far);
    }
    for (uint32_t i = 0; i < 3; i++)
        if (!case_await(service, seat, &again[i]->runs, 6,
                        "a periodic timer whose task fails or "
                        "starts another"))
            return false;
    return true;
}

/* A task may take all places but the one that is its own until it has ended. */
static bool filled_by_a_task(struct race_service *service, struct tw_seat *seat)
{
    struct race_account *fills = CASE_TIMER(service, seat, .due_ns = 1, .deed = DEED_FILL);
    if (!fills || !case_await(service, seat, &fills->runs, 1, "a timer that is due") ||
        !case_ended(service, seat))
        return false;
    uint32_t taken = atomic_load(&service->next) - 2, cap = service->description.max_pending;
    if (taken > cap || taken + 1 < (race_has(service, TW_RUNNER_SPLIT_CAP) ? 2 : cap))
        FIND(service, RACE_PLACES, "a task took %u of %u places", taken, cap);
    return true;
}

/* While a task holds the only thread that runs any, those that are due with it are stopped: none of them runs. */
static bool stopped_behind_a_task(struct race_service *service, struct tw_seat *seat)
{
    uint64_t due = moment_now() + 5 * MS, before = atomic_load(&service->runs);
    if (!race_has(service, TW_RUNNER_ONE_DISPATCH) || race_has(service, TW_RUNNER_CALLERS_DRIVE))
        return true;
    for (uint32_t i = 0; i < 8; i++)
        if (!CASE_TIMER(service, seat, .due_ns = due, .repeat = TW_FIXED_RATE, .period_ns = MS,
                        .deed = DEED_HOLD))
            return false;
    if (!case_await(service, seat, &service->tasks_inside, 1, "eight timers that are due"))
        return false;
    for (uint32_t i = 0; i < 8; i++)
        case_stop(service, seat, &service->accounts[i], TW_RUN_STOPPED, "one that is due");
    atomic_store(&service->is_let_go, 1);
    case_run(service, seat, moment_now() + 3 * MS, "a timer behind those that were stopped");
    if (atomic_load(&service->runs) > before + 2)
        FIND(service, RACE_STOPPED, "timers ran that had been stopped behind a task");
    return !race_is_over(service);
}

/* One that is behind for ever, because its task takes longer than a tick, leaves timers of other seats and ticks their turns.
 * All dues have passed, so that a runner whose clock falls behind comes to them too. */
static bool beside_one_behind(struct race_service *service, struct tw_seat *seat)
{
    uint64_t due = service->opened_ns;
    struct tw_seat *other = race_enter(service);
    race_wait(service, seat, due + MS);
    struct race_account *behind = CASE_TIMER(service, seat, .due_ns = due, .period_ns = 1,
                                             .repeat = TW_FIXED_RATE, .sleep_ns = 300 * US);
    if (!behind || !case_await(service, seat, &behind->runs, 2, "a periodic timer"))
        return false;
    for (uint64_t i = 1; i < 5; i++)
        if (!case_run(service, other, due + i * 200 * US, "a timer beside one that is behind"))
            return false;
    race_leave(service, other);
    return case_stop(service, seat, behind, TW_RUN_STOPPED, "a timer that is behind");
}

/* ---- Signals. ------------------------------------------------------------------------------------ */

static void signal_take(int number)
{
    (void)number;
}

/* To all but the first thread, by whose sleeps the clock of patience goes. */
static void *signals_send(void *ctx)
{
    struct race_service *service = ctx;
    struct usage all;
    for (uint32_t i = 0; i < 20; i++) {
        race_sleep(500 * US);
        usage_take(&all, NULL);
        for (size_t k = 0; k < all.count; k++)
            if (all.tids[k] != getpid())
                syscall(SYS_tgkill, getpid(), all.tids[k], SIGUSR1);
    }
    atomic_store(&service->is_let_go, 1);
    return NULL;
}

/* Threads that sleep get signals, which the program handles: no wait is over and no timer runs before its time. */
static bool signals_end_nothing(struct race_service *service, struct tw_seat *seat)
{
    pthread_t sender;
    signal(SIGUSR1, signal_take);
    struct race_account *later = case_start_at(service, seat, moment_now() + 12 * MS);
    if (!later || !case_thread(service, &sender, signals_send, service))
        return false;
    while (!atomic_load(&service->is_let_go) && !race_is_over(service))
        race_wait(service, seat, moment_now() + 5 * MS);
    pthread_join(sender, NULL);
    return case_await(service, seat, &later->runs, 1, "a timer of which signals came before");
}

/* Shut comes while a task runs: when that has ended, a periodic one is returned. */
static bool shut_while_it_runs(struct race_service *service, struct tw_seat *seat)
{
    for (enum tw_repeat repeat = TW_ONCE; repeat <= TW_FIXED_DELAY; repeat++) {
        struct race_account *slow =
            CASE_TIMER(service, seat, .due_ns = moment_now(), .repeat = repeat, .period_ns = MS,
                       .sleep_ns = 20 * MS);
        if (!slow || !case_await(service, seat, &slow->runs, 1, "a due timer"))
            return false;
    }
    return true;
}

const struct race_case race_told[] = {
    RACE_ALONE("arguments of any bits, and nobody to return to", bare_arguments),
    RACE_ALONE("names of a long life", names_of_a_life),
    RACE_ALONE("wake-ups", wake_ups),
    RACE_CASE("purges", purge_tells, 0, .capacity = PURGED),
    RACE_CASE("calls beside a task", calls_beside_a_task, 0, .threads = 2, .tick_ns = 500 * US),
    RACE_CASE("a service in a task", service_in_a_task, 0, 0),
    RACE_CASE("tasks when it is full", tasks_when_full, 0, .capacity = 8, .tick_ns = 500 * US),
    RACE_CASE("filled by a task", filled_by_a_task, 0, .capacity = 16, .threads = 4),
    RACE_CASE("stopped behind a task", stopped_behind_a_task, 0, 0),
    RACE_CASE("beside one that is behind", beside_one_behind, 0, .threads = 2, .tick_ns = 200 * US),
    RACE_CASE("signals", signals_end_nothing, 0, 0),
    RACE_CASE("shut while tasks run", shut_while_it_runs, 0, .threads = 2),
    {.name = NULL},
};
