/*
 * libev.c - the timers of libev: a heap of four children, through its public interface.
 *
 * Structure: an array of (time, watcher) with four children to a node (timers, upheap, downheap of
 * libev's ev.c, EV_USE_4HEAP and EV_HEAP_CACHE_AT as Debian builds it); the watcher has its index.
 *
 *     START    ev_timer_set and ev_timer_start; a running timer gets its new delay as `repeat` and is
 *              moved by ev_timer_again, which is what libev recommends (one sift, no stop)
 *     STOP     ev_timer_stop
 *     PER-TICK ev_run(EVRUN_ONCE): one turn of the loop, also where nothing is due; with poll=0 only
 *              when libev itself would wake up
 *     EXPIRY   the watcher's callback, after all that are due have left the heap
 *
 * What a figure includes stands in labs/libraries/docs/LIBRARIES.md.  Starts and stops read no clock and call nobody.
 * libev's array grows by doubling when a start finds it full; the watchers lie in one array, made and
 * initialised at open.
 *
 *             average     worst
 *     start   O(1)        O(log n)
 *     stop    O(1)        O(log n)    the last entry takes the place
 *     advance O(log n)    O(log n)    per expired timer; a turn of the loop for each call
 *     next    O(1)        O(1)        what libev told epoll_wait in the last turn: a bound, and only
 *                                     the next tick when something was due in it
 *
 * One tick is 1/512 s, the power of two next to a millisecond: libev counts seconds in a double, and
 * so both the clock (a whole number of nanoseconds) and every sum come out exact from one second on.
 * libev fires what is due before now, not at now; a timer therefore gets half a tick less.  Exact: the
 * time of a loop is that of the turn's beginning.  A jump is one turn; a timer that a callback starts
 * for a tick of the jump fires in another turn of the same advance, so that the order within a jump is
 * not promised.
 *
 * Limits: a delay of more than 2^50 ticks is refused; once in 2^51 ticks, 139,000 years, the timers are
 * stopped and started again at a new zero (loop_rebase), for there the double ends.  More than 2^25
 * ids are refused: libev computes the bytes of its array in an int.  Without memory for it libev
 * aborts.
 *
 * Memory: 56 bytes per id, the watcher's 48 and the due tick, which libev cannot tell in a callback;
 * and 16 to 32 in libev's array for each that has run at the same time.
 */
#include "harness/prove/answer.h"
#include "impls/backend.h"

#include <ev.h>

#define LOOP_TICKS_PER_S    512u
#define LOOP_NS_PER_TICK    1953125L /* exactly: 10^9 / 2^9 */
#define LOOP_SPAN           (UINT64_C(1) << 50)
#define LOOP_REACH          (UINT64_C(1) << 51) /* and a delay behind it is still below 2^52 ticks */
#define LOOP_ZERO           LOOP_TICKS_PER_S    /* the library's clock at the base: 1 s */
#define LOOP_UPDATE(timers) ev_now_update((timers)->loop)
#define LOOP_LIBRARY        struct ev_loop *loop;
#define LIBEV_CAPACITY      (UINT32_C(1) << 25)

struct loop_task {
    ev_timer timer; /* first: a watcher's address is its task's */
    tw_tick due;    /* 0: idle */
};

#include "event_loop.h"

static void libev_fire(struct ev_loop *loop, ev_timer *timer, int events)
{
    (void)events;
    loop_fire(ev_userdata(loop), (struct loop_task *)timer);
}

/* Seconds from the loop's time to half a tick before `due`, which may be past. */
static inline ev_tstamp libev_delay(const struct tw_timers *timers, tw_tick due)
{
    const ev_tstamp tick = 1.0 / LOOP_TICKS_PER_S;
    return (ev_tstamp)(int64_t)(due - timers->turn) * tick - tick / 2;
}

/* `repeat` may be changed at any time and is looked at by ev_timer_again and at expiry alone. */
static inline bool loop_arm(struct tw_timers *timers, tw_id id, tw_tick due, bool was_running)
{
    ev_timer *timer = &timers->tasks[id].timer;
    if (due < timers->wake)
        timers->wake = due;
    if (was_running && due > timers->turn) {
        timer->repeat = libev_delay(timers, due);
        ev_timer_again(timers->loop, timer);
        timer->repeat = 0.0;
        return true;
    }
    if (due <= timers->turn) {
        timers->is_behind = true;
        ev_timer_stop(timers->loop, timer); /* a repeat may not be negative */
    }
    ev_timer_set(timer, libev_delay(timers, due), 0.0);
    ev_timer_start(timers->loop, timer);
    return true;
}

static inline void loop_disarm(struct tw_timers *timers, tw_id id)
{
    ev_timer_stop(timers->loop, &timers->tasks[id].timer);
}

/* How long libev would wait, in milliseconds rounded up, bounds the earliest timer from below: that
 * is half a tick, 0.512 ticks for each millisecond, and what the rounding can have added. */
static void libev_asked(struct answer *answer, int timeout_ms)
{
    struct tw_timers *timers =
        (struct tw_timers *)((char *)answer - offsetof(struct tw_timers, answer));
    timers->wake = timers->turn + 1;
    if (timeout_ms > 0)
        timers->wake = timers->turn + ((uint64_t)timeout_ms * 512 + 987) / 1000;
}

static inline bool loop_wakes(const struct tw_timers *timers, tw_tick to)
{
    return !timers->answer.is_alone || (timers->running > 0 && to >= timers->wake);
}

/* Turns until nothing is due: a timer that a callback starts is not looked at in the same turn.
 * EVRUN_ONCE would wait, and therefore says for how long; it does not get to. */
static void loop_turn(struct tw_timers *timers, tw_tick to)
{
    loop_tell(timers, to);
    do {
        timers->is_behind = false;
        ev_run(timers->loop, EVRUN_ONCE);
    } while (timers->is_behind);
}

/* ---- Open, close. ---------------------------------------------------------------------------- */

static void loop_close_library(struct tw_timers *timers)
{
    ev_loop_destroy(timers->loop);
}

static int loop_open_library(struct tw_timers *timers, const struct tw_config *config,
                             struct tw_error *error)
{
    timers->answer.asked = libev_asked;
    timers->loop = ev_loop_new(EVFLAG_NOENV);
    if (!timers->loop) {
        snprintf(error->text, sizeof error->text, "libev: ev_loop_new found no way to wait");
        return TW_REFUSED_MEMORY;
    }
    ev_set_userdata(timers->loop, timers);
    for (tw_id id = 0; id < config->capacity; id++)
        ev_timer_init(&timers->tasks[id].timer, libev_fire, 0.0, 0.0);
    return TW_OK;
}

static int loop_answer(const struct tw_config *config, struct tw_error *error)
{
    if (config->capacity > LIBEV_CAPACITY) {
        snprintf(error->text, sizeof error->text,
                 "capacity: %u given; libev computes the size of its heap in an int: at most %u",
                 config->capacity, LIBEV_CAPACITY);
        return TW_BAD_SETTING;
    }
    return answer_library((void (*)(void))ev_run, ANSWER_WAITS | loop_kinds(config), error);
}

static const char *loop_check_task(const struct tw_timers *timers, const struct loop_task *task)
{
    ev_timer *timer = (ev_timer *)(uintptr_t)&task->timer;
    if ((ev_is_active(timer) != 0) != (task->due != 0))
        return "a watcher is active without a due tick, or has one without being active";
    if (task->due != 0 && ev_timer_remaining(timers->loop, timer) != libev_delay(timers, task->due))
        return "libev has another time for a timer than its due tick";
    return NULL;
}

const struct tw_backend TW_BACKEND(libev) = {
    .abi_version = TW_ABI_VERSION,
    .name = "libev",
    .summary = "ev_timer of libev: a heap of four children, times beside the watchers",
    .traits = {.flags = TW_TICKLESS | TW_ALLOCATES,
               .start = {TW_O_1, TW_O_LOG_N},
               .stop = {TW_O_1, TW_O_LOG_N},
               .expire = {TW_O_LOG_N, TW_O_LOG_N},
               .tick = {TW_O_1, TW_O_1}},
    .next = loop_next,
    .footprint = loop_footprint,
    .describe = loop_describe,
    LOOP_HOOKS,
};
