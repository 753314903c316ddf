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
#define LOOP_ZERO            (UINT64_C(3200000000000)) /* ticks at the base: a century */
#define LOOP_LIBRARY                                                                               \
    sd_event *loop;                                                                                \
    uint64_t accuracy_us;
#define LOOP_PARAMS                                                                                \
    {"accuracy", "how much later the loop may wake up for a timer, in microseconds (1)", 1,        \
     3600000000u, 1},

struct loop_task {
    sd_event_source *source; /* from open to close */
    struct tw_timers *timers;
    tw_tick due; /* 0: idle */
};

#include "event_loop.h"

static uint64_t sd_event_time_us(const struct tw_timers *timers, tw_tick due)
{
    return (due - timers->base) * SD_EVENT_US_PER_TICK;
}

/* sd-event has turned the source off before it calls. */
static int sd_event_fire(sd_event_source *source, uint64_t time_us, void *ctx)
{
    struct loop_task *task = ctx;
    (void)source;
    (void)time_us;
    loop_fire(task->timers, task);
    return 0;
}

static bool loop_arm(struct tw_timers *timers, tw_id id, tw_tick due, bool was_running)
{
    sd_event_source *source = timers->tasks[id].source;
    return sd_event_source_set_time(source, sd_event_time_us(timers, due)) >= 0 &&
           (was_running || sd_event_source_set_enabled(source, SD_EVENT_ONESHOT) >= 0);
}

static void loop_disarm(struct tw_timers *timers, tw_id id)
{
    sd_event_source_set_enabled(timers->tasks[id].source, SD_EVENT_OFF);
}

static inline bool loop_wakes(const struct tw_timers *timers, tw_tick to)
{
    (void)timers, (void)to;
    return true;
}

static void loop_turn(struct tw_timers *timers, tw_tick to)
{
    loop_tell(timers, to);
    while (sd_event_run(timers->loop, 0) > 0)
        continue;
}

/* ---- Open, close. ---------------------------------------------------------------------------- */

static void loop_close_library(struct tw_timers *timers)
{
    for (tw_id id = 0; id < timers->capacity; id++)
        sd_event_source_disable_unref(timers->tasks[id].source);
    sd_event_unref(timers->loop);
}

static bool sd_event_make(struct tw_timers *timers, struct loop_task *task)
{
    task->timers = timers;
    return sd_event_add_time(timers->loop, &task->source, CLOCK_MONOTONIC,
                             sd_event_time_us(timers, timers->now), timers->accuracy_us,
                             sd_event_fire, task) >= 0 &&
           sd_event_source_set_enabled(task->source, SD_EVENT_OFF) >= 0;
}

static int loop_open_library(struct tw_timers *timers, const struct tw_config *config,
                             struct tw_error *error)
{
    timers->accuracy_us = setting_of(config, "accuracy", 1);
    int status = sd_event_new(&timers->loop);
    for (tw_id id = 0; status >= 0 && id < timers->capacity; id++)
        if (!sd_event_make(timers, &timers->tasks[id]))
            status = -1;
    if (status >= 0 && sd_event_run(timers->loop, 0) >= 0)
        return TW_OK;
    loop_close_library(timers);
    snprintf(error->text, sizeof error->text, "sd-event: no loop with a source for each timer");
    return TW_REFUSED_MEMORY;
}

static int loop_answer(const struct tw_config *config, struct tw_error *error)
{
    return answer_library((void (*)(void))sd_event_run, loop_kinds(config), error);
}

static const char *loop_check_task(const struct tw_timers *timers, const struct loop_task *task)
{
    uint64_t time_us = 0;
    int enabled = SD_EVENT_OFF;
    if (sd_event_source_get_enabled(task->source, &enabled) < 0 ||
        (enabled != SD_EVENT_OFF) != (task->due != 0))
        return "a source is on while its timer is idle, or off while it runs";
    if (task->due != 0 && (sd_event_source_get_time(task->source, &time_us) < 0 ||
                           time_us != sd_event_time_us(timers, task->due)))
        return "sd-event has another time for a timer than its due tick";
    return NULL;
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
    .next = loop_earliest,
    .footprint = loop_footprint,
    .describe = sd_event_describe,
    LOOP_HOOKS,
};
