/*
 * opening.h - what every runner does at its open: checks the config, opens designs, makes seats.
 */
#ifndef TWBENCH_OPENING_H
#define TWBENCH_OPENING_H

#include "moment.h"
#include "runner.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <unistd.h>

/* Ids of a runner and a design are below TW_CAPACITY_MAX; this one is of none. */
#define OPENING_NONE UINT32_MAX

/* Of a runner without settings. */
static const struct tw_param opening_no_params[] __attribute__((unused)) = {{NULL, NULL, 0, 0, 0}};

static inline int opening_no_memory(struct tw_error *error, uint64_t bytes)
{
    params_no_memory(error, bytes);
    return TW_RUN_MEMORY;
}

/* The answer for what pthread_create or its like answered. */
static inline int opening_thread(struct tw_error *error, int number)
{
    if (number != 0)
        snprintf(error->text, sizeof error->text, "the system gave no thread or lock: %s",
                 strerror(number));
    return number == 0 ? TW_RUN_OK : TW_RUN_SYSTEM;
}

/* TW_RUN_OK if the settings are among the runner's params and within their limits, the cap is at most the
 * capacity, and the design is one that a runner can drive; else the answer for open, with *error filled. */
static inline int opening_check(const struct tw_runner *runner,
                                const struct tw_runner_config *config, struct tw_error *error)
{
    struct tw_config own = {.capacity = config->capacity,
                            .settings = config->settings,
                            .setting_count = config->setting_count};
    if (params_check(runner->params, &own, error) != TW_OK)
        return TW_RUN_BAD_SETTING;
    if (config->max_pending > config->capacity) {
        snprintf(error->text, sizeof error->text,
                 "max-pending: %u given; expected at most the capacity, %u", config->max_pending,
                 config->capacity);
        return TW_RUN_BAD_SETTING;
    }
    if (runner->flags & TW_RUNNER_OWN_TIMERS) {
        if (!config->design)
            return TW_RUN_OK;
        snprintf(error->text, sizeof error->text,
                 "%s: runner %s keeps its timers itself and takes no design", config->design->name,
                 runner->name);
        return TW_RUN_BAD_SETTING;
    }
    if (!config->design || config->design->traits.flags & TW_REAL_CLOCK) {
        snprintf(error->text, sizeof error->text, "%s: %s; a runner has the clock itself",
                 config->design ? config->design->name : "no design",
                 config->design ? "waits for the machine's clock" : "is given");
        return TW_RUN_BAD_SETTING;
    }
    return TW_RUN_OK;
}

/* What threads write by turns lies so far apart; or two lines, which processors fetch in pairs. */
#define CACHE_LINE 64u
#define APART      128u

/* opening_check, and zeroed memory for the service; NULL with the answer for open in
 * *answer. */
static inline void *opening_service(const struct tw_runner *runner,
                                    const struct tw_runner_config *config, size_t bytes,
                                    int *answer, struct tw_error *error)
{
    *answer = opening_check(runner, config, error);
    if (*answer != TW_RUN_OK)
        return NULL;
    void *service = aligned_alloc(APART, (bytes + APART - 1) / APART * APART);
    if (service)
        memset(service, 0, bytes);
    else
        *answer = opening_no_memory(error, bytes);
    return service;
}

/* The value of a setting of the runner's own, or `otherwise` if it was not given. */
static inline uint64_t opening_setting(const struct tw_runner_config *config, const char *name,
                                       uint64_t otherwise)
{
    for (size_t i = 0; i < config->setting_count; i++)
        if (strcmp(config->settings[i].name, name) == 0)
            return config->settings[i].values[0];
    return otherwise;
}

/* The cap as configured. */
static inline uint32_t opening_cap(const struct tw_runner_config *config)
{
    return config->max_pending > 0 ? config->max_pending : config->capacity;
}

/* The cap in force over one instance of the design, which may have one of its own. */
static inline uint32_t opening_cap_of_design(const struct tw_description *design, uint32_t cap)
{
    for (size_t i = 0; i < design->setting_count; i++)
        if (strcmp(design->settings[i].name, "max-running") == 0 &&
            design->settings[i].values[0] < cap)
            return (uint32_t)design->settings[i].values[0];
    return cap;
}

/* Most threads or shards that a service has. */
#define OPENING_THREADS_MAX 1024u

/* *threads as configured, or one for each processor that is online.  TW_RUN_OK, or the answer for open with
 * *error filled. */
static inline int opening_threads(const struct tw_runner_config *config, uint32_t *threads,
                                  struct tw_error *error)
{
    long online = sysconf(_SC_NPROCESSORS_ONLN);
    *threads = config->threads > 0 ? config->threads : online > 0 ? (uint32_t)online : 1;
    if (config->threads == 0 && *threads > OPENING_THREADS_MAX)
        *threads = OPENING_THREADS_MAX;
    if (*threads <= OPENING_THREADS_MAX)
        return TW_RUN_OK;
    snprintf(error->text, sizeof error->text, "threads: %u given; expected at most %u", *threads,
             OPENING_THREADS_MAX);
    return TW_RUN_BAD_SETTING;
}

/* Opens an instance of the config's design for that many timers, its clock at tick 0. */
static inline int opening_design(const struct tw_runner_config *config, uint64_t tick_ns,
                                 uint32_t capacity, struct tw_timers **out, struct tw_error *error)
{
    uint64_t ticks = config->horizon_ns / tick_ns + (config->horizon_ns % tick_ns > 0);
    struct tw_config of_design = {.capacity = capacity,
                                  .horizon = ticks,
                                  .settings = config->design_settings,
                                  .setting_count = config->design_setting_count};
    int status = config->design->open(out, &of_design, error);
    if (status == TW_OK)
        return TW_RUN_OK;
    return status == TW_REFUSED_MEMORY ? TW_RUN_MEMORY : TW_RUN_BAD_SETTING;
}

/* An allocator puts small blocks of one size side by side, so that two instances opened one after the other would
 * share a cache line that both write.  One more instance between them, closed when all are open, keeps them
 * apart.  NULL without memory for it: then they are as slow as they would be. */
static inline struct tw_timers *opening_spacer(const struct tw_runner_config *config,
                                               uint64_t tick_ns)
{
    struct tw_timers *spacer = NULL;
    struct tw_error ignored;
    return opening_design(config, tick_ns, 1, &spacer, &ignored) == TW_RUN_OK ? spacer : NULL;
}

static inline uint64_t opening_design_bytes(const struct tw_backend *design,
                                            const struct tw_timers *timers)
{
    struct tw_footprint footprint = design->footprint(timers);
    return footprint.fixed_bytes + footprint.capacity_bytes + footprint.pending_bytes;
}

/* ---- Counting.  A counter has one writer, so that it costs a load and a store; any thread may read it. */

/* The counters of struct tw_runner_stats. */
struct tally {
#define TALLY_MEMBER(name, meaning) _Atomic uint64_t name;
    TW_RUNNER_STATS(TALLY_MEMBER)
#undef TALLY_MEMBER
};

static inline void tally_add(_Atomic uint64_t *counter, uint64_t n)
{
    atomic_store_explicit(counter, atomic_load_explicit(counter, memory_order_relaxed) + n,
                          memory_order_relaxed);
}

static inline void tally_most(_Atomic uint64_t *counter, uint64_t value)
{
    if (value > atomic_load_explicit(counter, memory_order_relaxed)) /* SOLE: its one writer. */
        atomic_store_explicit(counter, value, memory_order_relaxed);
}

static inline uint64_t tally_read(const _Atomic uint64_t *counter)
{
    return atomic_load_explicit(counter, memory_order_relaxed);
}

/* Adds one thread's tally to the answer of stats: sums, and the greatest of what is called the most.  The longest
 * pause begins anew. */
static inline void tally_sum(struct tw_runner_stats *out, struct tally *tally)
{
    uint64_t most = out->most_transferred;
    uint64_t pause = out->longest_pause_ns, work = out->longest_work_ns;
#define TALLY_SUM(name, meaning) out->name += tally_read(&tally->name);
    TW_RUNNER_STATS(TALLY_SUM)
#undef TALLY_SUM
    uint64_t most_here = tally_read(&tally->most_transferred);
    uint64_t pause_here =
        atomic_exchange_explicit(&tally->longest_pause_ns, 0, memory_order_relaxed);
    uint64_t work_here = atomic_exchange_explicit(&tally->longest_work_ns, 0, memory_order_relaxed);
    out->most_transferred = most > most_here ? most : most_here;
    out->longest_pause_ns = pause > pause_here ? pause : pause_here;
    out->longest_work_ns = work > work_here ? work : work_here;
}

/* Runs the task and counts that.  Any lock is the task's to take: the caller holds none. */
static inline void task_run(const struct tw_task *task, struct tw_seat *seat,
                            const struct tw_firing *firing, struct tally *tally)
{
    TW_RUNNER_POINT(seat, task_begins);
    tally_add(&tally->runs, 1);
    if (task->run(seat, task->argument, firing) != 0)
        tally_add(&tally->failed, 1);
    TW_RUNNER_POINT(seat, task_ended);
}

/* Processor time of the calling thread. */
static inline uint64_t tally_cpu_ns(void)
{
    struct timespec used;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &used);
    return (uint64_t)used.tv_sec * 1000000000 + (uint64_t)used.tv_nsec;
}

/* The same of a thread that has not been joined; 0 when the system does not say. */
static inline uint64_t tally_cpu_of(pthread_t thread)
{
    clockid_t clock;
    struct timespec used;
    if (pthread_getcpuclockid(thread, &clock) != 0 || clock_gettime(clock, &used) != 0)
        return 0;
    return (uint64_t)used.tv_sec * 1000000000 + (uint64_t)used.tv_nsec;
}

/* What a driver does between two looks at what is due: when that began, and its processor time by then. */
struct pause {
    uint64_t begun_ns, cpu_ns;
};

static inline struct pause pause_begin(void)
{
    return (struct pause){.begun_ns = moment_now(), .cpu_ns = tally_cpu_ns()};
}

/* It ends here, in the thread in which it began.  Processor time is a call of the system: one that the longest so far
 * makes needless is saved. */
static inline void pause_end(const struct pause *pause, struct tally *tally)
{
    uint64_t passed = moment_now() - pause->begun_ns;
    tally_most(&tally->longest_pause_ns, passed);
    if (passed > tally_read(&tally->longest_work_ns))
        tally_most(&tally->longest_work_ns, tally_cpu_ns() - pause->cpu_ns);
}

/* ---- Seats, for a runner that keeps nothing in them. ------------------------------------------ */

static inline struct tw_seat *seat_enter(struct tw_service *service, const struct tw_points *points,
                                         _Atomic uint32_t *entered)
{
    struct tw_seat *seat = calloc(1, sizeof *seat);
    if (seat)
        *seat = (struct tw_seat){
            .service = service, .points = points, .number = atomic_fetch_add(entered, 1)};
    return seat;
}

static inline void seat_leave(struct tw_seat *seat)
{
    free(seat);
}

static inline void seat_wait(struct tw_seat *seat, uint64_t until)
{
    (void)seat;
    moment_sleep(until);
}

#endif
