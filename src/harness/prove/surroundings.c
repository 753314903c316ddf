/* surroundings.c - tests that a design leaves its process as it was, and keeps nothing at file scope or of an earlier life.
 */
#include "harness/prove/surroundings.h"

#include "harness/prove/cases.h"
#include "harness/prove/guard.h"
#include "harness/prove/judge.h"
#include "harness/prove/watch.h"

#include <dirent.h>
#include <dlfcn.h>
#include <fenv.h>
#include <malloc.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <unistd.h>

/* ---- What a process has ---------------------------------------------------------------------- */

static const char *const names[SURROUNDINGS] = {
    [SIGNAL_HANDLERS] = "signal handlers",
    [SIGNAL_MASK] = "blocked signals",
    [AFFINITY] = "affinity",
    [NICENESS] = "niceness",
    [LIMITS] = "resource limits",
    [ALARMS] = "interval timers",
    [ENVIRONMENT] = "environment",
    [DIRECTORY] = "working directory",
    [FILE_MASK] = "mask of new files",
    [ROUNDING] = "rounding of floating point",
    [DESCRIPTORS] = "number of open descriptors",
    [THREADS] = "number of threads",
    [LOCKED] = "locked memory",
    [MAPPED] = "mapped memory",
    [ALLOCATED] = "memory of the C library",
};

static uint64_t hash_add(uint64_t hash, const void *bytes, size_t count)
{
    for (size_t i = 0; i < count; i++)
        hash = (hash ^ ((const unsigned char *)bytes)[i]) * UINT64_C(0x100000001b3);
    return hash;
}

static uint64_t hash_text(uint64_t hash, const char *text)
{
    return hash_add(hash, text, strlen(text) + 1);
}

static uint64_t hash_handlers(void)
{
    uint64_t hash = 0;
    struct sigaction action;
    for (int number = 1; number < NSIG; number++)
        if (sigaction(number, NULL, &action) == 0)
            hash = hash_add(hash, &action.sa_handler, sizeof action.sa_handler);
    return hash;
}

static uint64_t hash_limits(void)
{
    uint64_t hash = 0;
    struct rlimit limit;
    for (int which = 0; which < RLIM_NLIMITS; which++)
        if (getrlimit((__rlimit_resource_t)which, &limit) == 0)
            hash = hash_add(hash, &limit, sizeof limit);
    return hash;
}

static uint64_t hash_alarms(void)
{
    uint64_t hash = 0;
    for (int which = ITIMER_REAL; which <= ITIMER_PROF; which++) {
        struct itimerval timer = {0};
        getitimer((__itimer_which_t)which, &timer);
        bool runs = timer.it_value.tv_sec > 0 || timer.it_value.tv_usec > 0;
        hash = hash * 2 + runs;
    }
    return hash;
}

static uint64_t count_descriptors(void)
{
    uint64_t count = 0;
    DIR *directory = opendir("/proc/self/fd");
    while (directory && readdir(directory))
        count++;
    if (directory)
        closedir(directory);
    return count;
}

static void read_status(uint64_t values[SURROUNDINGS])
{
    char line[160];
    FILE *file = fopen("/proc/self/status", "r");
    while (file && fgets(line, sizeof line, file)) {
        sscanf(line, "Threads: %" SCNu64, &values[THREADS]);
        sscanf(line, "VmLck: %" SCNu64, &values[LOCKED]);
        sscanf(line, "VmSize: %" SCNu64, &values[MAPPED]);
    }
    if (file)
        fclose(file);
}

/* What this thread has taken of the C library and not given back: jemalloc's two counters, or glibc's. */
static uint64_t bytes_allocated(void)
{
    typedef int control(const char *, void *, size_t *, void *, size_t);
    void *address = dlsym(RTLD_DEFAULT, "mallctl");
    control *mallctl;
    memcpy(&mallctl, &address, sizeof mallctl); /* as POSIX has it, and ISO C has not */
    uint64_t taken = 0, given = 0;
    size_t size = sizeof taken;
    if (!address)
        return (uint64_t)mallinfo2().uordblks;
    mallctl("thread.allocated", &taken, &size, NULL, 0);
    mallctl("thread.deallocated", &given, &size, NULL, 0);
    return taken - given;
}

void surroundings_take(struct surroundings *now)
{
    uint64_t *values = now->values;
    extern char **environ;
    sigset_t mask;
    cpu_set_t set;
    char path[4096] = "";
    memset(now, 0, sizeof *now);
    CPU_ZERO(&set);
    memset(&mask, 0, sizeof mask); /* the C library fills only a part */
    pthread_sigmask(SIG_BLOCK, NULL, &mask);
    sched_getaffinity(0, sizeof set, &set);
    values[ALLOCATED] = bytes_allocated();
    values[SIGNAL_HANDLERS] = hash_handlers();
    values[SIGNAL_MASK] = hash_add(0, &mask, sizeof mask);
    values[AFFINITY] = hash_add(0, &set, sizeof set);
    values[NICENESS] = (uint64_t)getpriority(PRIO_PROCESS, 0);
    values[LIMITS] = hash_limits();
    values[ALARMS] = hash_alarms();
    for (char **at = environ; at && *at; at++)
        values[ENVIRONMENT] = hash_text(values[ENVIRONMENT], *at);
    values[DIRECTORY] = hash_text(0, getcwd(path, sizeof path) ? path : "");
    values[FILE_MASK] = umask(0);
    umask((mode_t)values[FILE_MASK]);
    values[ROUNDING] = (uint64_t)fegetround();
    values[DESCRIPTORS] = count_descriptors();
    read_status(values);
}

bool surroundings_compare(const struct surroundings *before, const struct surroundings *now,
                          const char *function, bool is_open, struct conform_report *report)
{
    for (size_t i = 0; i < (is_open ? THREADS : MAPPED); i++) {
        /* A library may open some for good at its first use; what goes on growing is a leak (judge_growth). */
        bool is_more = i == DESCRIPTORS && now->values[i] > before->values[i];
        if (before->values[i] == now->values[i] || is_more)
            continue;
        report_broken(report, RULE_PROCESS, "after %s the %s of the process %s changed", function,
                      names[i],
                      i == SIGNAL_HANDLERS || i == SIGNAL_MASK || i == LIMITS ? "have" : "has");
        return false;
    }
    return true;
}

/* ---- Many lives ------------------------------------------------------------------------------ */

#define CAPACITY 16u
#define LIVES    600u
#define CHURNS   10000u

struct life {
    const struct case_plan *plan;
    struct conform_report *report;
    const struct surroundings *before; /* compare after each call; NULL: do not */
    struct tw_timers *timers;
};

static void after(struct life *life, const char *function)
{
    struct surroundings now;
    watch_leave(life->report->watch, NULL);
    if (!life->before)
        return;
    surroundings_take(&now);
    surroundings_compare(life->before, &now, function, strcmp(function, "close") != 0,
                         life->report);
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
        __VA_ARGS__;                                                                               \
        after(life, name);                                                                         \
    } while (0)

/* Every function of the table, and start and stop `churns` times more. */
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
    for (uint32_t i = 0; i < CAPACITY + churns; i++)
        if (i < CAPACITY)
            CALL("start", backend->start(life->timers, i % CAPACITY, 1 + i % CAPACITY));
        else
            backend->stop(life->timers, i % CAPACITY),
                backend->start(life->timers, i % CAPACITY, 1 + i % CAPACITY);
    CALL("stop", backend->stop(life->timers, 3));
    CALL("next", backend->next(life->timers));
    CALL("visit", backend->visit(life->timers, ignores, NULL));
    CALL("check", backend->check(life->timers));
    CALL("footprint", backend->footprint(life->timers));
    CALL("work", backend->work(life->timers));
    for (tw_tick to = 1; to <= 9; to += 4)
        CALL("advance", backend->advance(life->timers, to, restarts, life));
    CALL("close", backend->close(life->timers));
}

/* What grows in both halves goes on growing. */
static void judge_growth(const struct surroundings at[3], struct conform_report *report)
{
    for (size_t i = DESCRIPTORS; i < SURROUNDINGS; i++)
        if (at[1].values[i] > at[0].values[i] && at[2].values[i] > at[1].values[i])
            report_broken(report, RULE_LEAK,
                          "%u lives of an instance raise the %s of the process from %" PRIu64
                          " to %" PRIu64 " and %" PRIu64 "%s",
                          LIVES, names[i], at[0].values[i], at[1].values[i], at[2].values[i],
                          i == MAPPED || i == LOCKED ? " KiB" : "");
}

void run_surroundings(struct case_plan *plan, struct conform_report *report)
{
    struct life life = {.plan = plan, .report = report};
    struct surroundings at[3], before;
    struct held held;
    if (plan->backend->traits.flags & TW_REAL_CLOCK)
        return;
    live(&life, 0); /* what the C library takes at its first use */
    surroundings_take(&before);
    life.before = &before;
    live(&life, 0);
    life.before = NULL;
    for (size_t i = 0; i < 3 && !report->rule; i++) {
        for (uint32_t n = 0; n < LIVES; n++)
            live(&life, 0);
        live(&life, CHURNS);
        surroundings_take(&at[i]);
    }
    if (!report->rule && guard_held(&held) && held.is_all)
        judge_growth(at, report);
}

/* ---- Two threads ----------------------------------------------------------------------------- */

#define THREAD_LISTS 12u

struct thread {
    pthread_t thread;
    struct judge *judge;
    struct operations list;
    struct conform_report report;
};

static void *thread_main(void *ctx)
{
    struct thread *thread = ctx;
    for (size_t i = 0; i < thread->list.count && !thread->report.rule; i++)
        judge_step(thread->judge, &thread->list.list[i]);
    return NULL;
}

static void run_pair(struct case_plan *plan, uint64_t seed, struct conform_report *report)
{
    struct thread threads[2] = {0};
    bool created[2] = {false, false};
    for (size_t i = 0; i < 2; i++) {
        struct thread *thread = &threads[i];
        operations_copy(&thread->list, plan->operations, NULL);
        random_list_make(&thread->list, seed + i, plan->strides);
        thread->judge =
            judge_open(plan->backend, &thread->list, JUDGE_NOW_AND_THEN, &thread->report);
    }
    for (size_t i = 0; i < 2; i++)
        created[i] = threads[i].judge &&
                     pthread_create(&threads[i].thread, NULL, thread_main, &threads[i]) == 0;
    for (size_t i = 0; i < 2; i++) {
        if (created[i])
            pthread_join(threads[i].thread, NULL);
        if (threads[i].judge)
            judge_close(threads[i].judge);
        if (threads[i].report.rule)
            report_broken(report, threads[i].report.rule,
                          "%.400s; in an instance of another thread than the one that opened it",
                          threads[i].report.detail);
        report->operations_run += threads[i].report.operations_run;
        operations_clear(&threads[i].list);
    }
}

/* Each is opened here, runs in its thread and is closed here.  Memory comes from the C library meanwhile: the fence is of
 * one thread. */
void run_threads(struct case_plan *plan, struct conform_report *report)
{
    struct held held;
    if (!guard_held(&held) || (plan->backend->traits.flags & TW_REAL_CLOCK))
        return;
    watch_enter(report->watch, "a function, in one of two threads,");
    guard_pause(true);
    for (uint64_t seed = 1; seed <= THREAD_LISTS && !report->rule; seed++)
        run_pair(plan, 2 * seed, report);
    guard_pause(false);
    watch_leave(report->watch, NULL);
}
