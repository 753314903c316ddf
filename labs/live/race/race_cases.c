/* race_cases.c - written cases: wake-ups, caps, places, names, periods, shut, leaving callers. */
#include "labs/live/race/race_service.h"

#include "labs/live/runners/moment.h"

#define ACCOUNTS 4096u
#define MANY     1000u

/* ---- What the cases share. -------------------------------------------------------------------- */

struct tw_seat *case_open(struct race_service *service, struct tw_runner_config config)
{
    const struct race_options *options = service->options;
    config.design_settings = options->design_settings;
    config.design_setting_count = options->design_setting_count;
    config.horizon_ns = config.horizon_ns > 0 ? config.horizon_ns : 2 * FAR;
    config.capacity = config.capacity > 0 ? config.capacity : 64;
    config.tick_ns = config.tick_ns > 0 ? config.tick_ns : MS;
    if (config.setting_count == 0) {
        config.settings = options->settings;
        config.setting_count = options->setting_count;
    }
    uint32_t accounts = service->account_count > 0 ? service->account_count : ACCOUNTS;
    return race_open(service, &config, accounts) ? race_enter(service) : NULL;
}

struct race_service case_another(const struct race_service *service)
{
    return (struct race_service){.runner = service->runner,
                                 .options = service->options,
                                 .design = service->design,
                                 .seed = service->seed,
                                 .notes = service->notes};
}

/* The same as long as the service is. */
static void describe_again(struct race_service *service)
{
    struct tw_runner_description said;
    const struct tw_runner_description *before = &service->description;
    service->runner->describe(service->service, &said);
    if (said.tick_ns != before->tick_ns || said.max_pending != before->max_pending ||
        said.threads != before->threads || said.shards != before->shards)
        FIND(service, RACE_OPEN, "describe tells another tick, cap, threads or shards than before");
}

void case_close(struct race_service *service, struct tw_seat *seat)
{
    if (!seat || race_is_over(service))
        return;
    if (!atomic_load(&service->shut_began_ns)) {
        describe_again(service);
        service->runner->stats(service->service, &service->open);
        uint64_t told = service->open.own_bytes + service->open.design_bytes;
        if (service->taken_bytes > 2 * told + (1 << 20))
            FIND(service, RACE_STATS, "it tells %" PRIu64 " bytes; open took %" PRIu64, told,
                 service->taken_bytes);
        race_shut(service, seat);
    }
    struct tw_seat *late = race_enter(service);
    struct race_account *never = late ? race_account(service) : NULL;
    if (never)
        race_start(service, late, never);
    race_leave(service, late);
    describe_again(service);
    race_judge(service);
    race_leave(service, seat);
    if (!race_is_over(service))
        race_close(service);
}

void case_play(struct race_service *service, const struct race_case *written)
{
    service->account_count = written->accounts;
    struct tw_seat *seat = written->play ? case_open(service, written->config) : NULL;
    if (written->alone)
        written->alone(service);
    else if (seat && written->play(service, seat))
        case_close(service, seat);
}

struct race_account *case_start(struct race_service *service, struct tw_seat *seat,
                                struct race_account *account)
{
    int answer = account ? race_start(service, seat, account) : TW_RUN_MEMORY;
    uint64_t end = race_clock(service) + race_patience_ns(service);
    while (answer == TW_RUN_FULL && race_clock(service) < end) {
        race_purge(service, seat);
        race_wait(service, seat, moment_now() + 500 * US);
        answer = race_start(service, seat, account);
    }
    if (answer == TW_RUN_OK)
        return account;
    FIND(service, answer == TW_RUN_FULL ? RACE_PLACES : RACE_START,
         "start answered %d where there is room, for a due %.3f ms away", answer,
         account && account->due_ns > moment_now() ? (double)(account->due_ns - moment_now()) / 1e6
                                                   : 0.0);
    return NULL;
}

struct race_account *case_timer(struct race_service *service, struct tw_seat *seat,
                                const struct race_account *wishes)
{
    struct race_account *account = race_account(service);
    if (account)
        memcpy(account, wishes, offsetof(struct race_account, name));
    return case_start(service, seat, account);
}

bool case_run(struct race_service *service, struct tw_seat *seat, uint64_t due_ns, const char *what)
{
    struct race_account *account = case_start_at(service, seat, due_ns);
    return account && case_await(service, seat, &account->runs, 1, what);
}

bool case_await(struct race_service *service, struct tw_seat *seat, _Atomic uint32_t *counter,
                uint32_t least, const char *what)
{
    uint64_t end = 0;
    uint32_t now = 0, before = UINT32_MAX;
    while ((now = atomic_load(counter)) < least && !race_is_over(service)) {
        if (now != before)
            end = race_clock(service) + race_patience_ns(service);
        else if (race_clock(service) >= end)
            break;
        before = now;
        race_wait(service, seat, moment_now() + 300 * US);
    }
    if (now < least)
        FIND(service, RACE_DUE, "%s: not within %u s", what, service->options->patience_s);
    return !race_is_over(service);
}

bool case_ended(struct race_service *service, struct tw_seat *seat)
{
    while (atomic_load(&service->tasks_inside) > 0 && !race_is_over(service))
        race_wait(service, seat, moment_now() + 300 * US);
    return !race_is_over(service);
}

void case_settle(struct race_service *service, struct tw_seat *seat)
{
    uint64_t seen = 0, since = race_clock(service);
    while (atomic_load(&service->near) > 0 && !atomic_load(&service->shut_began_ns) &&
           !race_is_over(service)) {
        race_wait(service, seat, moment_now() + 100 * US);
        uint64_t left = atomic_load(&service->near);
        if (left != seen)
            since = race_clock(service);
        else if (race_clock(service) - since > race_patience_ns(service))
            FIND(service, RACE_DUE, "%" PRIu64 " timers were due and have not run for %u s", left,
                 service->options->patience_s);
        seen = left;
    }
}

bool case_stop(struct race_service *service, struct tw_seat *seat, struct race_account *account,
               int expected, const char *what)
{
    int answer = race_stop(service, seat, account);
    if (answer != expected)
        FIND(service, RACE_STOP, "stop of %s answered %d; expected %d", what, answer, expected);
    return !race_is_over(service);
}

bool case_thread(struct race_service *service, pthread_t *thread, void *(*run)(void *), void *ctx)
{
    if (pthread_create(thread, NULL, run, ctx) == 0)
        return true;
    FIND(service, RACE_OPEN, "the system gave no thread");
    return false;
}

/* ---- Waking up. ------------------------------------------------------------------------------- */

static bool past_and_near(struct race_service *service, struct tw_seat *seat)
{
    struct race_account *accounts = service->accounts;
    uint64_t now = moment_now();
    const uint64_t dues[8] = {0, 1, now - 20 * MS, now, now + 7 * MS, now + MS, now + 3 * MS, now};
    for (size_t i = 0; i < 8; i++)
        if (!case_start_at(service, seat, dues[i]))
            return false;
    for (size_t i = 0; i < 8; i++)
        if (!case_await(service, seat, &accounts[i].runs, 1, "a timer that is due"))
            return false;
    uint64_t tick_ns = service->description.tick_ns;
    uint64_t on_tick = atomic_load(&accounts[7].turn_ns) + (40 * MS / tick_ns + 1) * tick_ns;
    return case_run(service, seat, on_tick, "a timer that is due on a tick");
}

/* A task starts the next timer to be due, and after that nobody calls. */
static bool start_in_a_task(struct race_service *service, struct tw_seat *seat)
{
    if (!case_start_at(service, seat, moment_now() + FAR))
        return false;
    for (uint32_t i = 0; i < 6 && !race_is_over(service); i++) {
        struct race_account *starts =
            CASE_TIMER(service, seat, .due_ns = moment_now() + MS, .deed = DEED_START);
        if (!starts || !case_await(service, seat, &starts->runs, 1, "a timer that is due"))
            return false;
        case_settle(service, seat);
    }
    return !race_is_over(service);
}

/* Whoever sleeps for a later head has to be woken for an earlier one. */
static bool earlier_head(struct race_service *service, struct tw_seat *seat)
{
    if (!case_start_at(service, seat, moment_now() + FAR))
        return false;
    for (uint64_t i = 0; i < 5; i++) {
        race_wait(service, seat, moment_now() + 2 * MS);
        if (!case_run(service, seat, moment_now() + i * MS, "a timer before one that is far"))
            return false;
    }
    return true;
}

/* A caller that sleeps elsewhere, by what the runner says, and never waits in it for anything to come. */
static bool sleeps_elsewhere(struct race_service *service, struct tw_seat *seat)
{
    bool drives = service->runner->flags & TW_RUNNER_CALLERS_DRIVE;
    for (uint64_t i = 0; drives && i < 6 && !race_is_over(service); i++) {
        if (race_next(service, seat) != TW_DUE_MAX)
            FIND(service, RACE_DUE, "next is a moment though no timer is there");
        struct race_account *later = case_start_at(service, seat, moment_now() + 9 * MS);
        struct race_account *head = case_start_at(service, seat, moment_now() + i * MS);
        if (!later || !head)
            return false;
        for (uint32_t looks = 0;
             atomic_load(&later->runs) + atomic_load(&head->runs) < 2 && !race_is_over(service);
             looks++) {
            bool headless = atomic_load(&head->runs) > 0;
            /* A caller that lost the core between the two starts made the head the later one. */
            bool first =
                !headless && (head->due_ns < later->due_ns || atomic_load(&later->runs) > 0);
            uint64_t due = first ? head->due_ns : later->due_ns;
            uint64_t next = race_next(service, seat);
            if (next == TW_DUE_MAX || next > due + service->description.tick_ns)
                FIND(service, RACE_DUE, "next is later than the tick of the head");
            else if (looks > 1000)
                FIND(service, RACE_IDLE,
                     "a caller came back 1,000 times when next said so, and "
                     "nothing was due");
            moment_sleep(next);
            race_wait(service, seat, 0);
        }
    }
    return true;
}

/* The worker falls behind its ticks by tasks that sleep, and is back on its ticks after that. */
static bool catches_up(struct race_service *service, struct tw_seat *seat)
{
    uint64_t tick_ns = 2 * MS, lag = UINT64_MAX;
    uint64_t begin = moment_now() + tick_ns;
    for (uint64_t i = 0; i < 20; i++) {
        if (!CASE_TIMER(service, seat, .due_ns = begin + i * tick_ns,
                        .sleep_ns = i == 19 ? 12 * tick_ns : tick_ns * 3 / 4))
            return false;
    }
    struct race_account *last = &service->accounts[19];
    if (!case_await(service, seat, &last->runs, 1, "the last of timers that sleep"))
        return false;
    uint64_t end = race_clock(service) + race_patience_ns(service);
    while (lag > 4 * tick_ns && race_clock(service) < end && !race_is_over(service)) {
        struct race_account *now = case_start_at(service, seat, moment_now());
        if (!now || !case_await(service, seat, &now->runs, 1, "a timer that is due"))
            return false;
        lag = atomic_load(&now->began_ns) - atomic_load(&now->turn_ns);
    }
    if (lag > 4 * tick_ns)
        FIND(service, RACE_CATCH_UP,
             "after tasks that slept it stays %.1f ticks behind the clock, for %u s",
             (double)lag / (double)tick_ns, service->options->patience_s);
    struct tw_runner_stats stats;
    service->runner->stats(service->service, &stats);
    if (service->runner->flags & TW_RUNNER_TICKS && stats.overslept_ticks < 10)
        FIND(service, RACE_STATS, "a task slept for 12 ticks; overslept ticks are %" PRIu64,
             stats.overslept_ticks);
    return true;
}

/* ---- Cap, places, names. ---------------------------------------------------------------------- */

uint32_t case_fill(struct race_service *service, struct tw_seat *seat, uint32_t least,
                   struct race_account **accounts)
{
    uint32_t cap = service->description.max_pending;
    least = least > 0 ? least : race_has(service, TW_RUNNER_SPLIT_CAP) ? 1 : cap;
    uint64_t end = race_clock(service) + race_patience_ns(service);
    struct race_account *account = NULL;
    uint32_t count = 0;
    while (count <= cap && !race_is_over(service)) {
        account = account ? account : race_account(service);
        account->due_ns = moment_now() + FAR;
        if (race_start(service, seat, account) == TW_RUN_OK) {
            if (accounts)
                accounts[count] = account;
            count++;
            account = NULL;
        } else if (count >= least || race_clock(service) > end) {
            break;
        } else {
            race_purge(service, seat);
            race_wait(service, seat, moment_now() + 500 * US);
        }
    }
    if (count > cap)
        FIND(service, RACE_CAP, "%u timers pend; the cap is %u", count, cap);
    else if (count < least)
        FIND(service, RACE_PLACES, "only %u of %u places can be taken, for %u s", count, least,
             service->options->patience_s);
    return count;
}

/* All places are stopped at one go, in the latter rounds by a second seat, and can be taken again. */
static bool cap_and_places(struct race_service *service, struct tw_seat *seat)
{
    struct race_account *accounts[MANY + 1];
    uint32_t cap = service->description.max_pending, nears = cap < 32 ? cap : 32, least = 0;
    struct tw_seat *other = race_enter(service);
    for (uint32_t round = 0; round < 4 && !race_is_over(service); round++) {
        uint32_t count = least = case_fill(service, seat, least, accounts);
        race_wait(service, seat, moment_now() + 3 * MS);
        for (uint32_t i = 0; i < count && !race_is_over(service); i++)
            case_stop(service, round < 2 ? seat : other, accounts[i], TW_RUN_STOPPED,
                      "a far timer");
        race_purge(service, seat);
        for (uint32_t i = 0; i < nears && round % 2 == 1 && !race_is_over(service); i++) {
            if (!case_run(service, seat, moment_now(), "a timer that is due"))
                return false;
        }
    }
    race_leave(service, other);
    return true;
}

static bool out_of_reach(struct race_service *service, struct tw_seat *seat)
{
    tw_tick span = service->description.design.span;
    bool own = service->runner->flags & TW_RUNNER_OWN_TIMERS;
    if (span < INT64_MAX / 2 / service->description.tick_ns && !own) {
        uint64_t reach = span * service->description.tick_ns;
        for (uint32_t i = 0; i <= service->description.max_pending; i++) {
            struct race_account *account = race_account(service);
            account->due_ns = moment_now() + reach + FAR;
            int answer = race_start(service, seat, account);
            if (answer != TW_RUN_RANGE)
                FIND(service, RACE_START, "start answered %d for a due beyond the design's reach",
                     answer);
        }
        bool ticks = race_has(service, TW_RUNNER_TICKS); /* else it is asleep since its open */
        race_clock_move(ticks ? 0 : reach / 2);
        case_start_at(service, seat, moment_now() + reach / 8 * (ticks ? 4 : 7));
    }
    return true;
}

/* ---- Stops. ----------------------------------------------------------------------------------- */

static bool stops_answer(struct race_service *service, struct tw_seat *seat)
{
    struct race_account *far = case_start_at(service, seat, moment_now() + FAR);
    if (!far || !case_stop(service, seat, far, TW_RUN_STOPPED, "a far timer") ||
        !case_stop(service, seat, far, TW_RUN_IDLE, "a stopped timer"))
        return false;
    struct race_account *ran = case_start_at(service, seat, moment_now());
    if (!ran || !case_await(service, seat, &ran->runs, 1, "a timer that is due") ||
        !case_stop(service, seat, ran, TW_RUN_TOO_LATE, "a timer that ran, whose place is free"))
        return false;
    struct race_account *own =
        CASE_TIMER(service, seat, .due_ns = moment_now(), .deed = DEED_STOP_SELF);
    if (!own || !case_await(service, seat, &own->runs, 1, "a timer that is due"))
        return false;
    const tw_timer nobody[] = {0, UINT64_MAX, UINT64_C(1) << 32 | 63, 7};
    for (size_t i = 0; i < sizeof nobody / sizeof nobody[0]; i++)
        if (service->runner->stop(seat, nobody[i]) != TW_RUN_IDLE &&
            nobody[i] != atomic_load(&ran->name) && nobody[i] != atomic_load(&far->name))
            FIND(service, RACE_STOP, "stop of a name that no timer had did not answer IDLE");
    return true;
}

/* ---- Periodic. -------------------------------------------------------------------------------- */

/* The last one takes longer to run than its period.  With it a runner that makes up for ticks falls further behind the
 * clock with each run, and a fixed delay counts from the clock: so it comes after the others have had their runs. */
static bool periods(struct race_service *service, struct tw_seat *seat)
{
    struct race_account *timers[4] = {NULL};
    for (size_t i = 0; i < 4; i++) {
        enum tw_repeat repeat = i == 0 || i == 3 ? TW_FIXED_RATE : TW_FIXED_DELAY;
        for (size_t j = 0; j < i && i == 3; j++)
            if (!case_await(service, seat, &timers[j]->runs, 5,
                            "the fifth run of a periodic timer"))
                return false;
        timers[i] = CASE_TIMER(service, seat, .due_ns = moment_now() + MS, .repeat = repeat,
                               .period_ns = MS + i, .sleep_ns = i < 2 ? 0 : 2 * MS);
        if (!timers[i])
            return false;
    }
    if (!case_await(service, seat, &timers[3]->runs, 5, "the fifth run of a slow periodic timer"))
        return false;
    for (size_t i = 1; i < 4; i++)
        if (!case_stop(service, seat, timers[i], TW_RUN_STOPPED, "a periodic timer") ||
            !case_stop(service, seat, timers[i], TW_RUN_IDLE, "a stopped periodic timer"))
            return false;
    /* Time to run again for one that goes on after its stop; the last one is returned. */
    return case_run(service, seat, moment_now() + 15 * MS, "a timer behind stopped ones");
}

/* ---- Queues and shut. ------------------------------------------------------------------------- */

bool case_transfer(const struct race_service *service, struct tw_setting *setting, uint64_t most)
{
    *setting = (struct tw_setting){.name = "transfer", .count = 1, .values = {most}};
    return param_find(service->runner->params, setting->name) != NULL;
}

static void limited_transfer(struct race_service *service)
{
    struct tw_setting setting;
    if (!case_transfer(service, &setting, 8))
        return;
    struct tw_seat *seat = case_open(
        service, (struct tw_runner_config){
                     .capacity = 256, .tick_ns = 4 * MS, .settings = &setting, .setting_count = 1});
    struct race_account *accounts = service->accounts;
    for (size_t i = 0; i < 100; i++)
        if (!seat || !case_start_at(service, seat, 1))
            return;
    for (size_t i = 0; i < 100; i++)
        if (!case_await(service, seat, &accounts[i].runs, 1, "one of 100 timers, 8 moved a tick"))
            return;
    for (size_t i = 0; i < 100; i++) {
        uint32_t same = 0;
        for (size_t j = 0; j < 100; j++)
            same += atomic_load(&accounts[i].turn_ns) == atomic_load(&accounts[j].turn_ns);
        if (same > 8)
            FIND(service, RACE_LIMIT, "%u timers fired on one tick, which moves at most 8", same);
    }
    struct tw_runner_stats stats;
    service->runner->stats(service->service, &stats);
    if (stats.most_transferred - 1 > 7)
        FIND(service, RACE_STATS, "most_transferred is %" PRIu64 "; expected 1 to 8",
             stats.most_transferred);
    case_close(service, seat);
}

/* What is in a queue, in the design and with a task that runs comes back from shut, or ends before it. */
static bool shut_with_pending(struct race_service *service, struct tw_seat *seat)
{
    for (uint32_t i = 0; i < 400; i++) {
        if (i == 200)
            race_wait(service, seat, moment_now() + 5 * MS);
        if (!case_start_at(service, seat, moment_now() + (i % 8 == 0 ? i * 50 * US : FAR)))
            return false;
    }
    return CASE_TIMER(service, seat, .due_ns = moment_now() + MS, .repeat = TW_FIXED_DELAY,
                      .period_ns = MS);
}

/* ---- Callers that leave. ---------------------------------------------------------------------- */

static void *start_and_leave(void *ctx)
{
    struct race_service *service = ctx;
    struct tw_seat *seat = race_enter(service);
    for (uint32_t i = 0; seat && i < 200; i++)
        if (!case_start_at(service, seat, moment_now() + (i % 4 == 0 ? i * 20 * US : FAR)))
            break;
    race_leave(service, seat);
    return NULL;
}

/* What a thread left behind fires, and another thread stops it. */
static bool callers_that_leave(struct race_service *service, struct tw_seat *seat)
{
    for (uint32_t round = 0; round < 3 && !race_is_over(service); round++) {
        pthread_t thread;
        uint32_t first = atomic_load(&service->next);
        if (!case_thread(service, &thread, start_and_leave, service))
            return false;
        pthread_join(thread, NULL);
        for (uint32_t i = first; i < first + 200 && !race_is_over(service); i++)
            if ((i - first) % 4 == 0)
                case_await(service, seat, &service->accounts[i].runs, 1,
                           "a timer of a thread that has ended");
            else if ((i - first) % 4 == 1)
                case_stop(service, seat, &service->accounts[i], TW_RUN_STOPPED,
                          "a far timer of a thread that has ended");
    }
    return true;
}

static void *fill_and_leave(void *ctx)
{
    struct race_service *service = ctx;
    struct tw_seat *seat = race_enter(service);
    if (seat)
        case_fill(service, seat, 1, NULL);
    race_leave(service, seat);
    return NULL;
}

/* A thread takes all places for far timers and leaves.  When others have stopped these, the places come back. */
static bool places_left_behind(struct race_service *service, struct tw_seat *seat)
{
    for (uint32_t round = 0; round < 2 && !race_is_over(service); round++) {
        pthread_t thread;
        uint32_t first = atomic_load(&service->next);
        if (!case_thread(service, &thread, fill_and_leave, service))
            return false;
        pthread_join(thread, NULL);
        /* Time for whoever has them now to sleep until the first is due. */
        race_wait(service, seat, moment_now() + 3 * MS);
        for (uint32_t i = first; i < atomic_load(&service->next) && !race_is_over(service); i++)
            race_stop(service, seat, &service->accounts[i]);
        if (!case_run(service, seat, moment_now(), "a timer that is due"))
            return false;
    }
    return true;
}

const struct race_case race_cases[] = {
    RACE_CASE("past and near dues", past_and_near, 0, 0),
    RACE_CASE("an earlier head", earlier_head, 0, 0),
    RACE_CASE("a start in a task", start_in_a_task, 0, 0),
    RACE_CASE("catching up", catches_up, 0, .tick_ns = 2 * MS),
    RACE_CASE("sleeping elsewhere", sleeps_elsewhere, 0, 0),
    RACE_CASE("a cap below the capacity", cap_and_places, 0, .capacity = 32, .max_pending = 5),
    RACE_CASE("all places", cap_and_places, 0, .capacity = 16),
    RACE_CASE("many stops", cap_and_places, 5 * MANY, .capacity = MANY),
    RACE_CASE("out of reach", out_of_reach, 0, 0),
    RACE_CASE("what stops answer", stops_answer, 0, 0),
    RACE_CASE("periods", periods, 0, .tick_ns = 500 * US),
    RACE_ALONE("a limited transfer", limited_transfer),
    RACE_CASE("shut with pending timers", shut_with_pending, 0, .capacity = 512, .tick_ns = 2 * MS),
    RACE_CASE("callers that leave", callers_that_leave, 0, .capacity = 1024, .tick_ns = 200 * US),
    RACE_CASE("places left behind", places_left_behind, 0, .capacity = 32),
    {.name = NULL},
};
