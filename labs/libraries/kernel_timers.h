/*
 * kernel_timers.h - one timer object of the kernel for each task, on the real clock: what timerfd.c
 * and posix_timer.c share.  Each of them says how an object is made, armed and heard of, by defining
 * `struct kernel` before this file is included and the functions object_... after it.
 *
 * TICKS.  Tick `base_tick` is at `base_ns` of CLOCK_MONOTONIC, and each tick is tick-ns long:
 *
 *     real(t) = base_ns + (t - base_tick) * tick-ns
 *
 * A timer is armed for real(due), absolutely.  The base moves only while nothing runs, at the start
 * of the first timer; so time is never skipped under a timer that waits.
 *
 * NEVER EARLY, NEVER LATE.  advance(to) arms one more timer, the fence, for real(to), and hears what
 * expires until the fence does.  The kernel's timers of one core expire in order of their time, those
 * of equal time in order of arming, so whatever is due by `to` was heard of before the fence; that is
 * why the thread stays on one core while an instance is open.  A driver that lags behind the real
 * clock may hear of a timer whose tick has not come yet.  Such a timer is held: its id waits in an
 * unsorted array that every advance looks through (TW_COUNT: visits), and fires on its due tick.
 * So in ticks the design is exact.  How late the kernel is shows in real time alone, as waiting.
 *
 * WHAT IT COSTS.  A start or re-arm is one system call, a stop another; an advance while something
 * runs is one for the fence and one or more to hear.  Waiting is sleeping: wall time contains it, CPU
 * time does not.  A driver that does more in a tick than fits into tick-ns lags all the time; then
 * timers are held by the thousand, and the figures are of the array.  visits say so: take longer ticks.
 * (Tried instead: to let time stand still while the driver lags, and to arm again what came too early.
 * With 10,000 timers at ticks of 10 us the arming took so long that ever more came too early.)
 *
 * In a jump, timers fire in the order of the kernel, which is that of their due ticks but for those
 * that are held; two runs may differ.
 */
#ifndef TWBENCH_KERNEL_TIMERS_H
#define TWBENCH_KERNEL_TIMERS_H

#include "impls/design.h"

#include <errno.h>
#include <sched.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

#define FENCE    UINT32_MAX /* in place of an id */
#define NOT_HELD UINT32_MAX
#define HEARD    64u /* expiries taken from the kernel with one call */

#define SECOND_NS  UINT64_C(1000000000)
#define TICK_USUAL UINT64_C(20000) /* an advance on which nothing is due costs some 5 us */
#define TICK_MAX   SECOND_NS
/* Where no horizon is known: a jump over it has to be slept through. */
#define RANGE_USUAL UINT64_C(4096)
#define RANGE_MAX   (UINT64_C(1) << 32) /* with TICK_MAX 2^62 ns, which a clock can add up */

/* A sleep that has longer to go is broken off when the last timer is gone. */
#define LONG_SLEEP_NS UINT64_C(1000000)

static const struct tw_param kernel_params[] = {
    {"tick-ns", "real length of a tick in nanoseconds (default: 20000)", 1, TICK_MAX, 1},
    {"range",
     "longest delay that is waited for, in ticks; a longer one is refused (default: the horizon, "
     "at "
     "least 4096)",
     1, RANGE_MAX, 1},
    {"keep",
     "1: an object for each id, made by open; 0: made by each start, freed by stop and expiry "
     "(default: 1)",
     0, 1, 1},
    {NULL, NULL, 0, 0, 0},
};

struct tw_timers {
    struct kernel kernel;
    tw_tick now;
    tw_tick base_tick;
    uint64_t base_ns, tick_ns;
    tw_tick range;
    tw_tick until; /* where the advance under way is going; 0 outside */
    bool again;    /* a callback started something due by then */
    bool keep;     /* objects from open to close */
    bool pinned;   /* `cores` is what the thread had before */
    uint32_t capacity, running, held_count;
    tw_tick *due;    /* TW_NEVER: idle */
    uint32_t *place; /* in held, or NOT_HELD */
    tw_id *held;     /* expired for the kernel, not due yet for the driver */
    cpu_set_t cores;
    TW_WORK_FIELD
};

/* ---- What the design defines.  An id may be FENCE. ------------------------------------------- */

/* Takes what all objects share; 0 or TW_REFUSED_MEMORY or TW_BAD_SETTING with *error filled. */
static int object_open_all(struct tw_timers *timers, struct tw_error *error);
/* Gives that back; the objects are gone. */
static void object_close_all(struct tw_timers *timers);
/* False, with errno set, when the kernel refuses. */
static bool object_create(struct tw_timers *timers, tw_id id);
static void object_destroy(struct tw_timers *timers, tw_id id);
static bool object_exists(const struct tw_timers *timers, tw_id id);
/* At real time `at_ns`; 0: never. */
static void object_arm(struct tw_timers *timers, tw_id id, uint64_t at_ns);
/* Is it still to expire? */
static bool object_is_armed(const struct tw_timers *timers, tw_id id);
/* Sleeps until something has expired; fills ids[], in the order of expiry, and returns how many. */
static uint32_t object_hear(struct tw_timers *timers, tw_id ids[HEARD]);
/* Why object_create failed, with the limit and its value. */
static void object_explain(const struct tw_timers *timers, uint32_t created, int error_number,
                           struct tw_error *error);

/* ---- The real clock. ------------------------------------------------------------------------- */

static inline uint64_t kernel_clock_ns(struct tw_timers *timers)
{
    struct timespec time;
    (void)timers; /* of the timed object */
    clock_gettime(CLOCK_MONOTONIC, &time);
    TW_COUNT(timers, clock_reads, 1);
    return (uint64_t)time.tv_sec * SECOND_NS + (uint64_t)time.tv_nsec;
}

static inline uint64_t kernel_real_ns(const struct tw_timers *timers, tw_tick tick)
{
    return timers->base_ns + (tick - timers->base_tick) * timers->tick_ns;
}

static inline struct itimerspec kernel_spec(uint64_t at_ns)
{
    return (struct itimerspec){
        .it_value = {.tv_sec = (time_t)(at_ns / SECOND_NS), .tv_nsec = (long)(at_ns % SECOND_NS)}};
}

/* ---- Timers that expired before their tick. -------------------------------------------------- */

static void held_add(struct tw_timers *timers, tw_id id)
{
    timers->place[id] = timers->held_count;
    timers->held[timers->held_count++] = id;
}

static inline void held_remove(struct tw_timers *timers, tw_id id)
{
    uint32_t place = timers->place[id];
    if (place == NOT_HELD)
        return;
    tw_id last = timers->held[--timers->held_count];
    timers->held[place] = last;
    timers->place[last] = place;
    timers->place[id] = NOT_HELD;
}

/* ---- Start, stop. ---------------------------------------------------------------------------- */

static int kernel_start(struct tw_timers *timers, tw_id id, tw_tick deadline)
{
    if (timers->now >= TW_DEADLINE_MAX)
        return TW_REFUSED_RANGE;
    tw_tick due = deadline > timers->now ? deadline : timers->now + 1;
    if (due - timers->now > timers->range)
        return TW_REFUSED_RANGE;
    bool runs = timers->due[id] != TW_NEVER;
    if (!runs && !timers->keep && !object_create(timers, id))
        return TW_REFUSED_FULL;
    if (timers->running == 0) {
        timers->base_tick = timers->now;
        timers->base_ns = kernel_clock_ns(timers);
    }
    held_remove(timers, id);
    timers->due[id] = due;
    timers->running += !runs;
    timers->again |= due <= timers->until;
    object_arm(timers, id, kernel_real_ns(timers, due));
    return runs ? TW_REARMED : TW_OK;
}

static void kernel_forget(struct tw_timers *timers, tw_id id)
{
    held_remove(timers, id);
    timers->due[id] = TW_NEVER;
    timers->running--;
}

static int kernel_stop(struct tw_timers *timers, tw_id id)
{
    if (timers->due[id] == TW_NEVER)
        return TW_IDLE;
    kernel_forget(timers, id);
    if (timers->keep)
        object_arm(timers, id, 0);
    else
        object_destroy(timers, id);
    return TW_OK;
}

/* ---- Advance. -------------------------------------------------------------------------------- */

static void kernel_fire(struct tw_timers *timers, tw_id id, tw_expire_fn *expire, void *ctx)
{
    tw_tick due = timers->due[id];
    kernel_forget(timers, id);
    if (!timers->keep)
        object_destroy(timers, id);
    timers->now = due;
    expire(ctx, id, due);
}

/* An expiry may be of a timer that was stopped or re-armed after the kernel had said so.  Stopped:
 * there is nothing to do.  Re-armed: at worst it is held, and fires on its new tick. */
static void kernel_heard(struct tw_timers *timers, tw_id id, tw_expire_fn *expire, void *ctx)
{
    TW_COUNT(timers, comparisons, 1);
    if (timers->due[id] <= timers->until)
        kernel_fire(timers, id, expire, ctx);
    else if (timers->due[id] != TW_NEVER && timers->place[id] == NOT_HELD)
        held_add(timers, id);
}

/* From the end, because what a callback removes is replaced by the last one, which was looked at. */
static void held_fire(struct tw_timers *timers, tw_expire_fn *expire, void *ctx)
{
    for (uint32_t i = timers->held_count; i-- > 0;) {
        if (i >= timers->held_count)
            continue;
        TW_COUNT(timers, visits, 1);
        if (timers->due[timers->held[i]] <= timers->until)
            kernel_fire(timers, timers->held[i], expire, ctx);
    }
}

/* Nothing runs any more, and the fence is far: nobody has to sleep until then.  A fence that is near
 * is waited for, so that it cannot expire while it is taken back. */
static bool kernel_breaks_off(struct tw_timers *timers, uint64_t fence_ns)
{
    if (timers->running > 0 || kernel_clock_ns(timers) + LONG_SLEEP_NS > fence_ns)
        return false;
    object_arm(timers, FENCE, 0);
    return true;
}

/* Fires what is due by `until`, but for what callbacks start on the way. */
static void kernel_turn(struct tw_timers *timers, tw_expire_fn *expire, void *ctx)
{
    uint64_t fence_ns = kernel_real_ns(timers, timers->until);
    bool fence_heard = false;
    timers->again = false;
    object_arm(timers, FENCE, fence_ns);
    while (!fence_heard && !kernel_breaks_off(timers, fence_ns)) {
        tw_id ids[HEARD];
        uint32_t count = object_hear(timers, ids);
        for (uint32_t i = 0; i < count; i++) {
            if (ids[i] == FENCE)
                fence_heard = true;
            else
                kernel_heard(timers, ids[i], expire, ctx);
        }
    }
    held_fire(timers, expire, ctx);
}

/* By no more than the range at a time, beyond which nothing can be due. */
static void kernel_advance(struct tw_timers *timers, tw_tick to, tw_expire_fn *expire, void *ctx)
{
    tw_tick reached = timers->now;
    if (to <= reached)
        return;
    while (reached < to && timers->running > 0) {
        timers->until = to - reached > timers->range ? reached + timers->range : to;
        kernel_turn(timers, expire, ctx);
        if (!timers->again)
            reached = timers->until;
    }
    timers->until = 0;
    timers->now = to;
}

/* ---- Open, close. ---------------------------------------------------------------------------- */

/* The soft limit is what a program may raise by itself, as servers do. */
static uint64_t kernel_limit(int resource)
{
    struct rlimit limit;
    if (getrlimit((__rlimit_resource_t)resource, &limit) != 0)
        return 0;
    if (limit.rlim_cur != limit.rlim_max) {
        limit.rlim_cur = limit.rlim_max;
        setrlimit((__rlimit_resource_t)resource, &limit);
    }
    return limit.rlim_max;
}

static void kernel_pin(struct tw_timers *timers)
{
    cpu_set_t here;
    int core = sched_getcpu();
    if (core < 0 || sched_getaffinity(0, sizeof timers->cores, &timers->cores) != 0 ||
        CPU_COUNT(&timers->cores) == 1)
        return;
    CPU_ZERO(&here);
    CPU_SET((size_t)core, &here);
    timers->pinned = sched_setaffinity(0, sizeof here, &here) == 0;
}

static void kernel_free(struct tw_timers *timers)
{
    free(timers->due);
    free(timers->place);
    free(timers->held);
    free(timers);
}

static void kernel_close(struct tw_timers *timers)
{
    for (tw_id id = 0; id < timers->capacity; id++)
        if (object_exists(timers, id))
            object_destroy(timers, id);
    if (object_exists(timers, FENCE))
        object_destroy(timers, FENCE);
    object_close_all(timers);
    if (timers->pinned)
        sched_setaffinity(0, sizeof timers->cores, &timers->cores);
    kernel_free(timers);
}

static struct tw_timers *kernel_allocate(const struct tw_config *config)
{
    struct tw_timers *timers = calloc(1, sizeof *timers);
    size_t capacity = config->capacity;
    if (!timers)
        return NULL;
    timers->due = malloc(capacity * sizeof *timers->due);
    timers->place = malloc(capacity * sizeof *timers->place);
    timers->held = malloc(capacity * sizeof *timers->held);
    if (!timers->due || !timers->place || !timers->held) {
        kernel_free(timers);
        return NULL;
    }
    for (size_t id = 0; id < capacity; id++) {
        timers->due[id] = TW_NEVER;
        timers->place[id] = NOT_HELD;
    }
    tw_tick range = config->horizon > RANGE_USUAL ? config->horizon : RANGE_USUAL;
    timers->capacity = config->capacity;
    timers->now = config->now;
    timers->tick_ns = setting_of(config, "tick-ns", TICK_USUAL);
    timers->range = setting_of(config, "range", range < RANGE_MAX ? range : RANGE_MAX);
    timers->keep = setting_of(config, "keep", 1) != 0;
    return timers;
}

/* The fence first; then, when they are kept, all others. */
static bool kernel_create_objects(struct tw_timers *timers, struct tw_error *error)
{
    uint32_t created = 0;
    bool made = object_create(timers, FENCE);
    for (; made && timers->keep && created < timers->capacity; created += made)
        made = object_create(timers, created);
    if (!made)
        object_explain(timers, created, errno, error);
    return made;
}

static int kernel_open(struct tw_timers **out, const struct tw_config *config,
                       struct tw_error *error)
{
    int status = params_check(kernel_params, config, error);
    if (status != TW_OK)
        return status;
    struct tw_timers *timers = kernel_allocate(config);
    if (!timers)
        return params_no_memory(error, (uint64_t)config->capacity * 16);
    status = object_open_all(timers, error);
    if (status != TW_OK) {
        kernel_free(timers);
        return status;
    }
    kernel_pin(timers);
    if (!kernel_create_objects(timers, error)) {
        kernel_close(timers);
        return TW_REFUSED_FULL;
    }
    *out = timers;
    return TW_OK;
}

/* ---- What can be asked. ---------------------------------------------------------------------- */

/* The kernel tells what is left of one timer, not which is the first. */
static tw_tick kernel_next(const struct tw_timers *timers)
{
    tw_tick first = TW_NEVER;
    for (tw_id id = 0; timers->running > 0 && id < timers->capacity; id++)
        if (timers->due[id] < first)
            first = timers->due[id];
    return first;
}

static void kernel_visit(const struct tw_timers *timers, tw_visit_fn *visit, void *ctx)
{
    for (tw_id id = 0; id < timers->capacity; id++)
        if (timers->due[id] != TW_NEVER)
            visit(ctx, &(struct tw_view){.id = id, .deadline = timers->due[id]});
}

/* The clock is read after the kernel was asked, so that a timer cannot expire in between. */
static bool kernel_has(const struct tw_timers *timers, tw_id id)
{
    struct timespec time;
    if (timers->place[id] != NOT_HELD || object_is_armed(timers, id))
        return true;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return kernel_real_ns(timers, timers->due[id]) <=
           (uint64_t)time.tv_sec * SECOND_NS + (uint64_t)time.tv_nsec;
}

static const char *kernel_check_one(const struct tw_timers *timers, tw_id id)
{
    uint32_t place = timers->place[id];
    bool runs = timers->due[id] != TW_NEVER;
    if (runs && timers->due[id] <= timers->now)
        return "a running timer is due after now";
    if (runs && !kernel_has(timers, id))
        return "a running timer is armed, has expired in real time, or is held";
    if (place != NOT_HELD && (!runs || place >= timers->held_count || timers->held[place] != id))
        return "who is held runs, and stands in its place";
    if (!timers->keep && runs != object_exists(timers, id))
        return "without keep, who runs has an object, and nobody else";
    return NULL;
}

static const char *kernel_check(const struct tw_timers *timers)
{
    uint32_t running = 0, held = 0;
    const char *broken = NULL;
    for (tw_id id = 0; id < timers->capacity && !broken; id++) {
        broken = kernel_check_one(timers, id);
        running += timers->due[id] != TW_NEVER;
        held += timers->place[id] != NOT_HELD;
    }
    if (!broken && (running != timers->running || held != timers->held_count))
        broken = "as many run and are held as are counted";
    return broken;
}

static void kernel_describe(const struct tw_timers *timers, struct tw_description *out)
{
    *out = (struct tw_description){.span = timers->range, .setting_count = 3};
    out->settings[0] = (struct tw_setting){"tick-ns", 1, {timers->tick_ns}};
    out->settings[1] = (struct tw_setting){"range", 1, {timers->range}};
    out->settings[2] = (struct tw_setting){"keep", 1, {timers->keep}};
}

TW_TELL_WORK(kernel);

/* What is kept here, not the kernel's: labs/libraries/docs/LIBRARIES.md has that. */
static struct tw_footprint kernel_footprint_of(const struct tw_timers *timers, size_t object_bytes)
{
    size_t each = sizeof *timers->due + sizeof *timers->place + sizeof *timers->held + object_bytes;
    return (struct tw_footprint){.fixed_bytes = sizeof *timers,
                                 .capacity_bytes = (uint64_t)timers->capacity * each};
}

/* Of the table, behind names and footprint. */
#define KERNEL_TRAITS                                                                              \
    {                                                                                              \
        .flags = TW_TICKLESS | TW_NEXT_EXACT | TW_REAL_CLOCK, .start = {TW_O_LOG_N, TW_O_LOG_N},   \
        .stop = {TW_O_LOG_N, TW_O_LOG_N}, .expire = {TW_O_LOG_N, TW_O_LOG_N},                      \
        .tick = {TW_O_LOG_N, TW_O_N},                                                              \
    }
#define KERNEL_HOOKS                                                                               \
    .traits = KERNEL_TRAITS, .params = kernel_params, .open = kernel_open, .close = kernel_close,  \
    .start = kernel_start, .stop = kernel_stop, .advance = kernel_advance, .next = kernel_next,    \
    .visit = kernel_visit, .check = kernel_check, .describe = kernel_describe, .work = kernel_work

#endif
