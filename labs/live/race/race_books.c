/* race_books.c - judges each start, stop, run and return by the account of its timer. */
#include "labs/live/race/race_service.h"

#include "labs/live/runners/moment.h"

/* By enum tw_repeat, and by enum race_end. */
static const char *const kinds[] = {"one-shot", "fixed-rate", "fixed-delay"};
static const char *const end_names[] = {"pending", "run", "stopped", "returned"};

/* b - a in words for a message; b is later. */
static double us(uint64_t a, uint64_t b)
{
    return (double)(b - a) / 1e3;
}

/* A finding that begins with the timer: "fixed-rate timer 7: ..." */
#define FIND_OF(account, rule, ...)                                                                \
    do {                                                                                           \
        char what[300];                                                                            \
        snprintf(what, sizeof what, __VA_ARGS__);                                                  \
        FIND((account)->service, rule, "%s timer %" PRIu64 ": %s", kinds[(account)->repeat],       \
             (uint64_t)((account) - (account)->service->accounts), what);                          \
    } while (0)

void race_ended(struct race_account *account, enum race_end end)
{
    uint32_t before = atomic_fetch_add(&account->ends, 1);
    if (before > 0) {
        FIND_OF(account, RACE_TWICE, "was %s, and before that %s", end_names[end],
                end_names[atomic_load(&account->end)]);
        return;
    }
    atomic_store(&account->end, (uint32_t)end);
    if (account->is_near)
        atomic_fetch_sub(&account->service->near, 1);
}

/* ---- Runs. ------------------------------------------------------------------------------------ */

/* due <= tick <= turn <= now, each where the contract puts it. */
static void judge_moments(const struct race_account *account, const struct tw_firing *firing,
                          uint64_t now_ns)
{
    struct race_service *service = account->service;
    uint64_t tick_ns = service->description.tick_ns, due = firing->due_ns;
    uint64_t grid = firing->tick_ns % tick_ns + 1, before = 0;
    bool first = atomic_compare_exchange_strong(&service->grid_ns, &before, grid);
    if (now_ns < due)
        FIND_OF(account, RACE_EARLY, "began %.3f us before it was due", us(now_ns, due));
    else if (firing->turn_ns > now_ns)
        FIND_OF(account, RACE_EARLY, "began %.3f us before its tick", us(now_ns, firing->turn_ns));
    else if (firing->tick_ns < due)
        FIND_OF(account, RACE_FIRING, "its tick is %.3f us before its due",
                us(firing->tick_ns, due));
    else if (due > service->opened_ns && firing->tick_ns - due >= tick_ns)
        FIND_OF(account, RACE_FIRING,
                "its tick is %.3f us after its due; expected the first one, of %.3f us",
                us(due, firing->tick_ns), us(0, tick_ns));
    else if (firing->turn_ns < firing->tick_ns)
        FIND_OF(account, RACE_FIRING, "it fired on a tick %.3f us before its own",
                us(firing->turn_ns, firing->tick_ns));
    else if ((!first && grid != before) || firing->turn_ns % tick_ns + 1 != grid)
        FIND_OF(account, RACE_FIRING,
                "its tick and the one on which it fired lie %.3f and %.3f us behind one of %.3f "
                "us, those of others %.3f us",
                us(1, grid), us(0, firing->turn_ns % tick_ns), us(0, tick_ns),
                us(1, first ? grid : before));
}

static void judge_due(struct race_account *account, const struct tw_firing *firing)
{
    uint64_t expected =
        account->repeat == TW_ONCE ? account->due_ns : atomic_load(&account->next_due_ns);
    bool first = atomic_load(&account->runs) == 1;
    if (account->repeat == TW_ONCE && firing->due_ns != expected)
        FIND_OF(account, RACE_FIRING, "the firing has another due than the start");
    else if (firing->due_ns < expected)
        FIND_OF(account, RACE_REPEAT, "run %u is due %.3f us before %s",
                atomic_load(&account->runs), us(firing->due_ns, expected),
                account->repeat == TW_FIXED_RATE ? "it is meant to be"
                                                 : "a period after the end of the one before");
    else if (firing->due_ns > expected &&
             (account->repeat == TW_FIXED_RATE || first || account->service->clock_stands))
        FIND_OF(account, RACE_REPEAT, "run %u is due %.3f us after what is meant",
                atomic_load(&account->runs), us(expected, firing->due_ns));
}

/* One that a stop took may run once more, if that run was under way when the stop answered. */
static void judge_stopped(struct race_account *account)
{
    if (account->repeat != TW_ONCE && atomic_load(&account->end) == RACE_STOPPED_BY &&
        atomic_fetch_add(&account->runs_after_stop, 1) > 0)
        FIND_OF(account, RACE_STOPPED, "began run %u after a stop that answered STOPPED",
                atomic_load(&account->runs));
}

void race_ran(struct race_account *account, const struct tw_firing *firing, uint64_t now_ns)
{
    struct race_service *service = account->service;
    if (atomic_fetch_add(&service->tasks_inside, 1) > 0 &&
        service->runner->flags & TW_RUNNER_ONE_DISPATCH)
        FIND(service, RACE_TRAITS, "two tasks run at once, though TW_RUNNER_ONE_DISPATCH is set");
    /* What another thread may read once it sees the run counted comes before the count. */
    atomic_store(&account->ran_in, (uint64_t)pthread_self());
    uint64_t turn_before = atomic_exchange(&account->turn_ns, firing->turn_ns);
    uint64_t name_before = atomic_exchange(&account->fired_name, firing->timer);
    atomic_store(&account->began_ns, now_ns);
    atomic_store(&account->late_by_ns,
                 now_ns - (account->repeat == TW_FIXED_DELAY ? atomic_load(&account->next_due_ns)
                                                             : firing->due_ns));
    atomic_fetch_add(&service->progress, 1);
    atomic_fetch_add(&service->runs, 1);
    atomic_fetch_add(&account->runs, 1);
    if (atomic_load(&service->is_shut))
        FIND_OF(account, RACE_SHUT, "began after shut had returned");
    if (account->repeat != TW_ONCE && atomic_fetch_add(&account->running, 1) > 0)
        FIND_OF(account, RACE_REPEAT, "runs in two threads at once");
    judge_due(account, firing);
    judge_moments(account, firing, now_ns);
    judge_stopped(account);
    if (turn_before == firing->turn_ns)
        FIND_OF(account, RACE_CATCH_UP, "ran twice on one tick");
    if (name_before != 0 && name_before != firing->timer)
        FIND_OF(account, RACE_NAMES, "changes its name from run to run");
    if (account->repeat == TW_ONCE)
        race_ended(account, RACE_RAN);
}

void race_ran_out(struct race_account *account)
{
    uint64_t now = moment_now();
    uint64_t from = account->repeat == TW_FIXED_RATE ? atomic_load(&account->next_due_ns) : now;
    atomic_store(&account->next_due_ns, moment_after(from, account->period_ns));
    atomic_store(&account->ended_ns, now);
    atomic_fetch_sub(&account->running, account->repeat != TW_ONCE);
    atomic_fetch_sub(&account->service->tasks_inside, 1);
}

/* ---- Answers. --------------------------------------------------------------------------------- */

void race_started(struct race_account *account, int answer, tw_timer name, uint64_t began_ns)
{
    struct race_service *service = account->service;
    atomic_fetch_add(&service->operations, 1);
    uint64_t shut_began = atomic_load(&service->shut_began_ns);
    if (answer == TW_RUN_OK) {
        atomic_store(&account->accepted, 1);
        atomic_store(&account->name, name);
        if (name == 0)
            FIND(service, RACE_NAMES, "start answered OK and the name 0, which is of none");
        if (atomic_load(&service->is_shut) && began_ns > atomic_load(&service->shut_ended_ns))
            FIND(service, RACE_START, "start answered OK after shut had returned");
        return;
    }
    atomic_fetch_add(&service->refused, 1);
    if (name != 0)
        FIND(service, RACE_START, "start answered %d, and told the name %#" PRIx64, answer, name);
    if (account->is_near)
        atomic_fetch_sub(&service->near, 1);
    if (answer != TW_RUN_CLOSED && atomic_load(&service->is_shut) &&
        began_ns > atomic_load(&service->shut_ended_ns))
        FIND(service, RACE_START, "start answered %d after shut had returned; expected CLOSED",
             answer);
    else if (answer == TW_RUN_CLOSED && shut_began == 0)
        FIND(service, RACE_START, "start answered CLOSED before anybody called shut");
    else if (answer != TW_RUN_CLOSED && answer != TW_RUN_FULL && answer != TW_RUN_RANGE &&
             answer != TW_RUN_MEMORY)
        FIND(service, RACE_START, "start answered %d, which it may not", answer);
}

void race_stopped(struct race_account *account, int answer, uint64_t began_ns, uint64_t ended_ns)
{
    struct race_service *service = account->service;
    atomic_fetch_add(&service->operations, 1);
    uint64_t none = 0;
    if (answer == TW_RUN_STOPPED) {
        atomic_store(&account->stop_began_ns, began_ns);
        atomic_store(&account->stop_ended_ns, ended_ns);
        race_ended(account, RACE_STOPPED_BY);
    } else if (answer == TW_RUN_IDLE) {
        atomic_compare_exchange_strong(&account->idle_ns, &none, ended_ns);
    } else if (answer == TW_RUN_TOO_LATE) {
        atomic_compare_exchange_strong(&account->late_ns, &none, ended_ns);
        if (account->repeat != TW_ONCE)
            FIND_OF(account, RACE_STOP, "is periodic, and stop answered TOO_LATE");
        else if (ended_ns < account->due_ns)
            FIND_OF(account, RACE_STOP, "got TOO_LATE from stop %.3f us before its due",
                    us(ended_ns, account->due_ns));
    } else {
        FIND(service, RACE_STOP, "stop answered %d, which it may not", answer);
    }
}

/* ---- After shut. ------------------------------------------------------------------------------ */

/* A stop that said "no such timer" of one that was pending until later. */
static void judge_idle(const struct race_account *account)
{
    uint64_t idle = atomic_load(&account->idle_ns);
    uint64_t later = 0;
    uint32_t end = atomic_load(&account->end);
    if (end == RACE_STOPPED_BY)
        later = atomic_load(&account->stop_began_ns);
    else if (end == RACE_RETURNED)
        later = atomic_load(&account->service->shut_began_ns);
    else if (account->repeat == TW_ONCE)
        later = account->due_ns;
    if (idle > 0 && idle < later)
        FIND_OF(account, RACE_STOP, "got IDLE from stop, and was pending and %s later",
                end_names[end]);
}

static void judge_account(const struct race_account *account)
{
    uint32_t ends = atomic_load(&account->ends), runs = atomic_load(&account->runs);
    uint32_t end = atomic_load(&account->end);
    uint64_t fired = atomic_load(&account->fired_name);
    if (!atomic_load(&account->accepted)) {
        if (ends > 0 || runs > 0)
            FIND_OF(account, RACE_START, "was refused, and %s", runs > 0 ? "ran" : "came back");
        return;
    }
    uint64_t due = account->due_ns, shut = atomic_load(&account->service->shut_began_ns);
    if (ends == 0)
        FIND_OF(account, RACE_LOST,
                "was accepted, due %.3f us %s shut, and neither ran nor was stopped or returned",
                due < shut ? us(due, shut) : us(shut, due), due < shut ? "before" : "after");
    else if (fired != 0 && fired != atomic_load(&account->name))
        FIND_OF(account, RACE_NAMES, "fired under another name than start gave it");
    else if (atomic_load(&account->late_ns) > 0 && end != RACE_RAN)
        FIND_OF(account, RACE_STOP, "got TOO_LATE from stop, and was %s", end_names[end]);
    else
        judge_idle(account);
}

static int by_name(const void *a, const void *b)
{
    uint64_t left = *(const uint64_t *)a, right = *(const uint64_t *)b;
    return left < right ? -1 : left > right;
}

static void judge_names(struct race_service *service, uint32_t count)
{
    uint64_t *names = malloc(((size_t)count + 1) * sizeof *names);
    uint32_t named = 0;
    for (uint32_t i = 0; names && i < count; i++)
        if (atomic_load(&service->accounts[i].accepted))
            names[named++] = atomic_load(&service->accounts[i].name);
    qsort(names, named, sizeof *names, by_name);
    for (uint32_t i = 1; i < named; i++)
        if (names[i] == names[i - 1])
            FIND(service, RACE_NAMES, "two timers have the same name, %#" PRIx64, names[i]);
    free(names);
}

static uint32_t accounts_taken(const struct race_service *service)
{
    uint32_t next = atomic_load(&service->next);
    return next < service->account_count ? next : service->account_count;
}

void race_judge(struct race_service *service)
{
    uint32_t count = accounts_taken(service);
    if (!atomic_load(&service->is_shut))
        FIND(service, RACE_SHUT, "shut answered CLOSED to all who called it");
    uint32_t returned = 0;
    for (uint32_t i = 0; i < count; i++) {
        judge_account(&service->accounts[i]);
        returned += atomic_load(&service->accounts[i].end) == RACE_RETURNED;
    }
    if (returned > service->description.max_pending)
        FIND(service, RACE_CAP, "shut returned %u timers; the cap is %u", returned,
             service->description.max_pending);
    judge_names(service, count);
}

void race_numbers_judge(struct race_service *service, const struct race_number *numbers,
                        size_t count)
{
    for (const struct race_number *row = numbers; row < numbers + count; row++)
        if (row->said < row->low || row->said > row->high)
            FIND(service, RACE_STATS,
                 "%s%s is %" PRIu64 "; by the books it is %" PRIu64 " to %" PRIu64,
                 atomic_load(&service->is_shut) ? "after shut, " : "", row->name, row->said,
                 row->low, row->high);
}

void race_sum(const struct race_service *service, struct race_sums *sums)
{
    uint32_t count = accounts_taken(service);
#define ADD(name, meaning) sums->name += service->before.name;
    RACE_SUMS(ADD)
#undef ADD
    sums->operations += atomic_load(&service->operations);
    sums->refused += atomic_load(&service->refused);
    sums->runs += atomic_load(&service->runs);
    sums->points += atomic_load(&service->points_passed);
    sums->delays += atomic_load(&service->delays);
    for (uint32_t i = 0; i < count; i++) {
        uint32_t end = atomic_load(&service->accounts[i].end);
        sums->accepted += atomic_load(&service->accounts[i].accepted);
        sums->ran += end == RACE_RAN;
        sums->stopped += end == RACE_STOPPED_BY;
        sums->returned += end == RACE_RETURNED;
    }
}
