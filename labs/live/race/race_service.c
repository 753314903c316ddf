/* race_service.c - calls the runner under proof, notes each call, and delays threads at its points. */
#include "labs/live/race/race_service.h"

#include "harness/base/hash.h"
#include "labs/live/runners/moment.h"
#include "labs/live/runners/opening.h"

#include <malloc.h>

static const char *const call_names[RACE_CALL_COUNT] = {[RACE_CALL_NONE] = "",
#define RACE_CALL_NAME(name) [RACE_CALL_##name] = #name,
                                                        RACE_CALLS(RACE_CALL_NAME)
#undef RACE_CALL_NAME
};

const char *race_call_name(uint32_t call)
{
    return call < RACE_CALL_COUNT ? call_names[call] : "an unknown call";
}

uint64_t race_mix(uint64_t a, uint64_t b)
{
    uint64_t h = (a ^ (b + UINT64_C(0x9e3779b97f4a7c15)) * UINT64_C(0xff51afd7ed558ccd));
    h = (h ^ (h >> 32)) * UINT64_C(0xbf58476d1ce4e5b9);
    h = (h ^ (h >> 29)) * UINT64_C(0x94d049bb133111eb);
    return h ^ (h >> 32);
}

/* ---- Points. ---------------------------------------------------------------------------------- */

/* Whether this pass of the point is one at which nobody was held yet. */
static bool gate_is_new(struct race_gate *gate, const char *name)
{
    uint32_t i = 0;
    pthread_mutex_lock(&gate->lock);
    while (i + 1 < RACE_GATE_POINTS && gate->at[i].name && strcmp(gate->at[i].name, name) != 0)
        i++;
    gate->at[i].name = name;
    bool is_new = ++gate->at[i].passed > gate->at[i].held && gate->at[i].held < gate->most;
    uint32_t set = GATE_SET;
    is_new = is_new && atomic_compare_exchange_strong(&gate->state, &set, GATE_HOLDS);
    gate->at[i].held += is_new;
    pthread_mutex_unlock(&gate->lock);
    return is_new;
}

/* Stays at the point until the gate is opened. */
static void gate_pass(struct race_service *service, uint32_t number, const char *name)
{
    struct race_gate *gate = &service->gate;
    if (atomic_load(&gate->state) != GATE_SET || number < gate->first || number > gate->last ||
        !gate_is_new(gate, name))
        return;
    snprintf(service->notes->held_at, sizeof service->notes->held_at, "held at '%s'", name);
    while (atomic_load(&gate->state) == GATE_HOLDS)
        moment_sleep(moment_now() + 20 * US);
}

/* Mostly nothing, at times the shortest sleep, seldom a longer one.  No yield: on a busy machine the thread would come
 * behind all other work each time, and a worker that wakes on ticks would never reach the last one.  Each service has
 * points, a quarter of all, at which its threads are delayed ten times as often and as long. */
void race_reach(void *ctx, uint32_t number, uint64_t passed, const char *name)
{
    struct race_service *service = ctx;
    atomic_fetch_add_explicit(&service->points_passed, 1, memory_order_relaxed);
    gate_pass(service, number, name);
    race_turn_pass(&service->turns, number);
    if (service->point_weight == 0)
        return;
    bool hot = race_mix(service->seed, hash_text(HASH_BEGIN, name)) % 4 == 0;
    uint64_t draw = race_mix(service->seed ^ (uint64_t)number << 48, passed);
    uint64_t chance = draw % 4096, weight = service->point_weight * (hot ? 10u : 1u);
    if (chance < 4 * weight)
        moment_sleep(moment_now() + (hot ? draw >> 40 : draw >> 44) % (200 * US));
    else if (chance < 40 * weight)
        moment_sleep(moment_now() + 2 * US);
    else
        return;
    atomic_fetch_add_explicit(&service->delays, 1, memory_order_relaxed);
}

/* ---- Notes. ----------------------------------------------------------------------------------- */

static struct race_note *note_begin(struct race_service *service, const struct tw_seat *seat,
                                    enum race_call call)
{
    struct race_note *note =
        &service->notes->of[seat ? seat->number % RACE_NOTE_MASTER : RACE_NOTE_MASTER];
    atomic_fetch_add_explicit(&note->turn, 1, memory_order_relaxed);
    atomic_store_explicit(&note->inside, seat ? seat->in_task : 0, memory_order_relaxed);
    atomic_store_explicit(&note->call, (uint32_t)call, memory_order_relaxed);
    return note;
}

static void note_end(struct race_note *note)
{
    atomic_store_explicit(&note->call, RACE_CALL_NONE, memory_order_relaxed);
}

/* Does something that is a call of the runner's. */
#define NOTED(service, seat, call, ...)                                                            \
    do {                                                                                           \
        struct race_note *noted = note_begin(service, seat, RACE_CALL_##call);                     \
        __VA_ARGS__;                                                                               \
        note_end(noted);                                                                           \
    } while (0)

/* ---- The task of every timer. ----------------------------------------------------------------- */

static int race_task(struct tw_seat *seat, void *argument, const struct tw_firing *firing);

static void task_start(struct race_service *service, struct tw_seat *seat, uint64_t draw)
{
    struct race_account *account = race_account(service);
    if (!account)
        return;
    account->due_ns = moment_now() + draw % (500 * US);
    account->is_near = true;
    if (draw >> 40 & 1) {
        account->repeat = draw >> 41 & 1 ? TW_FIXED_RATE : TW_FIXED_DELAY;
        account->period_ns = 300 * US;
        account->deed = DEED_STOP_SELF;
    }
    race_start(service, seat, account);
}

static void task_stop(struct race_service *service, struct tw_seat *seat, uint64_t draw)
{
    uint32_t taken = atomic_load(&service->next);
    uint32_t back = (uint32_t)(draw % 32) + 1;
    if (taken >= back && taken <= service->account_count)
        race_stop(service, seat, &service->accounts[taken - back]);
}

static void task_shut(struct race_service *service, struct tw_seat *seat)
{
    int answer;
    NOTED(service, seat, shut, answer = service->runner->shut(seat, NULL, NULL));
    if (answer != TW_RUN_INSIDE &&
        (answer != TW_RUN_CLOSED || atomic_load(&service->shut_began_ns) == 0))
        FIND(service, RACE_INSIDE, "a task called shut, which answered %d", answer);
}

static void task_work(void)
{
    uint64_t begun = tally_cpu_ns();
    while (tally_cpu_ns() - begun < RACE_WORK_NS)
        ;
}

static void task_await(struct race_service *service, const struct race_account *other)
{
    uint64_t end = race_clock(service) + race_patience_ns(service);
    while (atomic_load(&other->runs) == 0 && race_clock(service) < end && !race_is_over(service))
        moment_sleep(moment_now() + 200 * US);
    if (atomic_load(&other->runs) == 0)
        FIND(service, RACE_DUE,
             "while one thread of the runner's ran a task, a timer was due and has not run in "
             "another for %u s",
             service->options->patience_s);
}

static void task_call(struct race_service *service, struct tw_seat *seat, void *argument)
{
    const struct tw_runner *runner = service->runner;
    struct tw_task far = {
        .run = race_task, .argument = argument, .due_ns = moment_now() + 60 * FAR};
    tw_timer name = 0;
    int answer = runner->start(seat, &far, &name);
    if (answer == TW_RUN_OK ? runner->stop(seat, name) != TW_RUN_STOPPED : answer != TW_RUN_FULL)
        FIND(service, RACE_STOP, "a task did not start (%d) or not stop a far timer", answer);
    if (runner->stop(seat, name) != TW_RUN_IDLE)
        FIND(service, RACE_STOP, "a task stopped a timer again, and the answer was not IDLE");
    race_purge(service, seat);
    task_shut(service, seat);
}

static void task_fill(struct race_service *service, struct tw_seat *seat)
{
    struct race_account *far;
    while ((far = race_account(service)) && (far->due_ns = moment_now() + FAR) &&
           race_start(service, seat, far) == TW_RUN_OK)
        continue;
}

/* Opens, uses and shuts another service: what a thread is in is for the seat to say. */
static void task_open(const struct race_service *outer)
{
    struct race_service inner = case_another(outer);
    struct tw_seat *seat = case_open(&inner, (struct tw_runner_config){.capacity = 8});
    if (seat && case_run(&inner, seat, 1, "a timer of a service that a task opened"))
        case_close(&inner, seat);
}

static int race_task(struct tw_seat *seat, void *argument, const struct tw_firing *firing)
{
    struct race_account *account = argument;
    struct race_service *service = account->service;
    race_ran(account, firing, moment_now());
    uint64_t draw = race_mix(service->seed, (uint64_t)(account - service->accounts));
    bool is_own =
        race_has(service, TW_RUNNER_CALLERS_DRIVE) || seat->number < service->description.threads;
    if (!seat->in_task || seat->service != service->service || !is_own)
        FIND(service, is_own ? RACE_FIRING : RACE_TRAITS,
             "a task got a seat that is not marked as one of a task of this service, or a caller's "
             "though TW_RUNNER_CALLERS_DRIVE is not set");
    if (account->sleep_ns > 0)
        moment_sleep(moment_now() + account->sleep_ns);
    if (account->deed == DEED_START && account->awaits)
        race_start(service, seat, account->awaits);
    else if (account->deed == DEED_START)
        task_start(service, seat, draw);
    else if (account->deed == DEED_STOP)
        task_stop(service, seat, draw);
    else if (account->deed == DEED_STOP_SELF && account->repeat != TW_ONCE)
        race_stop(service, seat, account);
    else if (account->deed == DEED_STOP_SELF &&
             service->runner->stop(seat, firing->timer) != TW_RUN_TOO_LATE)
        FIND(service, RACE_STOP, "a task stopped its own timer, and the answer was not TOO_LATE");
    else if (account->deed == DEED_SHUT)
        task_shut(service, seat);
    else if (account->deed == DEED_OPEN)
        task_open(service);
    else if (account->deed == DEED_WORK)
        task_work();
    else if (account->deed == DEED_AWAIT)
        task_await(service, account->awaits);
    else if (account->deed == DEED_CALL)
        task_call(service, seat, account);
    else if (account->deed == DEED_FILL)
        task_fill(service, seat);
    while (account->deed == DEED_HOLD && !atomic_load(&service->is_let_go) &&
           !race_is_over(service))
        moment_sleep(moment_now() + 200 * US);
    bool fails = account->deed == DEED_FAIL;
    uint64_t failed = atomic_fetch_add(&service->failed, fails);
    race_ran_out(account);
    static const int other_than_0[] = {7, -1, 256, INT_MIN, 65536};
    return fails ? other_than_0[failed % 5] : 0;
}

/* ---- Calls. ----------------------------------------------------------------------------------- */

/* jemalloc's. */
int mallctl(const char *, void *, size_t *, void *, size_t) __attribute__((weak));

uint64_t race_heap(void)
{
    uint64_t epoch = 1;
    size_t bytes = 0, size = sizeof bytes;
    if (!mallctl)
        return (uint64_t)mallinfo2().uordblks + mallinfo2().hblkhd;
    mallctl("epoch", NULL, NULL, &epoch, sizeof epoch);
    mallctl("stats.allocated", &bytes, &size, NULL, 0);
    return bytes;
}

/* The tick and the cap as given; the design may have a lower cap, and shards may round theirs down. */
static void judge_description(struct race_service *service, const struct tw_runner_config *config)
{
    const struct tw_runner_description *said = &service->description;
    uint32_t cap = opening_cap_of_design(&said->design, opening_cap(config));
    bool split = service->runner->flags & TW_RUNNER_SPLIT_CAP;
    bool right = split ? said->max_pending > 0 && said->max_pending <= opening_cap(config)
                       : said->max_pending == cap;
    if (!right)
        FIND(service, RACE_OPEN, "describe says that at most %u may pend; opened with %u",
             said->max_pending, cap);
    if (said->shards == 0 && service->design)
        FIND(service, RACE_OPEN, "describe says that no instance of the design is there");
    if (said->tick_ns == 0 || (config->tick_ns > 0 && said->tick_ns != config->tick_ns))
        FIND(service, RACE_OPEN, "describe says ticks of %" PRIu64 " ns; opened with %" PRIu64,
             said->tick_ns, config->tick_ns);
    for (size_t i = 0; i < config->setting_count; i++) {
        const struct tw_setting *given = &config->settings[i], *told = said->settings;
        size_t at = 0;
        while (at < said->setting_count && strcmp(told[at].name, given->name) != 0)
            at++;
        /* There need not be more of anything than timers. */
        uint64_t value = given->values[0], most = opening_cap(config);
        if (at == said->setting_count ||
            (told[at].values[0] != value && (value <= most || told[at].values[0] != most)))
            FIND(service, RACE_OPEN, "describe does not say that it was opened with %s=%" PRIu64,
                 given->name, given->values[0]);
    }
}

bool race_open(struct race_service *service, struct tw_runner_config *config, uint32_t accounts)
{
    struct tw_error error = {""};
    const struct tw_runner *runner = service->runner;
    service->accounts = calloc(accounts, sizeof *service->accounts);
    if (!service->accounts) {
        FIND(service, RACE_OPEN, "no memory for the books");
        return false;
    }
    service->account_count = accounts;
    service->service = NULL;
    service->points = (struct tw_points){race_reach, service};
    config->points = &service->points;
    config->design = service->design;
    struct race_note *note = note_begin(service, NULL, RACE_CALL_open);
    uint64_t heap = race_heap();
    int answer = runner->open(&service->service, config, &error);
    /* Many shards of a design with a slot for each tick; they may leave no room for the stack of a thread. */
    bool is_narrow = answer == TW_RUN_MEMORY || answer == TW_RUN_SYSTEM;
    if (is_narrow && service->is_varied) {
        config->setting_count = 0;
        config->horizon_ns = 0;
        answer = runner->open(&service->service, config, &error);
    }
    note_end(note);
    uint64_t after = race_heap();
    service->taken_bytes = after > heap ? after - heap : 0;
    service->opened_ns = moment_now();
    if (answer != TW_RUN_OK) {
        if (!service->may_refuse || answer > TW_RUN_MEMORY || service->service || !error.text[0])
            FIND(service, RACE_OPEN, "open answered %d: %.300s", answer, error.text);
        return false;
    }
    NOTED(service, NULL, describe, runner->describe(service->service, &service->description));
    judge_description(service, config);
    return !race_is_over(service);
}

/* is_done stays as it is: the child reads it all the while. */
void race_again(struct race_service *service)
{
    struct race_sums sums = {0};
    race_sum(service, &sums);
    service->before = sums;
    /* A runner that is broken may still call the tasks of accounts: they are not freed. */
    memset(&service->accounts, 0,
           offsetof(struct race_service, is_done) - offsetof(struct race_service, accounts));
}

struct tw_seat *race_enter(struct race_service *service)
{
    struct tw_seat *seat;
    NOTED(service, NULL, enter, seat = service->runner->enter(service->service));
    if (!seat || seat->service != service->service || seat->in_task ||
        seat->number < service->description.threads)
        FIND(service, RACE_OPEN, "enter gave %s",
             seat ? "a seat of another service, of a task, or with a thread's number" : "no seat");
    return seat;
}

void race_leave(struct race_service *service, struct tw_seat *seat)
{
    if (seat && !race_is_over(service))
        NOTED(service, seat, leave, service->runner->leave(seat));
}

void race_wait(struct race_service *service, struct tw_seat *seat, uint64_t until_ns)
{
    bool stands = service->clock_stands;
    if (stands)
        race_sleep(100 * US);
    NOTED(service, seat, wait, service->runner->wait(seat, stands ? 1 : until_ns));
    if (!stands && moment_now() < until_ns)
        FIND(service, RACE_RETURNS, "wait returned before its moment");
}

uint64_t race_next(struct race_service *service, struct tw_seat *seat)
{
    uint64_t next;
    NOTED(service, seat, next, next = service->runner->next(seat));
    return next;
}

void race_purge(struct race_service *service, struct tw_seat *seat)
{
    if (!(service->runner->flags & TW_RUNNER_PURGES) || !service->runner->purge)
        return;
    NOTED(service, seat, purge, service->runner->purge(seat));
}

struct returning {
    struct race_service *service;
    struct tw_seat *seat;
    pthread_t thread;
};

/* An argument that is none of the accounts would be a crash, so it is looked at first. */
static void race_return(void *ctx, tw_timer timer, void *argument)
{
    struct returning *returning = ctx;
    struct race_service *service = returning->service;
    uintptr_t at = (uintptr_t)argument, begin = (uintptr_t)service->accounts;
    if (at < begin || at >= begin + service->account_count * sizeof *service->accounts ||
        (at - begin) % sizeof *service->accounts != 0) {
        FIND(service, RACE_LOST, "shut returned an argument that none had");
        return;
    }
    struct race_account *account = argument;
    if (!pthread_equal(returning->thread, pthread_self()))
        FIND(service, RACE_SHUT,
             "shut gave a timer back in another thread than the one that called it");
    race_ended(account, RACE_RETURNED);
    uint64_t none = 0;
    if (!atomic_compare_exchange_strong(&account->fired_name, &none, timer) && none != timer)
        FIND(service, RACE_NAMES, "shut returned a timer under another name than it fired under");
    if (timer % 4 != 0)
        return;
    note_begin(service, returning->seat, RACE_CALL_stop);
    int answer = service->runner->stop(returning->seat, timer);
    note_begin(service, returning->seat, RACE_CALL_shut);
    if (answer != TW_RUN_IDLE)
        FIND(service, RACE_STOP, "stop of a timer that was returned answered %d; expected IDLE",
             answer);
}

int race_shut(struct race_service *service, struct tw_seat *seat)
{
    struct returning returning = {service, seat, pthread_self()};
    uint64_t none = 0, now = moment_now();
    atomic_compare_exchange_strong(&service->shut_began_ns, &none, now);
    int answer;
    NOTED(service, seat, shut, answer = service->runner->shut(seat, race_return, &returning));
    if (answer == TW_RUN_OK) {
        uint32_t inside = atomic_load(&service->tasks_inside);
        atomic_store(&service->shut_ended_ns, moment_now());
        if (atomic_fetch_add(&service->is_shut, 1) > 0)
            FIND(service, RACE_SHUT, "shut answered OK twice");
        if (inside > 0)
            FIND(service, RACE_SHUT, "shut returned while %u tasks were running", inside);
    } else if (answer != TW_RUN_CLOSED) {
        FIND(service, RACE_SHUT, "shut answered %d outside of a task", answer);
    }
    return answer;
}

/* What the statistics count, against the books, and against what they said before shut. */
static void judge_stats(struct race_service *service)
{
    struct tw_runner_stats stats = {0};
    NOTED(service, NULL, stats, service->runner->stats(service->service, &stats));
    const struct tw_runner_stats *open = &service->open;
    uint64_t runs = atomic_load(&service->runs), failed = atomic_load(&service->failed);
    const struct race_number rows[] = {
        {"pending", stats.pending, 0, 0},
        {"runs", stats.runs, runs, runs},
        {"failed", stats.failed, failed, failed},
        {"wakeups", stats.wakeups, open->wakeups, UINT64_MAX},
        {"useful_wakeups", stats.useful_wakeups, open->useful_wakeups, stats.wakeups},
        {"transferred", stats.transferred, open->transferred, UINT64_MAX},
        {"most_transferred", stats.most_transferred, open->most_transferred, stats.transferred},
        {"overslept_ticks", stats.overslept_ticks, open->overslept_ticks, UINT64_MAX},
        {"stalled", stats.stalled, open->stalled, UINT64_MAX},
        {"cpu_ns", stats.cpu_ns, open->cpu_ns, UINT64_MAX},
        {"own_bytes", stats.own_bytes, open->own_bytes / 2, UINT64_C(1) << 30},
    };
    race_numbers_judge(service, rows, sizeof rows / sizeof rows[0]);
}

void race_close(struct race_service *service)
{
    judge_stats(service);
    if (service->runner->check) {
        const char *broken;
        NOTED(service, NULL, check, broken = service->runner->check(service->service));
        if (broken)
            FIND(service, RACE_CHECK, "%.300s", broken);
    }
    NOTED(service, NULL, close, service->runner->close(service->service));
}

struct race_account *race_account(struct race_service *service)
{
    uint32_t at = atomic_load(&service->next);
    while (at < service->account_count &&
           !atomic_compare_exchange_weak(&service->next, &at, at + 1))
        ;
    if (at >= service->account_count)
        return NULL;
    service->accounts[at].service = service;
    return &service->accounts[at];
}

int race_start(struct race_service *service, struct tw_seat *seat, struct race_account *account)
{
    struct tw_task task = {.run = race_task,
                           .argument = account,
                           .due_ns = account->due_ns,
                           .period_ns = account->period_ns,
                           .repeat = (enum tw_repeat)account->repeat};
    tw_timer name = 0;
    atomic_store(&account->next_due_ns, account->due_ns);
    atomic_fetch_add(&service->near, account->is_near);
    uint64_t began = moment_now();
    int answer;
    NOTED(service, seat, start, answer = service->runner->start(seat, &task, &name));
    race_started(account, answer, name, began);
    return answer;
}

int race_stop(struct race_service *service, struct tw_seat *seat, struct race_account *account)
{
    tw_timer name = atomic_load(&account->name);
    if (name == 0)
        return TW_RUN_IDLE;
    uint64_t began = moment_now();
    int answer;
    NOTED(service, seat, stop, answer = service->runner->stop(seat, name));
    race_stopped(account, answer, began, moment_now());
    return answer;
}

/* ---- Findings. --------------------------------------------------------------------------------- */

const char *const race_rule_names[RACE_RULE_COUNT] = {[RACE_HOLDS] = "",
#define RACE_RULE_SENTENCE(key, sentence) [RACE_##key] = (sentence),
                                                      RACE_RULES(RACE_RULE_SENTENCE)
#undef RACE_RULE_SENTENCE
};

void race_find(struct race_finding *finding, enum race_rule rule, const char *format, ...)
{
    va_list arguments;
    if (atomic_exchange(&finding->taken, 1) != 0)
        return;
    va_start(arguments, format);
    vsnprintf(finding->detail, sizeof finding->detail, format, arguments);
    va_end(arguments);
    atomic_store(&finding->rule, (uint32_t)rule);
}
