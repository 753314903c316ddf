/*
 * glib.c - the timeouts of GLib: sources of a main context, through its public interface.
 *
 * Structure: none of their own.  A context has its sources in a list (GSourceList of gmain.c), each with
 * the time at which it is ready, and a turn of the loop goes through all of them: g_main_context_prepare
 * and g_main_context_check.  A start and a stop are steps at a list and a hash table of numbers.
 *
 *     START    g_source_new, g_source_set_ready_time, g_source_attach; of a running timer the second
 *              alone, and in its own callback too
 *     STOP     g_source_destroy
 *     PER-TICK g_main_context_iteration(FALSE): one turn, also where nothing is due
 *     EXPIRY   the source's dispatch function, after the turn has found all that are due
 *
 * These are sources of a kind of their own, with a ready time and without functions to prepare and to
 * check, which is the shortest way through a turn; g_timeout_add makes one that costs the same or more.
 * A source is there while its timer runs, as with g_timeout_add.
 *
 * What a figure includes stands in labs/libraries/docs/LIBRARIES.md.  Locks: GLib's, which nobody contends for.
 *
 *             average     worst
 *     start   O(1)        O(1)
 *     stop    O(1)        O(1)
 *     advance O(n)        O(n)        for each call, twice through all sources
 *     next    O(n)        O(n)        the adapter looks at every id; GLib would go through a turn
 *
 * One tick is 1 ms, the unit of g_timeout_add; a ready time is absolute and in microseconds.  Exact.  A
 * jump is one turn, and another one when a callback starts a timer for a tick of the jump; the order
 * within is not promised.
 *
 * Limits: microseconds in 63 bits.  A delay of more than 2^50 ticks (35,000 years) is refused; beyond
 * four times as much all ready times are set anew from a new zero (loop_rebase).
 *
 * Memory: 16 bytes per id, and while a timer runs a source of 112 bytes with GLib's private part, list
 * nodes and hash entry, which the arena sees.
 */
#include "harness/prove/answer.h"
#include "impls/backend.h"

#include <glib.h>
#include <unistd.h>

#define GLIB_US_PER_TICK UINT64_C(1000)
#define LOOP_SPAN        (UINT64_C(1) << 50)
#define LOOP_REACH       (UINT64_C(1) << 52) /* in microseconds still below 2^63 */
#define LOOP_ZERO        UINT64_C(1000) /* ticks on the library's clock at the base: 0 means at once */
/* Of the functions `dispatch` alone. */
#define LOOP_LIBRARY                                                                               \
    GMainContext *context;                                                                         \
    GSourceFuncs functions;

struct glib_source {
    GSource source; /* first: GLib allocates it */
    struct tw_timers *timers;
    tw_id id;
};

struct loop_task {
    struct glib_source *source; /* NULL: none */
    tw_tick due;                /* 0: idle */
};

#include "event_loop.h"

/* ---- Sources. -------------------------------------------------------------------------------- */

static gint64 glib_ready_us(const struct tw_timers *timers, tw_tick due)
{
    return (gint64)((due - timers->base) * GLIB_US_PER_TICK);
}

/* A source may be dispatched although its timer was stopped or put off meanwhile: the turn had found
 * it due before. */
static gboolean glib_dispatch(GSource *source, GSourceFunc callback, gpointer data)
{
    struct glib_source *self = (struct glib_source *)source;
    struct tw_timers *timers = self->timers;
    struct loop_task *task = &timers->tasks[self->id];
    tw_tick due = task->due;
    (void)callback;
    (void)data;
    if (due == 0 || due > timers->turn)
        return G_SOURCE_CONTINUE;
    loop_fire(timers, task);
    if (task->source != self || task->due != 0)
        return G_SOURCE_CONTINUE; /* stopped, and so destroyed; or armed again */
    task->source = NULL;
    return G_SOURCE_REMOVE;
}

/* A source that is new: the context holds it from now on. */
static bool loop_arm(struct tw_timers *timers, tw_id id, tw_tick due, bool was_running)
{
    struct loop_task *task = &timers->tasks[id];
    GSource *source = task->source ? &task->source->source : NULL;
    (void)was_running;
    timers->is_behind |= due <= timers->turn;
    if (source) {
        g_source_set_ready_time(source, glib_ready_us(timers, due));
        return true;
    }
    source = g_source_new(&timers->functions, sizeof(struct glib_source));
    task->source = (struct glib_source *)source;
    task->source->timers = timers;
    task->source->id = id;
    g_source_set_ready_time(source, glib_ready_us(timers, due));
    g_source_attach(source, timers->context);
    g_source_unref(source);
    return true;
}

static void loop_disarm(struct tw_timers *timers, tw_id id)
{
    struct loop_task *task = &timers->tasks[id];
    g_source_destroy(&task->source->source);
    task->source = NULL;
}

static inline bool loop_wakes(const struct tw_timers *timers, tw_tick to)
{
    (void)timers, (void)to;
    return true;
}

static void loop_turn(struct tw_timers *timers, tw_tick to)
{
    loop_tell(timers, to);
    do {
        timers->is_behind = false;
        g_main_context_iteration(timers->context, FALSE);
    } while (timers->is_behind);
}

/* ---- Open, close. ---------------------------------------------------------------------------- */

static struct tw_footprint glib_footprint(const struct tw_timers *timers)
{
    struct tw_footprint footprint = loop_footprint(timers);
    footprint.pending_bytes = (uint64_t)timers->running * sizeof(struct glib_source);
    return footprint;
}

static void loop_close_library(struct tw_timers *timers)
{
    for (tw_id id = 0; id < timers->capacity; id++)
        if (timers->tasks[id].source)
            loop_disarm(timers, id);
    g_main_context_release(timers->context);
    g_main_context_unref(timers->context);
}

/* Waking the loop is the system's part too. */
static ssize_t glib_write(int fd, const void *buffer, size_t size)
{
    if (answer_current && answer_current->is_alone)
        return (ssize_t)size;
    if (answer_current && answer_current->work)
        answer_current->work->system_calls++;
    return write(fd, buffer, size);
}

static int loop_answer(const struct tw_config *config, struct tw_error *error)
{
    void (*inside)(void) = (void (*)(void))g_main_context_iteration;
    int status = answer_library(inside, loop_kinds(config), error);
    if (status == TW_OK && (LOOP_COUNTS || !loop_polls(config)))
        status = answer_function(inside, "write", (void (*)(void))glib_write, error);
    return status;
}

/* GLib has no way to go on without memory: it ends the program. */
static int loop_open_library(struct tw_timers *timers, const struct tw_config *config,
                             struct tw_error *error)
{
    (void)config;
    (void)error;
    timers->functions = (GSourceFuncs){.dispatch = glib_dispatch};
    timers->context = g_main_context_new();
    g_main_context_acquire(timers->context);
    g_main_context_iteration(timers->context, FALSE);
    return TW_OK;
}

static const char *loop_check_task(const struct tw_timers *timers, const struct loop_task *task)
{
    if ((task->due != 0) != (task->source != NULL))
        return "a timer runs without a source, or has one without running";
    if (task->source && g_source_is_destroyed(&task->source->source))
        return "a source that is needed is not attached";
    if (task->source &&
        g_source_get_ready_time(&task->source->source) != glib_ready_us(timers, task->due))
        return "GLib has another time for a timer than its due tick";
    return NULL;
}

const struct tw_backend TW_BACKEND(glib) = {
    .abi_version = TW_ABI_VERSION,
    .name = "glib",
    .summary = "sources of a GLib main context, each with its ready time: a list that each turn "
               "goes through",
    .traits = {.flags = TW_TICKLESS | TW_NEXT_EXACT | TW_ALLOCATES,
               .start = {TW_O_1, TW_O_1},
               .stop = {TW_O_1, TW_O_1},
               .expire = {TW_O_1, TW_O_1},
               .tick = {TW_O_N, TW_O_N}},
    .next = loop_earliest,
    .footprint = glib_footprint,
    .describe = loop_describe,
    LOOP_HOOKS,
};
