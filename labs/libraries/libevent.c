/*
 * libevent.c - the timers of libevent: a binary heap, through its public interface.
 *
 * Structure: an array of pointers to events, a binary heap by time (min_heap_t of
 * minheap-internal.h), each event with its index; a comparison reads the events.  There are no
 * common timeouts (event_base_init_common_timeout): a program names its own, and most name none.
 *
 *     START    event_add, which re-arms a pending event too
 *     STOP     event_del
 *     PER-TICK event_base_loop(EVLOOP_ONCE): one turn of the loop, also where nothing is due; with
 *              poll=0 only when libevent itself would wake up
 *     EXPIRY   the event's callback, after all that are due have left the heap
 *
 * What a figure includes stands in labs/libraries/docs/LIBRARIES.md.  Every five seconds a turn compares the clock with the
 * wall clock.  No locks: threads were not asked for.  libevent's heap grows by doubling when a start finds
 * it full; the events lie in one array, made and initialised at open (event_assign).
 *
 *             average     worst
 *     start   O(1)        O(log n)
 *     stop    O(1)        O(log n)    the last entry takes the place
 *     advance O(log n)    O(log n)    per expired timer; a turn for each call
 *     next    O(1)        O(1)        what libevent told epoll_wait in the last turn: a bound, and only
 *                                     the next tick when something was due in it
 *
 * One tick is 1 ms; libevent counts microseconds.  Exact: the time of a turn is kept while its
 * callbacks run.  A jump is one turn; a timer that a callback starts for a tick of the jump fires in
 * another turn of the same advance, so that the order within a jump is not promised.  Any delay can
 * be held: seconds have 64 bits.
 *
 * Memory: 136 bytes per id, the event's 128 and the due tick, which libevent cannot tell in a callback;
 * and 8 to 16 in libevent's heap for each that has run at the same time.
 */
#include "harness/prove/answer.h"
#include "impls/backend.h"

#include <event2/event.h>
#include <event2/event_struct.h>

#define LOOP_SPAN    TW_DEADLINE_MAX
#define LOOP_ZERO_S  1 /* 0 means "no time" there */
#define LOOP_LIBRARY struct event_base *loop;

struct loop_task {
    struct event event;
    tw_tick due; /* 0: idle */
};

#include "event_loop.h"

static inline struct tw_timers *libevent_of(struct answer *answer)
{
    return (struct tw_timers *)((char *)answer - offsetof(struct tw_timers, answer));
}

/* An event's callback has one argument, and that is the task; whose it is, is who is answered. */
static void libevent_fire(evutil_socket_t fd, short events, void *argument)
{
    (void)fd;
    (void)events;
    loop_fire(libevent_of(answer_current), argument);
}

static inline struct timeval libevent_time(tw_tick ticks)
{
    return (struct timeval){.tv_sec = (time_t)(ticks / LOOP_TICKS_PER_S),
                            .tv_usec = (suseconds_t)(ticks % LOOP_TICKS_PER_S) * 1000};
}

static inline bool loop_arm(struct tw_timers *timers, tw_id id, tw_tick due, bool was_running)
{
    struct timeval time = libevent_time(due > timers->turn ? due - timers->turn : 0);
    (void)was_running;
    answer_begin(&timers->answer);
    timers->is_behind |= due <= timers->turn;
    if (due < timers->wake)
        timers->wake = due;
    return event_add(&timers->tasks[id].event, &time) == 0;
}

static inline void loop_disarm(struct tw_timers *timers, tw_id id)
{
    event_del(&timers->tasks[id].event);
}

/* How long libevent would wait is how long it is to the earliest timer, or at most 35 minutes.  Then
 * nothing is due, and the loop, which would go on to wait, is told to end. */
static void libevent_asked(struct answer *answer, int timeout_ms)
{
    struct tw_timers *timers = libevent_of(answer);
    timers->wake = timeout_ms < 0 ? TW_NEVER : timers->turn + (tw_tick)timeout_ms;
    if (timeout_ms != 0)
        event_base_loopbreak(timers->loop);
}

static inline bool loop_wakes(const struct tw_timers *timers, tw_tick to)
{
    return to >= timers->wake || !timers->answer.is_alone;
}

/* Turns until nothing is due: a timer that a callback starts is not looked at in the same turn. */
static void loop_turn(struct tw_timers *timers, tw_tick to)
{
    loop_tell(timers, to);
    do {
        timers->is_behind = false;
        event_base_loop(timers->loop, EVLOOP_ONCE | EVLOOP_NO_EXIT_ON_EMPTY);
    } while (timers->is_behind);
}

/* ---- Open, close. ---------------------------------------------------------------------------- */

/* An event that is pending belongs to the base until it is deleted. */
static void loop_close_library(struct tw_timers *timers)
{
    for (tw_id id = 0; timers->running > 0 && id < timers->capacity; id++)
        loop_stop(timers, id);
    event_base_free(timers->loop);
}

/* As event_base_new() makes it, but that the environment has no say. */
static struct event_base *libevent_new_base(void)
{
    struct event_config *config = event_config_new();
    if (!config)
        return NULL;
    event_config_set_flag(config, EVENT_BASE_FLAG_IGNORE_ENV);
    struct event_base *base = event_base_new_with_config(config);
    event_config_free(config);
    return base;
}

static int loop_open_library(struct tw_timers *timers, const struct tw_config *config,
                             struct tw_error *error)
{
    timers->answer.asked = libevent_asked;
    timers->loop = libevent_new_base();
    if (!timers->loop) {
        snprintf(error->text, sizeof error->text, "libevent: event_base_new found no way to wait");
        return TW_REFUSED_MEMORY;
    }
    for (tw_id id = 0; id < config->capacity; id++) {
        struct loop_task *task = &timers->tasks[id];
        event_assign(&task->event, timers->loop, -1, 0, libevent_fire, task);
    }
    return TW_OK;
}

static int loop_answer(const struct tw_config *config, struct tw_error *error)
{
    return answer_library((void (*)(void))event_base_loop, ANSWER_WAITS | loop_kinds(config),
                          error);
}

static const char *loop_check_task(const struct tw_timers *timers, const struct loop_task *task)
{
    struct timeval has, wants = libevent_time(task->due);
    (void)timers;
    wants.tv_sec += LOOP_ZERO_S;
    if ((event_pending(&task->event, EV_TIMEOUT, &has) != 0) != (task->due != 0))
        return "an event is pending without a due tick, or has one without being pending";
    if (task->due != 0 && evutil_timercmp(&has, &wants, !=))
        return "libevent has another time for a timer than its due tick";
    return NULL;
}

const struct tw_backend TW_BACKEND(libevent) = {
    .abi_version = TW_ABI_VERSION,
    .name = "libevent",
    .summary = "struct event of libevent: a binary heap of pointers",
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
