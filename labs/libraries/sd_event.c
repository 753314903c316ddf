/*
 * sd_event.c - the time events of sd-event, systemd's loop, through its public interface (libsystemd).
 *
 * Structure: two binary heaps of pointers for each clock (Prioq; clock_data in sd-event.c): by the time at
 * which a source may fire, and by the time plus accuracy, at which it has to.  The kernel's timer
 * (one timerfd for each clock) is set to some moment between the two, so that sources that are not in a
 * hurry wake the loop together.  A third heap has what is pending.
 *
 *     START    sd_event_source_set_time and sd_event_source_set_enabled(SD_EVENT_ONESHOT); of a
 *              running timer the first alone
 *     STOP     sd_event_source_set_enabled(SD_EVENT_OFF)
 *     PER-TICK sd_event_run(0), again until it has dispatched nothing
 *     EXPIRY   the source's callback: one in each sd_event_run
 *
 * What a figure includes stands in labs/libraries/docs/LIBRARIES.md.
 *
 *             average     worst
 *     start   O(log n)    O(log n)    twice in each of two heaps
 *     stop    O(log n)    O(log n)    a source that is off goes to the end of its heaps
 *     advance O(log n)    O(log n)    per expired timer
 *     next    O(n)        O(n)        the adapter looks at every id; sd-event tells the time of a source
 *
 * n is the number of sources, one for each id, armed or not.
 *
 * One tick is 1 ms; sd-event counts microseconds.  Exact: a source is dispatched by the first turn that
 * finds its time reached, whatever its accuracy, which says how much later the loop may wake up for
 * it.  Here the driver wakes it up, and accuracy only saves settings of the timerfd.  A jump is one
 * time, and goes on until nothing is due: the order within is not promised.
 *
 * Limits: a delay of more than 2^50 ticks (35,000 years) is refused; beyond four times as much all times
 * are set anew from a new zero (loop_rebase).
 *
 * Memory: 24 bytes per id, and sd-event's source and its places in the heaps, which the arena sees.
 */
#include "harness/prove/answer.h"
#include "impls/backend.h"

#include <systemd/sd-event.h>

#define SD_EVENT_US_PER_TICK UINT64_C(1000)
#define LOOP_SPAN            (UINT64_C(1) << 50)
#define LOOP_REACH           (UINT64_C(1) << 52)       /* in microseconds still below 2^63 */
#define SD_EVENT_ZERO        (UINT64_C(3200000000000)) /* ticks at the base: a century */

struct sd_event_task {
    sd_event_source *source; /* from open to close */
    struct tw_timers *timers;
    tw_tick due; /* 0: idle */
};

struct tw_timers {
    sd_event *loop;
    struct sd_event_task *tasks;
    uint32_t capacity;
    uint32_t running;
    tw_tick now;  /* in a callback, the due tick of the timer that fires */
    tw_tick turn; /* the tick that the loop's time stands for */
    tw_tick base; /* the tick at which the library's clock shows 0; may be before tick 0 */
    uint64_t accuracy_us;
    tw_expire_fn *expire;
    void *ctx;
    struct answer answer;
    TW_WORK_FIELD
};

#include "event_loop.h"

static const struct tw_param sd_event_params[] = {
    LOOP_PARAM_POLL,
    {"accuracy", "how much later the loop may wake up for a timer, in microseconds (1)", 1,
     3600000000u, 1},
    {NULL, NULL, 0, 0, 0}};

/* ---- Sources. -------------------------------------------------------------------------------- */

static uint64_t sd_event_time_us(const struct tw_timers *timers, tw_tick due)
{
    return (due - timers->base) * SD_EVENT_US_PER_TICK;
}

/* sd-event has turned the source off before it calls. */
static int sd_event_fire(sd_event_source *source, uint64_t time_us, void *ctx)
{
    struct sd_event_task *task = ctx;
    struct tw_timers *timers = task->timers;
    (void)source;
    (void)time_us;
    loop_fire(timers, (tw_id)(task - timers->tasks), &task->due);
    return 0;
}

/* ---- Start, stop, advance. ------------------------------------------------------------------- */

static bool sd_event_arm(struct tw_timers *timers, struct sd_event_task *task, tw_tick due)
{
    if (sd_event_source_set_time(task->source, sd_event_time_us(timers, due)) < 0)
        return false;
    return task->due != 0 || sd_event_source_set_enabled(task->source, SD_EVENT_ONESHOT) >= 0;
}

static int sd_event_start(struct tw_timers *timers, tw_id id, tw_tick deadline)
{
    tw_tick due;
    if (!loop_due(timers, deadline, LOOP_SPAN, &due))
        return TW_REFUSED_RANGE;
    struct sd_event_task *task = &timers->tasks[id];
    bool was_running = task->due != 0;
    if (!sd_event_arm(timers, task, due))
        return TW_REFUSED_MEMORY;
    task->due = due;
    timers->running += !was_running;
    return was_running ? TW_REARMED : TW_OK;
}

static int sd_event_stop(struct tw_timers *timers, tw_id id)
{
    struct sd_event_task *task = &timers->tasks[id];
    if (task->due == 0)
        return TW_IDLE;
    task->due = 0;
    timers->running--;
    sd_event_source_set_enabled(task->source, SD_EVENT_OFF);
    return TW_OK;
}

static inline bool loop_wakes(const struct tw_timers *timers, tw_tick to)
{
    (void)timers, (void)to;
    return true;
}

static void loop_turn(struct tw_timers *timers, tw_tick to)
{
    loop_tell_ms(timers, to);
    while (sd_event_run(timers->loop, 0) > 0)
        continue;
}

/* A new zero for the library's clock. */
static void loop_rebase(struct tw_timers *timers, tw_tick now)
{
    timers->base = now - SD_EVENT_ZERO;
    for (tw_id id = 0; timers->running > 0 && id < timers->capacity; id++)
        if (timers->tasks[id].due != 0)
            sd_event_source_set_time(timers->tasks[id].source,
                                     sd_event_time_us(timers, timers->tasks[id].due));
}

/* ---- Open, close. ---------------------------------------------------------------------------- */

static void sd_event_close(struct tw_timers *timers)
{
    answer_begin(&timers->answer);
    for (tw_id id = 0; id < timers->capacity; id++)
        sd_event_source_disable_unref(timers->tasks[id].source);
    sd_event_unref(timers->loop);
    loop_free(timers);
}

static bool sd_event_make(struct tw_timers *timers, struct sd_event_task *task)
{
    task->timers = timers;
    return sd_event_add_time(timers->loop, &task->source, CLOCK_MONOTONIC,
                             sd_event_time_us(timers, timers->now), timers->accuracy_us,
                             sd_event_fire, task) >= 0 &&
           sd_event_source_set_enabled(task->source, SD_EVENT_OFF) >= 0;
}

static int sd_event_open_loop(struct tw_timers *timers, struct tw_error *error)
{
    loop_tell_ms(timers, timers->now);
    int status = sd_event_new(&timers->loop);
    for (tw_id id = 0; status >= 0 && id < timers->capacity; id++)
        if (!sd_event_make(timers, &timers->tasks[id]))
            status = -1;
    if (status >= 0 && sd_event_run(timers->loop, 0) >= 0)
        return TW_OK;
    sd_event_close(timers);
    snprintf(error->text, sizeof error->text, "sd-event: no loop with a source for each timer");
    return TW_REFUSED_MEMORY;
}

static int sd_event_open(struct tw_timers **out, const struct tw_config *config,
                         struct tw_error *error)
{
    int status = params_check(sd_event_params, config, error);
    if (status == TW_OK)
        status = answer_library((void (*)(void))sd_event_run, loop_kinds(config), error);
    if (status != TW_OK)
        return status;
    struct tw_timers *timers = loop_new(config, error);
    if (!timers)
        return TW_REFUSED_MEMORY;
    timers->base = config->now - SD_EVENT_ZERO;
    timers->accuracy_us = loop_setting(config, "accuracy", 1);
    status = sd_event_open_loop(timers, error);
    if (status != TW_OK)
        return status;
    loop_count_work(timers);
    *out = timers;
    return TW_OK;
}

/* ---- What can be asked. ---------------------------------------------------------------------- */

static const char *sd_event_check(const struct tw_timers *timers)
{
    uint32_t running = 0;
    for (tw_id id = 0; id < timers->capacity; id++) {
        const struct sd_event_task *task = &timers->tasks[id];
        uint64_t time_us = 0;
        int enabled = SD_EVENT_OFF;
        if (sd_event_source_get_enabled(task->source, &enabled) < 0 ||
            (enabled != SD_EVENT_OFF) != (task->due != 0))
            return "a source is on while its timer is idle, or off while it runs";
        if (task->due != 0 && (sd_event_source_get_time(task->source, &time_us) < 0 ||
                               time_us != sd_event_time_us(timers, task->due)))
            return "sd-event has another time for a timer than its due tick";
        running += task->due != 0;
    }
    return running == timers->running ? NULL : "not as many timers run as are counted";
}

static void sd_event_describe(const struct tw_timers *timers, struct tw_description *out)
{
    *out = (struct tw_description){.span = LOOP_SPAN, .setting_count = 2};
    out->settings[0] = (struct tw_setting){"poll", 1, {!timers->answer.is_alone}};
    out->settings[1] = (struct tw_setting){"accuracy", 1, {timers->accuracy_us}};
}

const struct tw_backend TW_BACKEND(sd_event) = {
    .abi_version = TW_ABI_VERSION,
    .name = "sd-event",
    .summary = "time events of sd-event (systemd): two binary heaps, one dispatch a turn",
    .traits = {.flags = TW_TICKLESS | TW_NEXT_EXACT | TW_ALLOCATES,
               .start = {TW_O_LOG_N, TW_O_LOG_N},
               .stop = {TW_O_LOG_N, TW_O_LOG_N},
               .expire = {TW_O_LOG_N, TW_O_LOG_N},
               .tick = {TW_O_1, TW_O_1}},
    .params = sd_event_params,
    .open = sd_event_open,
    .close = sd_event_close,
    .start = sd_event_start,
    .stop = sd_event_stop,
    .advance = loop_advance,
    .next = loop_earliest,
    .visit = loop_visit,
    .check = sd_event_check,
    .footprint = loop_footprint,
    .describe = sd_event_describe,
    .work = loop_work,
};
