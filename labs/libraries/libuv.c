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

#define LOOP_SPAN           (UINT64_C(1) << 42)
#define LOOP_REACH          (UINT64_C(1) << 44) /* in nanoseconds still below 2^64 */
#define LOOP_ZERO           UINT64_C(1000)      /* what the library's clock shows at the base */
#define LOOP_UPDATE(timers) uv_update_time(&(timers)->loop)
/* The wakeup gives the loop a descriptor and keeps it alive. */
#define LOOP_LIBRARY                                                                               \
    uv_loop_t loop;                                                                                \
    uv_async_t wakeup;

struct loop_task {
    uv_timer_t timer; /* first: a handle's address is its task's */
    tw_tick due;      /* 0: idle */
};

#include "event_loop.h"

static void libuv_fire(uv_timer_t *timer)
{
    loop_fire(timer->data, (struct loop_task *)timer);
}

static inline bool loop_arm(struct tw_timers *timers, tw_id id, tw_tick due, bool was_running)
{
    uint64_t delay = due > timers->turn ? due - timers->turn : 0;
    (void)was_running;
    if (due < timers->wake)
        timers->wake = due;
    uv_timer_start(&timers->tasks[id].timer, libuv_fire, delay, 0);
    return true;
}

static inline void loop_disarm(struct tw_timers *timers, tw_id id)
{
    uv_timer_stop(&timers->tasks[id].timer);
}

static inline bool loop_wakes(const struct tw_timers *timers, tw_tick to)
{
    return !timers->answer.is_alone || to >= timers->wake;
}

static void loop_turn(struct tw_timers *timers, tw_tick to)
{
    loop_tell(timers, to);
    uv_run(&timers->loop, UV_RUN_NOWAIT);
    if (timers->answer.is_alone) {
        int ticks = uv_backend_timeout(&timers->loop);
        timers->wake = ticks < 0 ? TW_NEVER : to + (tw_tick)ticks;
    }
}

/* ---- Open, close. ---------------------------------------------------------------------------- */

/* A handle is not gone before the loop has turned once more. */
static void loop_close_library(struct tw_timers *timers)
{
    for (tw_id id = 0; id < timers->capacity; id++)
        uv_close((uv_handle_t *)&timers->tasks[id].timer, NULL);
    uv_close((uv_handle_t *)&timers->wakeup, NULL);
    uv_run(&timers->loop, UV_RUN_DEFAULT);
    uv_loop_close(&timers->loop);
}

static int libuv_refuse(int status, const char *what, struct tw_error *error)
{
    snprintf(error->text, sizeof error->text, "libuv: %s: %s", what, uv_strerror(status));
    return TW_REFUSED_MEMORY;
}

static void libuv_wake(uv_async_t *wakeup)
{
    (void)wakeup;
}

static int loop_open_library(struct tw_timers *timers, const struct tw_config *config,
                             struct tw_error *error)
{
    int status = uv_loop_init(&timers->loop);
    timers->wake = TW_NEVER;
    if (status != 0)
        return libuv_refuse(status, "uv_loop_init", error);
    status = uv_async_init(&timers->loop, &timers->wakeup, libuv_wake);
    if (status != 0) {
        uv_loop_close(&timers->loop);
        return libuv_refuse(status, "uv_async_init", error);
    }
    for (tw_id id = 0; id < config->capacity; id++) {
        uv_timer_init(&timers->loop, &timers->tasks[id].timer);
        timers->tasks[id].timer.data = timers;
    }
    uv_run(&timers->loop, UV_RUN_NOWAIT); /* the kernel is told of the descriptor */
    return TW_OK;
}

static int loop_answer(const struct tw_config *config, struct tw_error *error)
{
    return answer_library((void (*)(void))uv_run, loop_kinds(config), error);
}

/* ---- What can be asked. ---------------------------------------------------------------------- */

/* From the loop's time on, which is that of the last turn. */
static tw_tick libuv_next(const struct tw_timers *timers)
{
    int ticks = uv_backend_timeout(&timers->loop);
    tw_tick next = timers->turn + (tw_tick)ticks;
    return ticks < 0 ? TW_NEVER : next > timers->now ? next : timers->now + 1;
}

static const char *loop_check_task(const struct tw_timers *timers, const struct loop_task *task)
{
    if (uv_is_active((const uv_handle_t *)&task->timer) != (task->due != 0))
        return "a handle is active without a due tick, or has one without being active";
    if (task->due != 0 && uv_timer_get_due_in(&task->timer) != task->due - timers->turn)
        return "libuv has another time for a timer than its due tick";
    return NULL;
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
    .next = libuv_next,
    .footprint = loop_footprint,
    .describe = loop_describe,
    LOOP_HOOKS,
};
