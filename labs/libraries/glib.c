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
#define GLIB_ZERO        UINT64_C(1000) /* ticks on the library's clock at the base: 0 means at once */

struct glib_source {
    GSource source; /* first: GLib allocates it */
    struct tw_timers *timers;
    tw_id id;
};

struct glib_task {
    struct glib_source *source; /* NULL: none */
    tw_tick due;                /* 0: idle */
};

struct tw_timers {
    GMainContext *context;
    GSourceFuncs functions; /* dispatch alone */
    struct glib_task *tasks;
    uint32_t capacity;
    uint32_t running;
    tw_tick now;  /* in a callback, the due tick of the timer that fires */
    tw_tick turn; /* the tick that the loop's time stands for */
    tw_tick base; /* the tick at which the library's clock shows 0; may be before tick 0 */
    bool again;   /* a callback started something that is due in this turn */
    tw_expire_fn *expire;
    void *ctx;
    struct answer answer;
    TW_WORK_FIELD
};

#include "event_loop.h"

static const struct tw_param glib_params[] = {LOOP_PARAM_POLL, {NULL, NULL, 0, 0, 0}};

/* ---- Sources. -------------------------------------------------------------------------------- */

static gint64 glib_ready_us(const struct tw_timers *timers, tw_tick due)
{
    return (gint64)((due - timers->base) * GLIB_US_PER_TICK);
}

static void glib_arm(struct tw_timers *timers, struct glib_task *task)
{
    g_source_set_ready_time(&task->source->source, glib_ready_us(timers, task->due));
}

static void glib_drop(struct glib_task *task)
{
    g_source_destroy(&task->source->source);
    task->source = NULL;
}

/* A source may be dispatched although its timer was stopped or put off meanwhile: the turn had found
 * it due before. */
static gboolean glib_dispatch(GSource *source, GSourceFunc callback, gpointer data)
{
    struct glib_source *self = (struct glib_source *)source;
    struct tw_timers *timers = self->timers;
    struct glib_task *task = &timers->tasks[self->id];
    tw_tick due = task->due;
    (void)callback;
    (void)data;
    if (due == 0 || due > timers->turn)
        return G_SOURCE_CONTINUE;
    loop_fire(timers, self->id, &task->due);
    if (task->source != self || task->due != 0)
        return G_SOURCE_CONTINUE; /* stopped, and so destroyed; or armed again */
    task->source = NULL;
    return G_SOURCE_REMOVE;
}

/* The context holds it from now on. */
static void glib_make(struct tw_timers *timers, tw_id id)
{
    GSource *source = g_source_new(&timers->functions, sizeof(struct glib_source));
    struct glib_source *made = (struct glib_source *)source;
    struct glib_task *task = &timers->tasks[id];
    made->timers = timers;
    made->id = id;
    task->source = made;
    glib_arm(timers, task);
    g_source_attach(source, timers->context);
    g_source_unref(source);
}

/* ---- Start, stop, advance. ------------------------------------------------------------------- */

static int glib_start(struct tw_timers *timers, tw_id id, tw_tick deadline)
{
    tw_tick due;
    if (!loop_due(timers, deadline, LOOP_SPAN, &due))
        return TW_REFUSED_RANGE;
    struct glib_task *task = &timers->tasks[id];
    bool was_running = task->due != 0;
    task->due = due;
    timers->running += !was_running;
    timers->again |= due <= timers->turn;
    if (task->source)
        glib_arm(timers, task);
    else
        glib_make(timers, id);
    return was_running ? TW_REARMED : TW_OK;
}

static int glib_stop(struct tw_timers *timers, tw_id id)
{
    struct glib_task *task = &timers->tasks[id];
    if (task->due == 0)
        return TW_IDLE;
    task->due = 0;
    timers->running--;
    glib_drop(task);
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
    do {
        timers->again = false;
        g_main_context_iteration(timers->context, FALSE);
    } while (timers->again);
}

/* A new zero for the library's clock. */
static void loop_rebase(struct tw_timers *timers, tw_tick now)
{
    timers->base = now - GLIB_ZERO;
    for (tw_id id = 0; timers->running > 0 && id < timers->capacity; id++)
        if (timers->tasks[id].due != 0)
            glib_arm(timers, &timers->tasks[id]);
}

/* ---- Open, close. ---------------------------------------------------------------------------- */

static struct tw_footprint glib_footprint(const struct tw_timers *timers)
{
    struct tw_footprint footprint = loop_footprint(timers);
    footprint.pending_bytes = (uint64_t)timers->running * sizeof(struct glib_source);
    return footprint;
}

static void glib_close(struct tw_timers *timers)
{
    answer_begin(&timers->answer);
    for (tw_id id = 0; id < timers->capacity; id++)
        if (timers->tasks[id].source)
            glib_drop(&timers->tasks[id]);
    g_main_context_release(timers->context);
    g_main_context_unref(timers->context);
    loop_free(timers);
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

static int glib_answer(const struct tw_config *config, struct tw_error *error)
{
    void (*inside)(void) = (void (*)(void))g_main_context_iteration;
    int status = answer_library(inside, loop_kinds(config), error);
    if (status == TW_OK && (LOOP_COUNTS || !loop_polls(config)))
        status = answer_function(inside, "write", (void (*)(void))glib_write, error);
    return status;
}

/* GLib has no way to go on without memory: it ends the program. */
static void glib_open_context(struct tw_timers *timers)
{
    loop_tell_ms(timers, timers->now);
    timers->functions = (GSourceFuncs){.dispatch = glib_dispatch};
    timers->context = g_main_context_new();
    g_main_context_acquire(timers->context);
    g_main_context_iteration(timers->context, FALSE);
}

static int glib_open(struct tw_timers **out, const struct tw_config *config, struct tw_error *error)
{
    int status = params_check(glib_params, config, error);
    if (status == TW_OK)
        status = glib_answer(config, error);
    if (status != TW_OK)
        return status;
    struct tw_timers *timers = loop_new(config, error);
    if (!timers)
        return TW_REFUSED_MEMORY;
    timers->base = config->now - GLIB_ZERO;
    glib_open_context(timers);
    loop_count_work(timers);
    *out = timers;
    return TW_OK;
}

/* ---- What can be asked. ---------------------------------------------------------------------- */

static const char *glib_check(const struct tw_timers *timers)
{
    uint32_t running = 0;
    for (tw_id id = 0; id < timers->capacity; id++) {
        const struct glib_task *task = &timers->tasks[id];
        if ((task->due != 0) != (task->source != NULL))
            return "a timer runs without a source, or has one without running";
        if (task->source && g_source_is_destroyed(&task->source->source))
            return "a source that is needed is not attached";
        if (task->source &&
            g_source_get_ready_time(&task->source->source) != glib_ready_us(timers, task->due))
            return "GLib has another time for a timer than its due tick";
        running += task->due != 0;
    }
    return running == timers->running ? NULL : "not as many timers run as are counted";
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
    .params = glib_params,
    .open = glib_open,
    .close = glib_close,
    .start = glib_start,
    .stop = glib_stop,
    .advance = loop_advance,
    .next = loop_earliest,
    .visit = loop_visit,
    .check = glib_check,
    .footprint = glib_footprint,
    .describe = loop_describe,
    .work = loop_work,
};
