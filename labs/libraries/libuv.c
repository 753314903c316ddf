/*
 * libuv.c - the timers of libuv: a pairing of loop and heap, through its public interface.
 *
 * Structure: a binary heap of linked nodes in the handles themselves (uv__run_timers, timer_less_than
 * and heap-inl.h of libuv): parent, left and right as pointers, found from the number of nodes; equal
 * times are told apart by the number of the start.
 *
 *     START    uv_timer_start; a running timer is re-armed by the same call, which stops it first
 *     STOP     uv_timer_stop
 *     PER-TICK uv_run(UV_RUN_NOWAIT): one turn of the loop, also where nothing is due; with poll=0
 *              only when libuv itself would wake up (uv_backend_timeout)
 *     EXPIRY   the handle's callback
 *
 * What a figure includes stands in labs/libraries/docs/LIBRARIES.md.  Starts and stops read no clock and call nobody.
 * The handles lie in one array, made and initialised at open.
 *
 *             average     worst
 *     start   O(1)        O(log n)    up from the last leaf, which is found from the root: log n
 *                                     steps down in any case
 *     stop    O(log n)    O(log n)    the last leaf is found likewise and takes the place
 *     advance O(log n)    O(log n)    per expired timer; a turn of the loop for each call
 *     next    O(1)        O(1)        uv_backend_timeout: at most INT_MAX ticks ahead, a bound
 *
 * One tick is 1 ms, libuv's own unit.  Exact: the time of a loop is that of the turn's beginning, so
 * that a start in a callback counts from the tick that is processed.  A jump is one turn; a timer
 * that a callback starts for a tick of the jump gets no delay and fires in the same turn, behind those
 * that are due already, so that the order within a jump is not promised.
 *
 * Limits: libuv counts nanoseconds in 64 bits, 584 years.  A delay of more than 2^42 ticks (139
 * years) is refused; every few hundred years the timers are stopped and started again at a new zero
 * (loop_rebase), which may change the order of equal deadlines.
 *
 * Memory: 160 bytes per id, the handle's 152 and the due tick, which libuv cannot tell once it is
 * past.
 */
#include "harness/prove/answer.h"
#include "impls/backend.h"

#include <uv.h>

#define LOOP_SPAN  (UINT64_C(1) << 42)
#define LOOP_REACH (UINT64_C(1) << 44) /* in nanoseconds still below 2^64 */
#define LIBUV_ZERO UINT64_C(1000)      /* what the library's clock shows at the base */

struct libuv_task {
    uv_timer_t timer; /* first: a handle's address is its task's */
    tw_tick due;      /* 0: idle */
};

struct tw_timers {
    uv_loop_t loop;
    uv_async_t wakeup; /* gives the loop a descriptor and keeps it alive */
    struct libuv_task *tasks;
    uint32_t capacity;
    uint32_t running;
    tw_tick now;  /* in a callback, the due tick of the timer that fires */
    tw_tick turn; /* the tick that the loop's time stands for */
    tw_tick base; /* the tick at which the library's clock shows 0; may be before tick 0 */
    tw_tick wake; /* with poll=0, libuv is not due before: it said so */
    tw_expire_fn *expire;
    void *ctx;
    struct answer answer;
    TW_WORK_FIELD
};

#include "event_loop.h"

static const struct tw_param libuv_params[] = {LOOP_PARAM_POLL, {NULL, NULL, 0, 0, 0}};

static void libuv_fire(uv_timer_t *timer)
{
    struct tw_timers *timers = timer->data;
    struct libuv_task *task = (struct libuv_task *)timer;
    loop_fire(timers, (tw_id)(task - timers->tasks), &task->due);
}

static inline void libuv_arm(struct tw_timers *timers, struct libuv_task *task)
{
    uint64_t delay = task->due > timers->turn ? task->due - timers->turn : 0;
    uv_timer_start(&task->timer, libuv_fire, delay, 0);
}

static int libuv_start(struct tw_timers *timers, tw_id id, tw_tick deadline)
{
    tw_tick due;
    if (!loop_due(timers, deadline, LOOP_SPAN, &due))
        return TW_REFUSED_RANGE;
    struct libuv_task *task = &timers->tasks[id];
    bool was_running = task->due != 0;
    task->due = due;
    timers->running += !was_running;
    if (due < timers->wake)
        timers->wake = due;
    libuv_arm(timers, task);
    return was_running ? TW_REARMED : TW_OK;
}

static int libuv_stop(struct tw_timers *timers, tw_id id)
{
    struct libuv_task *task = &timers->tasks[id];
    if (task->due == 0)
        return TW_IDLE;
    task->due = 0;
    timers->running--;
    uv_timer_stop(&task->timer);
    return TW_OK;
}

static inline bool loop_wakes(const struct tw_timers *timers, tw_tick to)
{
    return !timers->answer.is_alone || to >= timers->wake;
}

static void loop_turn(struct tw_timers *timers, tw_tick to)
{
    loop_tell_ms(timers, to);
    uv_run(&timers->loop, UV_RUN_NOWAIT);
    if (timers->answer.is_alone) {
        int ticks = uv_backend_timeout(&timers->loop);
        timers->wake = ticks < 0 ? TW_NEVER : to + (tw_tick)ticks;
    }
}

/* A new zero for the library's clock.  What runs is taken out and put in again, for the times of the
 * old zero mean nothing any more. */
static void loop_rebase(struct tw_timers *timers, tw_tick now)
{
    for (tw_id id = 0; timers->running > 0 && id < timers->capacity; id++)
        uv_timer_stop(&timers->tasks[id].timer);
    timers->base = now - LIBUV_ZERO;
    loop_tell_ms(timers, now);
    uv_update_time(&timers->loop);
    for (tw_id id = 0; timers->running > 0 && id < timers->capacity; id++)
        if (timers->tasks[id].due != 0)
            libuv_arm(timers, &timers->tasks[id]);
}

/* ---- Open, close. ---------------------------------------------------------------------------- */

/* A handle is not gone before the loop has turned once more. */
static void libuv_close(struct tw_timers *timers)
{
    answer_begin(&timers->answer);
    for (tw_id id = 0; id < timers->capacity; id++)
        uv_close((uv_handle_t *)&timers->tasks[id].timer, NULL);
    uv_close((uv_handle_t *)&timers->wakeup, NULL);
    uv_run(&timers->loop, UV_RUN_DEFAULT);
    uv_loop_close(&timers->loop);
    loop_free(timers);
}

static int libuv_refuse(struct tw_timers *timers, int status, const char *what,
                        struct tw_error *error)
{
    loop_free(timers);
    snprintf(error->text, sizeof error->text, "libuv: %s: %s", what, uv_strerror(status));
    return TW_REFUSED_MEMORY;
}

static void libuv_wake(uv_async_t *wakeup)
{
    (void)wakeup;
}

static int libuv_open_loop(struct tw_timers *timers, struct tw_error *error)
{
    int status = uv_loop_init(&timers->loop);
    if (status != 0)
        return libuv_refuse(timers, status, "uv_loop_init", error);
    status = uv_async_init(&timers->loop, &timers->wakeup, libuv_wake);
    if (status != 0) {
        uv_loop_close(&timers->loop);
        return libuv_refuse(timers, status, "uv_async_init", error);
    }
    for (tw_id id = 0; id < timers->capacity; id++) {
        uv_timer_init(&timers->loop, &timers->tasks[id].timer);
        timers->tasks[id].timer.data = timers;
    }
    uv_run(&timers->loop, UV_RUN_NOWAIT); /* the kernel is told of the descriptor */
    return TW_OK;
}

static int libuv_open(struct tw_timers **out, const struct tw_config *config,
                      struct tw_error *error)
{
    int status = params_check(libuv_params, config, error);
    if (status == TW_OK)
        status = answer_library((void (*)(void))uv_run, loop_kinds(config), error);
    if (status != TW_OK)
        return status;
    struct tw_timers *timers = loop_new(config, error);
    if (!timers)
        return TW_REFUSED_MEMORY;
    timers->base = config->now - LIBUV_ZERO;
    timers->wake = TW_NEVER;
    loop_tell_ms(timers, config->now);
    status = libuv_open_loop(timers, error);
    if (status != TW_OK)
        return status;
    loop_count_work(timers);
    *out = timers;
    return TW_OK;
}

/* ---- What can be asked. ---------------------------------------------------------------------- */

/* From the loop's time on, which is that of the last turn. */
static tw_tick libuv_next(const struct tw_timers *timers)
{
    int ticks = uv_backend_timeout(&timers->loop);
    tw_tick next = timers->turn + (tw_tick)ticks;
    return ticks < 0 ? TW_NEVER : next > timers->now ? next : timers->now + 1;
}

static const char *libuv_check(const struct tw_timers *timers)
{
    uint32_t running = 0;
    for (tw_id id = 0; id < timers->capacity; id++) {
        const struct libuv_task *task = &timers->tasks[id];
        if (uv_is_active((const uv_handle_t *)&task->timer) != (task->due != 0))
            return "a handle is active without a due tick, or has one without being active";
        if (task->due != 0 && uv_timer_get_due_in(&task->timer) != task->due - timers->turn)
            return "libuv has another time for a timer than its due tick";
        running += task->due != 0;
    }
    return running == timers->running ? NULL : "not as many timers run as are counted";
}

const struct tw_backend TW_BACKEND(libuv) = {
    .abi_version = TW_ABI_VERSION,
    .name = "libuv",
    .summary = "uv_timer_t of libuv: a binary heap of linked nodes in the handles",
    .traits = {.flags = TW_TICKLESS,
               .start = {TW_O_LOG_N, TW_O_LOG_N},
               .stop = {TW_O_LOG_N, TW_O_LOG_N},
               .expire = {TW_O_LOG_N, TW_O_LOG_N},
               .tick = {TW_O_1, TW_O_1}},
    .params = libuv_params,
    .open = libuv_open,
    .close = libuv_close,
    .start = libuv_start,
    .stop = libuv_stop,
    .advance = loop_advance,
    .next = libuv_next,
    .visit = loop_visit,
    .check = libuv_check,
    .footprint = loop_footprint,
    .describe = loop_describe,
    .work = loop_work,
};
