/* race_numbers.c - cases that take numbers: of threads, seats, names and tasks, of wake-ups and bytes, of hours. */
#include "labs/live/race/race_service.h"

#include "harness/base/clock.h"
#include "harness/base/process_state.h"
#include "labs/live/runners/moment.h"
#include "labs/live/runners/opening.h"

#include <dirent.h>
#include <dlfcn.h>
#include <link.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#define SECOND UINT64_C(1000000000)

/* ---- Threads. --------------------------------------------------------------------------------- */

#define CALLERS_LEAST 17u
/* More than a number of six bits has. */
#define CALLERS_MOST 70u
#define EACH_STARTS  8u

static void *caller_live(void *ctx)
{
    struct race_service *service = ctx;
    struct race_account *accounts[EACH_STARTS] = {NULL};
    struct tw_seat *seat = race_enter(service);
    bool goes = seat != NULL;
    for (uint32_t i = 0; goes && i < EACH_STARTS; i++) {
        bool far = i % 4 == 3;
        accounts[i] = case_start_at(service, seat, moment_now() + (far ? FAR : i * 200 * US));
        goes = accounts[i] != NULL;
    }
    for (uint32_t i = 0; goes && i < EACH_STARTS; i++)
        if (i % 4 != 3)
            goes =
                case_await(service, seat, &accounts[i]->runs, 1, "a timer of one of many threads");
        else
            case_stop(service, seat, accounts[i], TW_RUN_STOPPED, "a far one of many threads");
    race_leave(service, seat);
    return NULL;
}

/* As many callers as the runner has threads or shards. */
static void threads_play(struct race_service *service, uint32_t count)
{
    pthread_t callers[CALLERS_MOST];
    uint32_t made = 0;
    struct tw_seat *seat = case_open(
        service,
        (struct tw_runner_config){.capacity = 64 * count, .threads = count, .tick_ns = 200 * US});
    while (seat && made < count && case_thread(service, &callers[made], caller_live, service))
        made++;
    for (uint32_t i = 0; i < made; i++)
        pthread_join(callers[i], NULL);
    case_close(service, seat);
}

static void many_threads(struct race_service *service)
{
    long online = sysconf(_SC_NPROCESSORS_ONLN);
    uint32_t cores = online > 0 ? (uint32_t)online : 1;
    uint32_t most = 3 * cores > CALLERS_LEAST ? 3 * cores : CALLERS_LEAST;
    const uint32_t counts[] = {1, cores, most, CALLERS_MOST};
    if (!case_tickless(service)) /* one with a slot for each tick would take the memory */
        return;
    for (size_t i = 0; i < sizeof counts / sizeof counts[0] && !race_is_over(service); i++) {
        race_again(service);
        threads_play(service, counts[i] < CALLERS_MOST ? counts[i] : CALLERS_MOST);
    }
}

/* While one thread of the runner's runs a task that takes long, another looks at what is due. */
static void led_meanwhile(struct race_service *service)
{
    for (int late = 0; late < 2 && !race_is_over(service); late++) {
        race_again(service);
        struct tw_seat *seat = case_open(service, (struct tw_runner_config){.threads = 2});
        struct race_account *slow = seat ? race_account(service) : NULL;
        struct race_account *other = seat ? race_account(service) : NULL;
        if (!slow || !other)
            return;
        if (service->description.threads < 2 ||
            race_has(service, TW_RUNNER_ONE_DISPATCH | TW_RUNNER_CALLERS_DRIVE)) {
            case_close(service, seat);
            return;
        }
        slow->due_ns = moment_now() + MS;
        other->due_ns = moment_now() + 6 * MS;
        slow->deed = DEED_AWAIT;
        slow->awaits = other;
        if ((!late && !case_start(service, seat, other)) || !case_start(service, seat, slow) ||
            !case_await(service, seat, &slow->runs, 1, "a timer that is due") ||
            (late && !case_start(service, seat, other)) ||
            !case_await(service, seat, &other->runs, 1, "a timer beside a long task"))
            return;
        case_close(service, seat);
    }
}

/* Callers drive where that is declared, and nowhere else. */
static bool who_drives(struct race_service *service, struct tw_seat *seat)
{
    struct race_account *near[4];
    bool drives = race_has(service, TW_RUNNER_CALLERS_DRIVE);
    for (uint32_t i = 0; i < 4; i++)
        if (!(near[i] = case_start_at(service, seat, moment_now() + i * MS)))
            return false;
    uint64_t end = race_clock(service) + race_patience_ns(service);
    for (uint32_t i = 0; i < 4; i++) {
        while (atomic_load(&near[i]->runs) == 0 && race_clock(service) < end &&
               !race_is_over(service))
            if (drives)
                race_wait(service, seat, moment_now() + 300 * US);
            else
                moment_sleep(moment_now() + 300 * US);
        if (atomic_load(&near[i]->runs) == 0)
            FIND(service, RACE_TRAITS,
                 "a timer has not run while its caller did%s wait for %u s, though "
                 "TW_RUNNER_CALLERS_DRIVE is%s set",
                 drives ? "" : " not", service->options->patience_s, drives ? "" : " not");
        if (drives && atomic_load(&near[i]->ran_in) != (uint64_t)pthread_self())
            FIND(service, RACE_TRAITS,
                 "a timer ran in another thread than its caller's, though "
                 "TW_RUNNER_CALLERS_DRIVE is set");
    }
    return true;
}

/* ---- Seats, names, tasks. ---------------------------------------------------------------------- */

#define SEATS_OPEN 300u /* at a time */
#define SEATS_WARM 2000u
#define SEATS      100000u
/* The head of a seat alone is larger; a runner keeps some that it has used. */
#define SEAT_BYTES_LEAST 30u

/* The sanitizers keep what was freed. */
#if defined __SANITIZE_ADDRESS__ || defined __SANITIZE_THREAD__
#define KEEPS_FREED true
#elif defined __has_feature
#define KEEPS_FREED (__has_feature(address_sanitizer) || __has_feature(thread_sanitizer))
#else
#define KEEPS_FREED false
#endif

static uint64_t least(uint64_t a, uint64_t b)
{
    return a < b ? a : b;
}

/* The least of many looks, up to one that is little enough: meanwhile the child's watch reads files. */
static uint64_t heap_least(uint64_t enough)
{
    uint64_t heap = race_heap();
    for (uint32_t looks = 0; looks < 200 && heap > enough; looks++, heap = least(heap, race_heap()))
        race_sleep(MS);
    return heap;
}

/* What so many uses have kept on the heap, as long as the allocator tells. */
static void judge_heap(struct race_service *service, enum race_rule rule, uint64_t before,
                       uint64_t most, const char *what)
{
    uint64_t after = heap_least(before + most);
    if (!KEEPS_FREED && after > before + most)
        FIND(service, rule, "%s, and %" PRIu64 " bytes not freed; expected at most %" PRIu64, what,
             after - before, most);
}

#define SEATS_ROUNDS 32u
#define SEATS_EACH   16u
/* Less than any part of a runner's that keeps timers of its own. */
#define PART_BYTES 1024u

/* Seats that start are left one after the other; the runner's threads may be behind by those of one round. */
static void seats_that_start(struct race_service *service, const struct usage *own)
{
    uint64_t before = 0;
    for (uint32_t i = 0; i < SEATS_ROUNDS * SEATS_EACH && !race_is_over(service); i++) {
        struct tw_seat *one = race_enter(service);
        struct race_account *far = one ? case_start_at(service, one, moment_now() + FAR) : NULL;
        if (!far || !case_stop(service, one, far, TW_RUN_STOPPED, "a far timer"))
            return;
        race_leave(service, one);
        if (i % SEATS_EACH == 0 && own->count > 0 && !usage_all_sleep(service, own))
            return;
        before = i == 4 * SEATS_EACH ? race_heap() : before;
    }
    judge_heap(service, RACE_SEATS, before, (SEATS_ROUNDS - 4) * SEATS_EACH * PART_BYTES,
               "448 seats were entered, have started a timer and left");
}

static void many_seats(struct race_service *service)
{
    uint64_t before = 0;
    struct usage others, own;
    usage_take(&others, NULL);
    struct tw_runner_config config = {.threads = SEATS_OPEN, .capacity = 4 * SEATS_OPEN};
    struct tw_seat *seat = case_tickless(service) ? case_open(service, config) : NULL;
    usage_take(&own, &others);
    if (!seat)
        return;
    struct tw_seat *open[SEATS_OPEN];
    for (uint32_t i = 0; i < SEATS_OPEN; i++) {
        open[i] = race_enter(service);
        struct race_account *far =
            open[i] ? case_start_at(service, open[i], moment_now() + FAR) : NULL;
        if (!far || !case_stop(service, open[i], far, TW_RUN_STOPPED, "a far one of 300 seats"))
            return;
    }
    if (!case_run(service, open[SEATS_OPEN - 1], moment_now() + 2 * MS, "one of 300 seats' timers"))
        return;
    for (uint32_t i = 0; i < SEATS_OPEN; i++)
        race_leave(service, open[i]);
    for (uint32_t i = 0; i < SEATS_WARM + SEATS && !race_is_over(service); i++) {
        struct tw_seat *one = race_enter(service);
        before = i == SEATS_WARM ? race_heap() : before;
        if (!one)
            return;
        race_leave(service, one);
    }
    judge_heap(service, RACE_SEATS, before, SEATS * (uint64_t)SEAT_BYTES_LEAST,
               "100,000 seats were entered and left");
    seats_that_start(service, &own);
    case_close(service, seat);
}

/* A name of one place comes again when it is used more often than its count is wide. */
#define NAME_USES 66000u

void case_each_bit(struct race_service *service, struct tw_seat *seat, tw_timer name)
{
    for (uint32_t bit = 0; bit < 64; bit++) {
        int answer = service->runner->stop(seat, name ^ UINT64_C(1) << bit);
        if (answer != TW_RUN_IDLE)
            FIND(service, RACE_NAMES,
                 "a stop by the only timer's name, %#" PRIx64 ", with bit %u turned, answered %d",
                 name, bit, answer);
    }
}

/* A place comes back with its stop, unless the runner declares otherwise.  One that takes it back on a tick has many
 * behind it, so that it need not wait for any. */
static bool one_place(struct race_service *service, struct tw_seat *seat)
{
    bool late = race_has(service, TW_RUNNER_LATE_PLACE | TW_RUNNER_PURGES);
    struct tw_seat *const seats[2] = {seat, race_enter(service)};
    uint64_t before = 0;
    if (race_has(service, TW_RUNNER_TICKS))
        race_clock_move(40 * SECOND);
    for (uint32_t i = 0; i < NAME_USES && !race_is_over(service); i++) {
        struct race_account *account = race_account(service);
        account->due_ns = moment_now() + 30 * SECOND;
        account->repeat = i % 3; /* any kind, stopped by its own seat or another's */
        account->period_ns = MS;
        uint64_t end = 0, tries = 0;
        int answer;
        while ((answer = race_start(service, seat, account)) == TW_RUN_FULL && late &&
               !race_is_over(service)) {
            race_purge(service, seat);
            if (++tries % 64 == 0)
                moment_sleep(moment_now() + 10 * US); /* the worker may need this core */
            end = end > 0 ? end : race_clock(service) + race_patience_ns(service);
            if (race_clock(service) > end)
                break;
        }
        if (answer != TW_RUN_OK) {
            FIND(service, late ? RACE_PLACES : RACE_TRAITS,
                 "start answered %d when the only timer had been stopped%s", answer,
                 late ? "" : ", though no flag says that places come back late");
            return false;
        }
        before = i == NAME_USES / 10 ? race_heap() : before;
        if (i % 1000 == 0 && service->description.max_pending == 1)
            case_each_bit(service, seats[i / 1000 % 2], atomic_load(&account->name));
        uint32_t back = 1u << i % 17; /* whatever the width of the count */
        tw_timer stale = back <= i ? atomic_load(&(account - back)->name) : 0;
        if (stale != 0 && service->runner->stop(seats[i % 2], stale) != TW_RUN_IDLE)
            FIND(service, RACE_NAMES,
                 "a stop by the name %#" PRIx64
                 " of a timer that had been stopped was not IDLE while its place was another's",
                 stale);
        case_stop(service, seat, account, TW_RUN_STOPPED, "the only timer");
    }
    judge_heap(service, RACE_MEMORY, before, NAME_USES * UINT64_C(2), "59,400 were stopped");
    race_leave(service, seats[1]);
    return true;
}

#define OTHER_PLACES 65536u

/* The last one of very many, which are taken: the width of a name may be another there. */
static void last_place(struct race_service *service)
{
    service->account_count = OTHER_PLACES + NAME_USES + 8;
    if (!case_tickless(service))
        return;
    struct tw_seat *seat =
        case_open(service, (struct tw_runner_config){.capacity = OTHER_PLACES, .tick_ns = 20 * US});
    uint32_t count = seat ? case_fill(service, seat, 0, NULL) : 0;
    if (count > 0 &&
        case_stop(service, seat, &service->accounts[count - 1], TW_RUN_STOPPED,
                  "the last of many") &&
        one_place(service, seat))
        case_close(service, seat);
}

#define TASKS_ROUNDS 265u
#define TASKS_EACH   1000u
/* Less than one block for each task. */
#define TASK_BYTES 4u

/* More tasks, and tasks that failed, than a counter of 18 bits has; what they took comes back, and a periodic one goes on
 * after them. */
static bool many_tasks(struct race_service *service, struct tw_seat *seat)
{
    uint64_t before = 0;
    for (uint32_t round = 0; round < TASKS_ROUNDS; round++) {
        uint32_t first = round * TASKS_EACH;
        before = round == TASKS_ROUNDS / 10 ? race_heap() : before;
        for (uint32_t i = 0; i < TASKS_EACH; i++) {
            if (!CASE_TIMER(service, seat, .due_ns = 1, .deed = DEED_FAIL))
                return false;
        }
        for (uint32_t i = 0; i < TASKS_EACH; i++)
            if (!case_await(service, seat, &service->accounts[first + i].runs, 1,
                            "one of 265,000 timers that are due"))
                return false;
    }
    judge_heap(service, RACE_MEMORY, before, TASKS_ROUNDS * TASKS_EACH * TASK_BYTES,
               "265,000 tasks failed");
    uint64_t period = 1 + service->description.tick_ns;
    struct race_account *last =
        CASE_TIMER(service, seat, .due_ns = period, .period_ns = period, .repeat = TW_FIXED_RATE);
    bool goes =
        last && case_await(service, seat, &last->runs, 3, "a periodic timer after 265,000 tasks");
    return goes && case_stop(service, seat, last, TW_RUN_STOPPED, "one after 265,000 tasks");
}

/* ---- What it costs, and how late it is. -------------------------------------------------------- */

#define LATE_TRIES 40u
#define LATE_NS    (5 * MS)

/* The best of several tries, of the runner, of its wait, and of a thread that sleeps as they do: whatever else the machine
 * does, one that always adds to its sleep is seen by that. */
static bool as_late_as(struct race_service *service, struct tw_seat *seat, uint64_t delay,
                       enum tw_repeat repeat)
{
    uint64_t period = repeat == TW_ONCE ? 0 : 25 * MS;
    uint64_t timer = UINT64_MAX, back = UINT64_MAX, control = UINT64_MAX;
    for (uint32_t i = 0; i < LATE_TRIES && !race_is_over(service); i++) {
        uint64_t until = moment_now() + delay;
        moment_sleep(until);
        control = least(control, moment_now() - until);
        until = moment_now() + delay;
        race_wait(service, seat, until);
        back = least(back, moment_now() - until);
        struct race_account *lone = CASE_TIMER(service, seat, .due_ns = moment_now() + delay,
                                               .period_ns = period, .repeat = repeat);
        if (!lone || !case_await(service, seat, &lone->runs, 1 + (period > 0), "the only timer"))
            return false;
        timer = least(timer, atomic_load(&lone->late_by_ns));
        if (period > 0 && race_stop(service, seat, lone) != TW_RUN_STOPPED)
            return false;
        if (timer < LATE_NS && back < LATE_NS)
            break;
    }
    uint64_t limit = control + 2 * service->description.tick_ns + LATE_NS;
    if (timer > limit || back > limit)
        FIND(service, RACE_LATE,
             "the best of %u: a %stimer of %.0f ms %.1f ms late, a wait %.1f ms; a thread that "
             "sleeps %.1f ms",
             LATE_TRIES, period > 0 ? "periodic " : "", (double)delay / 1e6, (double)timer / 1e6,
             (double)back / 1e6, (double)control / 1e6);
    return !race_is_over(service);
}

#define PAST_WAITS 100u

/* A wait for what has passed may meet a lock at times; it does not sleep. */
static bool past_waits(struct race_service *service, struct tw_seat *seat)
{
    struct rusage before, after;
    getrusage(RUSAGE_THREAD, &before);
    for (uint32_t i = 0; i < PAST_WAITS; i++)
        race_wait(service, seat, 1);
    getrusage(RUSAGE_THREAD, &after);
    long slept = after.ru_nvcsw - before.ru_nvcsw;
    if (slept > (long)PAST_WAITS / 2)
        FIND(service, RACE_LATE, "%u waits for what had passed went to sleep %ld times", PAST_WAITS,
             slept);
    return !race_is_over(service);
}

/* Alone and beside far ones, near and less near, once and again. */
static bool beside_a_control(struct race_service *service, struct tw_seat *seat)
{
    moment_sharpen();
    if (!as_late_as(service, seat, 2 * MS, TW_ONCE) || !as_late_as(service, seat, 30 * MS, TW_ONCE))
        return false;
    for (uint32_t i = 0; i < 20; i++)
        if (!case_start_at(service, seat, moment_now() + FAR))
            return false;
    return past_waits(service, seat) && as_late_as(service, seat, 30 * MS, TW_ONCE) &&
           as_late_as(service, seat, 12 * MS, TW_FIXED_RATE) &&
           as_late_as(service, seat, 12 * MS, TW_FIXED_DELAY);
}

bool usage_line(long tid, const char *name, const char *word, char line[USAGE_LINE])
{
    char path[64];
    bool found = false;
    snprintf(path, sizeof path, "/proc/self/task/%ld/%s", tid, name);
    FILE *file = fopen(path, "r");
    while (file && !found && fgets(line, (int)USAGE_LINE, file))
        found = strncmp(line, word, strlen(word)) == 0;
    if (file)
        fclose(file);
    memmove(line, line + (found ? strlen(word) : 0), found ? strlen(line + strlen(word)) + 1 : 0);
    return found;
}

void usage_take(struct usage *usage, const struct usage *before)
{
    char line[USAGE_LINE];
    *usage = (struct usage){.count = 0};
    DIR *directory = opendir("/proc/self/task");
    for (const struct dirent *entry = directory ? readdir(directory) : NULL;
         entry && usage->count < RACE_THREADS_SEEN; entry = readdir(directory)) {
        long tid = strtol(entry->d_name, NULL, 10);
        bool known = tid <= 0;
        for (size_t i = 0; before && i < before->count; i++)
            known |= before->tids[i] == tid;
        if (known)
            continue;
        usage->tids[usage->count++] = tid;
        if (usage_line(tid, "status", "voluntary_ctxt_switches:", line))
            usage->sleeps += strtoull(line, NULL, 10);
    }
    if (directory)
        closedir(directory);
}

bool usage_all_sleep(struct race_service *service, const struct usage *own)
{
    uint64_t end = race_clock(service) + race_patience_ns(service);
    for (uint32_t looks = 0; looks < 3 && race_clock(service) < end && !race_is_over(service);) {
        bool asleep = own->count > 0;
        for (size_t i = 0; i < own->count; i++)
            asleep &= race_sleeps(own->tids[i]);
        looks = asleep ? looks + 1 : 0;
        race_sleep(500 * US);
    }
    return race_clock(service) < end && !race_is_over(service);
}

#define IDLE_NS   (100 * MS)
#define IDLE_TICK (10 * MS)

/* What the runner's own threads do while far timers pend. */
static void idle_cost(struct race_service *service)
{
    struct usage before, begun, ended;
    struct tw_runner_stats first, last;
    usage_take(&before, NULL);
    struct tw_seat *seat = case_open(service, (struct tw_runner_config){.tick_ns = IDLE_TICK});
    if (!seat)
        return;
    usage_take(&begun, &before);
    usage_all_sleep(service, &begun);
    for (uint32_t i = 0; i < 10; i++) /* each before the others: the first wakes one for nothing */
        if (!case_start_at(service, seat, moment_now() + FAR - i * MS))
            return;
    moment_sleep(moment_now() + 2 * IDLE_TICK);
    if (begun.count > 0 && !usage_all_sleep(service, &begun))
        FIND(service, RACE_IDLE, "its threads have not slept for %u s without anything due",
             service->options->patience_s);
    usage_take(&begun, &before);
    service->runner->stats(service->service, &first);
    uint64_t from = moment_now();
    moment_sleep(from + IDLE_NS);
    service->runner->stats(service->service, &last);
    usage_take(&ended, &before);
    uint64_t passed = moment_now() - from, sleeps = ended.sleeps - begun.sleeps;
    bool ticks = race_has(service, TW_RUNNER_TICKS), given = service->options->setting_count > 0;
    uint64_t most = 4 + (ticks ? 2 * passed / IDLE_TICK : 0);
    if (!given && ended.sleeps > 0 && (sleeps > most || last.wakeups - first.wakeups > most))
        FIND(service, RACE_IDLE,
             "in %.0f ms without anything due its threads went to sleep %" PRIu64
             " times, its wake-ups were %" PRIu64 "; expected at most %" PRIu64,
             (double)passed / 1e6, sleeps, last.wakeups - first.wakeups, most);
    else if (last.useful_wakeups > 0)
        FIND(service, RACE_STATS, "wake-ups were useful though no task has run");
    else if (ticks && last.wakeups == first.wakeups)
        FIND(service, RACE_TRAITS, "it did not wake for %.0f ticks, though TW_RUNNER_TICKS is set",
             (double)passed / (double)IDLE_TICK);
    else if (ended.count > 0 && ended.count != service->description.threads)
        FIND(service, RACE_OPEN, "describe says %u threads of its own; it has %zu",
             service->description.threads, ended.count);
    case_close(service, seat);
}

#define STATS_PENDING 200u
#define STATS_STOPPED 50u
#define STATS_TASKS   20u

/* While it is open, by one caller, so that everything is known; stats was called before, when the process had used that much. */
static void judge_numbers(struct race_service *service, uint64_t since)
{
    struct tw_runner_stats stats;
    service->runner->stats(service->service, &stats);
    uint64_t pending = STATS_PENDING - STATS_STOPPED, worked = STATS_TASKS * RACE_WORK_NS,
             starts = STATS_PENDING + STATS_TASKS,
             cap = service->description.max_pending; /* places are taken in open */
    bool callers = race_has(service, TW_RUNNER_CALLERS_DRIVE),
         own = race_has(service, TW_RUNNER_OWN_TIMERS);
    uint64_t process = clock_read_ns(CLOCK_PROCESS_CPUTIME_ID);
    const struct race_number rows[] = {
        {"pending", stats.pending, pending, pending},
        {"runs", stats.runs, STATS_TASKS, STATS_TASKS},
        {"cpu_ns", stats.cpu_ns, callers ? 0 : worked, process},
        {"longest_work_ns", stats.longest_work_ns, 1, process - since},
        {"transferred", stats.transferred, stats.transferred ? pending : 0, starts + STATS_STOPPED},
        {"most_transferred", stats.most_transferred, stats.transferred > 0, stats.transferred},
        {"longest_pause_ns", stats.longest_pause_ns, 1 + stats.longest_work_ns / 256, UINT64_MAX},
        {"stalled", stats.stalled, 0, 0},
        {"own_bytes", stats.own_bytes, cap * sizeof(void *) * 2, UINT64_C(1) << 30},
        {"design_bytes", stats.design_bytes, own ? 0 : pending * 4, UINT64_C(1) << 30},
    };
    race_numbers_judge(service, rows, sizeof rows / sizeof rows[0]);
    struct tw_runner_stats first = stats;
    for (uint32_t again = 0; again < 5 && stats.longest_pause_ns >= first.longest_pause_ns; again++)
        service->runner->stats(service->service, &stats);
    if (stats.longest_pause_ns >= first.longest_pause_ns)
        FIND(service, RACE_STATS,
             "longest_pause_ns is %" PRIu64 " by each of six calls in a row; it "
             "is since the last one",
             first.longest_pause_ns);
    if (stats.wakeups < first.wakeups || stats.useful_wakeups < first.useful_wakeups ||
        stats.runs < first.runs || stats.transferred < first.transferred ||
        stats.own_bytes != first.own_bytes)
        FIND(service, RACE_STATS, "counts are fewer by the next call, or own_bytes others");
}

static bool numbers_told(struct race_service *service, struct tw_seat *seat)
{
    uint64_t since = 0;
    for (uint32_t i = 0; i < STATS_PENDING; i++)
        if (!case_start_at(service, seat, moment_now() + FAR))
            return false;
    for (uint32_t i = 0; i < STATS_STOPPED; i++)
        if (race_stop(service, seat, &service->accounts[4 * i]) != TW_RUN_STOPPED)
            return false;
    for (uint32_t i = 0; i < STATS_TASKS; i++) {
        service->runner->stats(service->service, &(struct tw_runner_stats){0});
        since = clock_read_ns(CLOCK_PROCESS_CPUTIME_ID);
        struct race_account *busy = CASE_TIMER(service, seat, .due_ns = 1, .deed = DEED_WORK);
        if (!busy || !case_await(service, seat, &busy->runs, 1, "a timer that is due"))
            return false;
    }
    case_ended(service, seat);
    race_wait(service, seat, moment_now() + 2 * MS);
    judge_numbers(service, since);
    return true;
}

/* ---- Hours and weeks, by the planted clock. ----------------------------------------------------- */

bool case_tickless(struct race_service *service)
{
    if (race_has(service, TW_RUNNER_OWN_TIMERS))
        return true;
    for (size_t i = 0; i < service->options->design_count; i++)
        if (strcmp(service->options->designs[i]->name, "heap") == 0) {
            service->design = service->options->designs[i];
            return true;
        }
    return false;
}

/* Opens; whether the runner read the planted clock to do so.  One with a clock of its own would wait in vain for hours. */
static bool open_planted(struct race_service *service, uint64_t tick_ns, struct tw_seat **seat)
{
    uint64_t calls = race_clock_calls();
    race_clock_move(1);
    *seat = case_open(service, (struct tw_runner_config){.tick_ns = tick_ns});
    return *seat && race_clock_calls() > calls;
}

/* Sets the clock forward to some milliseconds before that moment, while its caller waits for it. */
static void *move_on(void *until)
{
    moment_sleep(moment_now() + 2 * MS);
    race_clock_move(*(uint64_t *)until - 3 * MS - moment_now());
    return NULL;
}

/* Up to each due and past it, where counts of 31 and 32 bits wrap: of microseconds in 36 and 72 minutes, of milliseconds
 * in 25 and 50 days; and in two years.  One that is early finds itself; after each a near one has to run. */
static void hours(struct race_service *service, struct tw_seat *seat, uint64_t tick_ns)
{
    static const uint64_t spans[] = {US << 31, US << 32, MS << 31, MS << 32, MS << 36};
    struct race_account *later[5];
    uint64_t opened = moment_now();
    for (size_t i = 0; i < 5; i++)
        if (!(later[i] = case_start_at(service, seat, opened + spans[i] + 5 * tick_ns + SECOND)))
            return;
    struct race_account *last = case_start_at(service, seat, opened + 2 * spans[4]);
    for (size_t i = 0; last && i < 5 && !race_is_over(service); i++) {
        uint64_t until = later[i]->due_ns - 2 * tick_ns - SECOND;
        pthread_t mover;
        if (!case_thread(service, &mover, move_on, &until))
            return;
        race_wait(service, seat, until);
        pthread_join(mover, NULL);
        race_clock_move(SECOND + 5 * tick_ns);
        if (!case_await(service, seat, &later[i]->runs, 1, "a timer of minutes or weeks"))
            return;
        struct race_account *near = case_start_at(service, seat, moment_now() + tick_ns);
        race_clock_move(3 * tick_ns);
        if (!near || !case_await(service, seat, &near->runs, 1, "a timer after minutes or weeks"))
            return;
    }
    if (last)
        case_stop(service, seat, last, TW_RUN_STOPPED, "a timer of four years");
}

static void weeks(struct race_service *service)
{
    struct tw_seat *seat;
    bool goes = case_tickless(service);
    for (uint64_t tick_ns = race_has(service, TW_RUNNER_TICKS) ? 60 * SECOND : US;
         goes && tick_ns <= 60 * SECOND; tick_ns *= 60 * SECOND / US) {
        race_again(service);
        goes = open_planted(service, tick_ns, &seat);
        if (goes)
            hours(service, seat, tick_ns);
        case_close(service, seat);
        goes = goes && !race_is_over(service);
    }
}

/* What it waits for: for the tick of the only due, or for ever. */
static void judge_asked(struct race_service *service, uint64_t due)
{
    uint64_t tick_ns = service->description.tick_ns, opened = service->opened_ns, first, last;
    uint64_t tick = opened + (due - opened + tick_ns - 1) / tick_ns * tick_ns;
    bool ticks = race_has(service, TW_RUNNER_TICKS);
    race_clock_asked(&first, &last);
    bool late = last > (ticks ? moment_now() + tick_ns : tick);
    if (late || (first < due && !ticks && service->options->setting_count == 0))
        FIND(service, late ? RACE_LATE : RACE_IDLE,
             "it sleeps until %.3f ms behind the only due, and that is %.3f ms before its tick",
             ((double)(late ? last : first) - (double)due) / 1e6, (double)(tick - due) / 1e6);
}

/* The clock stands just behind each tick: that run is on its way, or late, however slow the machine is. */
static bool runs_when_due(struct race_service *service, struct tw_seat *seat,
                          const struct usage *own, enum tw_repeat repeat)
{
    struct race_account *account = NULL;
    for (uint32_t run = 1; run <= 40 && !race_is_over(service); run++) {
        uint64_t period = 13 * MS + 7;
        if (!account || repeat == TW_ONCE)
            account = CASE_TIMER(service, seat, .due_ns = moment_now() + period,
                                 .period_ns = period, .repeat = repeat);
        for (uint32_t i = 0; account && repeat == TW_FIXED_DELAY && run == 1 && i < 30; i++)
            CASE_TIMER(service, seat, .due_ns = account->due_ns, .period_ns = period,
                       .repeat = repeat);
        if (!account || (own->count > 0 && !usage_all_sleep(service, own)))
            return false; /* it has renewed the timer, by the same clock */
        uint64_t due = atomic_load(&account->next_due_ns);
        judge_asked(service, due);
        race_clock_stand(due + service->description.tick_ns);
        case_await(service, seat, &account->runs, repeat == TW_ONCE ? 1 : run,
                   "a timer that was due a tick ago");
    }
    if (account && repeat != TW_ONCE)
        case_stop(service, seat, account, TW_RUN_STOPPED, "a periodic timer");
    race_clock_stand(moment_now() + 30 * MS); /* past what it may still be awake for */
    return !race_is_over(service);
}

static void clock_stands(struct race_service *service)
{
    struct usage before, own;
    struct tw_seat *seat;
    usage_take(&before, NULL);
    race_clock_stand(moment_now() + 60 * FAR);
    service->clock_stands = true;
    bool goes = case_tickless(service) && open_planted(service, MS, &seat);
    usage_take(&own, &before);
    struct race_account *far = goes ? case_start_at(service, seat, moment_now() + FAR) : NULL;
    if (far && (own.count == 0 || usage_all_sleep(service, &own)))
        judge_asked(service, far->due_ns);
    goes = far && case_stop(service, seat, far, TW_RUN_STOPPED, "a far timer");
    for (uint32_t repeat = TW_ONCE; goes && repeat <= TW_FIXED_DELAY; repeat++)
        goes = runs_when_due(service, seat, &own, (enum tw_repeat)repeat);
    if (goes)
        case_close(service, seat);
}

/* Three runs of one period, which a task starts: the clock goes on by it until they have been. */
static bool period_kept(struct race_service *service, struct tw_seat *seat, uint64_t period_ns,
                        enum tw_repeat repeat)
{
    uint64_t end = race_clock(service) + race_patience_ns(service);
    uint64_t tick_ns = service->description.tick_ns, waits = 0;
    struct race_account *account = race_account(service);
    account->due_ns = moment_now() + period_ns;
    account->period_ns = period_ns;
    account->repeat = repeat;
    account->sleep_ns = 20 * US;
    bool goes = CASE_TIMER(service, seat, .due_ns = 1, .deed = DEED_START, .awaits = account);
    race_clock_move(2 * tick_ns); /* for one that wakes on ticks */
    if (!goes || !case_await(service, seat, &account->accepted, 1, "a start in a task"))
        return false;
    while (atomic_load(&account->runs) < 3 && race_clock(service) < end && !race_is_over(service)) {
        race_clock_move(waits++ % 64 == 0 ? period_ns + 2 * tick_ns : 0);
        race_wait(service, seat, moment_now() + 300 * US);
    }
    if (atomic_load(&account->runs) < 3)
        FIND(service, RACE_REPEAT, "a period of %.3f ms: %u runs in %u s while the clock went on",
             (double)period_ns / 1e6, atomic_load(&account->runs), service->options->patience_s);
    return case_stop(service, seat, account, TW_RUN_STOPPED, "a periodic timer");
}

/* From some ticks to hours: one that wakes on each tick has fewer of them. */
static void periods(struct race_service *service)
{
    bool ticks = race_has(service, TW_RUNNER_TICKS);
    uint64_t tick_ns = ticks ? 60 * SECOND : US;
    struct tw_seat *seat;
    if (!case_tickless(service))
        return;
    bool planted = open_planted(service, tick_ns, &seat), goes = seat != NULL;
    for (uint64_t times = 64; planted && goes && times < (ticks ? 1u << 10 : 1u << 30); times *= 8)
        goes = period_kept(service, seat, times * tick_ns + 7, TW_FIXED_RATE) &&
               period_kept(service, seat, times * tick_ns + 7, TW_FIXED_DELAY);
    if (goes)
        case_close(service, seat);
}

#define MISSED 70000u

/* A runner that was away for 70 seconds makes up each run of a millisecond's period. */
static void missed_runs(struct race_service *service)
{
    /* One run on each tick; one that wakes on ticks need not wait for those that are over. */
    uint64_t tick_ns = race_has(service, TW_RUNNER_TICKS) ? MS : 20 * US;
    struct tw_seat *seat;
    if (!case_tickless(service))
        return;
    bool planted = open_planted(service, tick_ns, &seat);
    struct race_account *account =
        planted ? CASE_TIMER(service, seat, .due_ns = moment_now() + MS, .period_ns = MS,
                             .repeat = TW_FIXED_RATE, .deed = DEED_CALL)
                : NULL;
    if (planted && (!account || !case_await(service, seat, &account->runs, 1, "a periodic timer")))
        return;
    uint64_t before = race_heap();
    race_clock_move(planted ? MISSED * MS : 0);
    if (account && case_await(service, seat, &account->runs, MISSED, "runs that were missed"))
        case_stop(service, seat, account, TW_RUN_STOPPED, "a periodic timer");
    judge_heap(service, RACE_MEMORY, before, MISSED * TASK_BYTES, "70,000 tasks started timers");
    if (seat && !race_is_over(service))
        case_fill(service, seat, 0, NULL);
    case_close(service, seat);
}

/* ---- More timers, later dues, more services. ------------------------------------------------------- */

#define PENDING_MOST 270000u

/* What pends, when a runner with a queue has come through it. */
static bool pending_told(struct race_service *service, struct tw_seat *seat, uint32_t counted)
{
    struct tw_runner_stats stats = {0};
    uint64_t before;
    do {
        before = stats.transferred;
        race_wait(service, seat, moment_now() + 300 * MS);
        service->runner->stats(service->service, &stats);
    } while (stats.transferred != before);
    if (stats.pending != counted)
        FIND(service, RACE_STATS, "pending is %" PRIu64 "; by the books it is %u", stats.pending,
             counted);
    return stats.pending == counted;
}

/* More at once than a place's number of 18 bits has: half is stopped, a few run among them, the rest comes back.  A design that looks at all the
 * others for each start has fewer. */
static bool many_pending(struct race_service *service, struct tw_seat *seat)
{
    const struct tw_backend *design = service->design;
    bool slow =
        design && (design->traits.start.worst >= TW_O_N || design->traits.stop.worst >= TW_O_N);
    uint32_t count = slow ? 2000 : PENDING_MOST;
    uint64_t due = moment_now() + FAR;
    for (uint32_t i = 0; i < count; i++) {
        struct race_account *account = race_account(service);
        account->due_ns = due;
        int answer = race_start(service, seat, account);
        if (answer == TW_RUN_FULL && race_has(service, TW_RUNNER_SPLIT_CAP))
            break;
        if (answer != TW_RUN_OK) {
            FIND(service, RACE_START, "start answered %d when %u of %u places were taken", answer,
                 i, PENDING_MOST);
            return false;
        }
    }
    uint32_t accepted = atomic_load(&service->next), stopped = 0;
    accepted -= atomic_load(&service->accounts[accepted - 1].accepted) == 0;
    bool goes = pending_told(service, seat, accepted);
    for (uint32_t i = 0; i < accepted && goes && !race_is_over(service); i += 2, stopped++) {
        case_stop(service, seat, &service->accounts[i], TW_RUN_STOPPED, "one of very many timers");
        goes = stopped >= 8 ||
               case_run(service, seat, moment_now() + i * 50 * US, "a timer behind many");
    }
    return goes && pending_told(service, seat, accepted - stopped);
}

/* Dues where a sign or a sum would wrap, and periods with which the next due does: none of them runs (again). */
static bool ends_of_time(struct race_service *service, struct tw_seat *seat)
{
    static const uint64_t dues[] = {TW_DUE_MAX, TW_DUE_MAX - 1, UINT64_C(1) << 63,
                                    (UINT64_C(1) << 63) - 1, UINT64_C(1) << 62};
    struct race_account *last[5 + 4];
    uint32_t count = 0;
    for (uint32_t i = 0; i < 5 + 4; i++) {
        struct race_account *account = last[count] = race_account(service);
        bool again = i >= 5;
        account->due_ns = again ? 1 : dues[i];
        account->period_ns = again ? dues[i % 2 == 0 ? 0 : 2] : 0;
        account->repeat = !again ? TW_ONCE : i < 7 ? TW_FIXED_RATE : TW_FIXED_DELAY;
        int answer = race_start(service, seat, account);
        count += answer == TW_RUN_OK;
        if (answer != TW_RUN_OK && answer != TW_RUN_RANGE)
            FIND(service, RACE_START, "start answered %d for a due of %" PRIu64, answer,
                 account->due_ns);
        if (answer == TW_RUN_OK && again &&
            !case_await(service, seat, &account->runs, 1, "a periodic timer that is due"))
            return false;
    }
    race_wait(service, seat, moment_now() + 5 * MS);
    for (uint32_t i = 0; i < count && !race_is_over(service); i++)
        case_stop(service, seat, last[i], TW_RUN_STOPPED, "a timer that is due in centuries");
    return true;
}

/* Two that are open at once share nothing: the one sleeps longer, is filled, is shut, while the other goes on. */
static void two_services(struct race_service *service)
{
    struct race_service other = case_another(service);
    struct race_service *const both[2] = {service, &other};
    struct tw_seat *seats[2];
    struct race_account *far[2] = {NULL, NULL};
    for (uint32_t i = 0; i < 2; i++)
        if (!(seats[i] = case_open(both[i], (struct tw_runner_config){.capacity = 8})))
            return;
    for (uint32_t round = 0; round < 12; round++) {
        uint32_t a = round % 2, b = 1 - a;
        struct race_account *later = case_start_at(both[b], seats[b], moment_now() + 5 * MS);
        far[b] = case_start_at(both[b], seats[b], moment_now() + FAR);
        race_wait(both[a], seats[a], moment_now() + MS);
        struct race_account *near = case_start_at(both[a], seats[a], moment_now() + 8 * MS);
        if (!later || !far[b] || !near ||
            !case_await(both[a], seats[a], &near->runs, 1, "a timer beside another service") ||
            !case_await(both[b], seats[b], &later->runs, 1, "a timer beside another service"))
            return;
        case_stop(both[b], seats[b], far[b], TW_RUN_STOPPED, "a far one beside another service");
    }
    case_fill(&other, seats[1], 0, NULL);
    if (!case_run(service, seats[0], moment_now(), "a timer beside a service that is full"))
        return;
    case_close(&other, seats[1]);
    if (case_run(service, seats[0], moment_now() + MS, "a timer after another service"))
        case_close(service, seats[0]);
}

#define LIVES_WARM 8u
#define LIVES      80u
/* What a life may add, on average: less than a block for each life, or one for each that is refused. */
#define LIFE_BYTES 24u

/* What else of the process is not as it was; NULL: nothing.  A thread that has ended may be counted for a moment yet. */
static const char *state_left(const struct process_state *before)
{
    struct process_state now;
    process_state_take(&now);
    for (enum process_part part = 0; part <= KEYS; part++) {
        bool counts = part == DESCRIPTORS || part == THREADS || part == KEYS;
        uint64_t most = before->values[part] + (counts ? LIVES / 8 : 0);
        if (part != MAPPED && (counts ? now.values[part] > most : now.values[part] != most))
            return process_state_name(part);
    }
    return NULL;
}

static void end_at_once(void)
{
    _exit(0);
}

/* Handlers that a runner has left are called at fork or exit, up to end_at_once: where it is an object of its own, that is a
 * crash once nobody may read it. */
static void judge_handlers(struct race_service *service)
{
    struct dl_find_object of;
    int status = 0;
    pid_t child = fork();
    if (child == 0) {
        if (_dl_find_object((void *)(uintptr_t)service->runner, &of) != 0 ||
            of.dlfo_link_map->l_name[0] == '\0' ||
            munmap(of.dlfo_map_start, (uintptr_t)of.dlfo_map_end - (uintptr_t)of.dlfo_map_start))
            _exit(0);
        if ((child = fork()) != 0 && waitpid(child, &status, 0) == child && status == 0)
            exit(0);
        _exit(status);
    }
    if (child > 0 && waitpid(child, &status, 0) == child && status != 0)
        FIND(service, RACE_MEMORY, "a handler at fork or exit stays after close");
}

#define REFUSED 20000u

static void must_refuse(struct race_service *service, struct tw_runner_config config,
                        const char *what)
{
    struct tw_service *out = NULL;
    struct tw_error error = {""};
    config.design = service->design;
    config.capacity = 4;
    config.tick_ns = MS;
    int answer = service->runner->open(&out, &config, &error);
    if (answer != TW_RUN_BAD_SETTING || out != NULL || error.text[0] == '\0')
        FIND(service, RACE_OPEN, "open with %s answered %d; expected BAD_SETTING and a reason",
             what, answer);
}

static void bad_settings(struct race_service *service)
{
    struct tw_setting unknown = {.name = "no-such-thing", .count = 1, .values = {1}};
    must_refuse(service, (struct tw_runner_config){.settings = &unknown, .setting_count = 1},
                "an unknown setting");
    must_refuse(service, (struct tw_runner_config){.max_pending = 5}, "a cap above the capacity");
    if (service->design)
        must_refuse(
            service,
            (struct tw_runner_config){.design_settings = &unknown, .design_setting_count = 1},
            "what the design has no setting for");
    for (const struct tw_param *param = service->runner->params; param->name; param++) {
        struct tw_setting setting = {.name = param->name, .count = 1, .values = {param->max + 1}};
        if (param->max < UINT64_MAX && param->values_max == 1)
            must_refuse(service,
                        (struct tw_runner_config){.settings = &setting, .setting_count = 1},
                        "a setting above its limit");
    }
}

/* What is refused, finds nothing or only asks takes nothing. */
static bool refusals(struct race_service *service, struct tw_seat *seat)
{
    const struct tw_runner *runner = service->runner;
    struct tw_task task = {.argument = service, .due_ns = moment_now() + FAR};
    tw_timer name = 0;
    struct race_account *far = case_start_at(service, seat, moment_now() + FAR);
    uint64_t before = 0;
    for (uint32_t i = 0; far && i < 2 * REFUSED; i++) {
        before = i == REFUSED ? race_heap() : before;
        if (runner->start(seat, &task, &name) != TW_RUN_FULL || runner->stop(seat, i) > 3)
            FIND(service, RACE_CAP, "a second timer was started; the cap is 1");
        runner->stats(service->service, &(struct tw_runner_stats){0});
        runner->describe(service->service, &service->description);
        if (i % 40 == 0)
            bad_settings(service);
    }
    judge_heap(service, RACE_MEMORY, before, REFUSED * UINT64_C(3),
               "20,000 starts and stops were refused, and 500 opens of each kind");
    return far && pending_told(service, seat, 1);
}

/* Each setting of its own at both ends; describe is judged where it is opened. */
static void each_setting(struct race_service *service)
{
    for (const struct tw_param *param = service->runner->params; param->name; param++)
        for (int most = 0; most < 2 && !race_is_over(service); most++) {
            struct tw_setting setting = {
                .name = param->name, .count = 1, .values = {most ? param->max : param->min}};
            race_again(service);
            service->account_count = 5000;
            struct tw_runner_config config = {
                .settings = &setting, .setting_count = 1, .capacity = 5000, .tick_ns = 20 * US};
            struct tw_seat *seat = case_tickless(service) ? case_open(service, config) : NULL;
            for (uint32_t i = 0; seat && i < service->account_count; i++)
                case_start_at(service, seat, moment_now() + i * 20 * US);
            for (uint32_t i = 0; seat && i < service->account_count; i++)
                case_await(service, seat, &service->accounts[i].runs, 1, "one of 5,000 timers");
            case_close(service, seat);
        }
}

/* Every second one is refused: there is no memory for 2^29 places, which take 0 bytes in 32 bits, or for a thread's stack. */
static bool life(struct race_service *service, uint32_t number)
{
    pthread_attr_t usual, huge;
    struct rlimit room;
    bool threadless = number % 4 == 1;
    service->account_count = 64;
    service->may_refuse = number % 2 == 1 && !KEEPS_FREED;
    pthread_getattr_default_np(&usual);
    pthread_attr_init(&huge);
    pthread_attr_setstacksize(&huge, SIZE_MAX / 4);
    if (service->may_refuse && threadless)
        pthread_setattr_default_np(&huge);
    getrlimit(RLIMIT_AS, &room);
    room.rlim_cur -= UINT64_C(3) << 30; /* of 4 GiB: an array of 2 is refused before it is filled */
    setrlimit(RLIMIT_AS, &room);
    struct tw_seat *seat = case_open(
        service,
        (struct tw_runner_config){.tick_ns = 200 * US,
                                  .threads = service->may_refuse,
                                  .capacity = service->may_refuse && !threadless ? 1u << 29 : 0});
    room.rlim_cur = room.rlim_max;
    setrlimit(RLIMIT_AS, &room);
    pthread_setattr_default_np(&usual);
    for (uint32_t i = 0; seat && i < 24; i++) {
        struct race_account *account =
            case_start_at(service, seat, i % 3 == 0 ? 1 : moment_now() + FAR);
        if (!account || (i % 3 == 1 && race_stop(service, seat, account) != TW_RUN_STOPPED) ||
            (i % 3 == 0 && !case_await(service, seat, &account->runs, 1, "a timer that is due")))
            return false;
    }
    case_close(service, seat);
    struct race_account *accounts = service->accounts;
    race_again(service);
    free(accounts);
    return !race_is_over(service);
}

/* One service after the other: what each took comes back. */
static void many_lives(struct race_service *service)
{
    struct process_state state;
    uint64_t before = 0;
    atexit(end_at_once);
    process_state_take(&state);
    for (uint32_t i = 0; i < LIVES_WARM + LIVES; i++) {
        before = i == LIVES_WARM ? heap_least(0) : before;
        if (!life(service, i))
            return;
    }
    const char *left = state_left(&state);
    judge_heap(service, RACE_MEMORY, before, LIVES * (uint64_t)LIFE_BYTES,
               "80 services were opened and closed");
    if (left)
        FIND(service, RACE_MEMORY, "services were opened and closed, and the %s not as before",
             left);
    judge_handlers(service);
}

const struct race_case race_numbers[] = {
    RACE_ALONE("many threads", many_threads),
    RACE_ALONE("a long task in one thread", led_meanwhile),
    RACE_CASE("who drives", who_drives, 0, 0),
    RACE_ALONE("many seats", many_seats),
    RACE_CASE("one place, many names", one_place, NAME_USES + 8, .capacity = 1, .tick_ns = 20 * US),
    RACE_ALONE("the last of many places", last_place),
    RACE_CASE("many tasks", many_tasks, TASKS_ROUNDS *TASKS_EACH + 8, .capacity = 2 * TASKS_EACH,
              .tick_ns = 100 * US),
    RACE_CASE("beside a control", beside_a_control, 0, 0),
    RACE_ALONE("idle", idle_cost),
    RACE_CASE("statistics", numbers_told, 0, .capacity = 1024),
    RACE_ALONE("minutes and weeks", weeks),
    RACE_ALONE("a clock that stands", clock_stands),
    RACE_ALONE("periods of minutes and hours", periods),
    RACE_ALONE("missed runs", missed_runs),
    RACE_ALONE("two callers in every order", race_orders),
    RACE_CASE("many pending", many_pending, PENDING_MOST + 8, .capacity = PENDING_MOST),
    RACE_CASE("the ends of time", ends_of_time, 0, 0),
    RACE_ALONE("two services", two_services),
    RACE_ALONE("each setting", each_setting),
    RACE_CASE("refusals", refusals, 0, .capacity = 1),
    RACE_ALONE("many lives", many_lives),
    {.name = NULL},
};
