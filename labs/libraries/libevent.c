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

#define LOOP_SPAN            TW_DEADLINE_MAX
#define LIBEVENT_TICKS_PER_S 1000u
#define LIBEVENT_US_PER_TICK 1000
#define LIBEVENT_NS_PER_TICK 1000000
#define LIBEVENT_ZERO_S      1 /* what the library's clock shows at tick 0: 0 means "no time" there */

struct libevent_task {
    struct event event;
    tw_tick due; /* 0: idle */
};

struct tw_timers {
    struct event_base *base;
    struct libevent_task *tasks;
    uint32_t capacity;
    uint32_t running;
    tw_tick now;    /* in a callback, the due tick of the timer that fires */
    tw_tick turn;   /* the tick that the loop's time stands for */
    tw_tick wake;   /* libevent is not due before: it said so, and nothing earlier was started */
    bool is_behind; /* a callback started something for a tick that the turn is past */
    tw_expire_fn *expire;
    void *ctx;
    struct answer answer;
    TW_WORK_FIELD
};

#include "event_loop.h"

static const struct tw_param libevent_params[] = {LOOP_PARAM_POLL, {NULL, NULL, 0, 0, 0}};

static inline struct tw_timers *libevent_of(struct answer *answer)
{
    return (struct tw_timers *)((char *)answer - offsetof(struct tw_timers, answer));
}

/* An event's callback has one argument, and that is the task; whose it is, is who is answered. */
static void libevent_fire(evutil_socket_t fd, short events, void *argument)
{
    struct libevent_task *task = argument;
    struct tw_timers *timers = libevent_of(answer_current);
    (void)fd;
    (void)events;
    loop_fire(timers, (tw_id)(task - timers->tasks), &task->due);
}

static inline struct timeval libevent_time(tw_tick ticks)
{
    return (struct timeval){.tv_sec = (time_t)(ticks / LIBEVENT_TICKS_PER_S),
                            .tv_usec =
                                (suseconds_t)(ticks % LIBEVENT_TICKS_PER_S) * LIBEVENT_US_PER_TICK};
}

static inline bool libevent_arm(struct tw_timers *timers, struct libevent_task *task, tw_tick due)
{
    struct timeval time = libevent_time(due > timers->turn ? due - timers->turn : 0);
    return event_add(&task->event, &time) == 0;
}

static int libevent_start(struct tw_timers *timers, tw_id id, tw_tick deadline)
{
    tw_tick due;
    if (!loop_due(timers, deadline, LOOP_SPAN, &due))
        return TW_REFUSED_RANGE; /* or the clock itself is at its end, where no tick follows */
    struct libevent_task *task = &timers->tasks[id];
    bool was_running = task->due != 0;
    answer_begin(&timers->answer);
    if (!libevent_arm(timers, task, due))
        return TW_REFUSED_MEMORY;
    task->due = due;
    timers->running += !was_running;
    timers->is_behind |= due <= timers->turn;
    if (due < timers->wake)
        timers->wake = due;
    return was_running ? TW_REARMED : TW_OK;
}

static int libevent_stop(struct tw_timers *timers, tw_id id)
{
    struct libevent_task *task = &timers->tasks[id];
    if (task->due == 0)
        return TW_IDLE;
    task->due = 0;
    timers->running--;
    event_del(&task->event);
    return TW_OK;
}

/* The library's clock shows the tick from the next question on. */
static void libevent_tell(struct tw_timers *timers, tw_tick now)
{
    timers->turn = now;
    timers->answer.now.tv_sec = (time_t)(now / LIBEVENT_TICKS_PER_S) + LIBEVENT_ZERO_S;
    timers->answer.now.tv_nsec = (long)(now % LIBEVENT_TICKS_PER_S) * LIBEVENT_NS_PER_TICK;
    answer_begin(&timers->answer);
}

/* How long libevent would wait is how long it is to the earliest timer, or at most 35 minutes.  Then
 * nothing is due, and the loop, which would go on to wait, is told to end. */
static void libevent_asked(struct answer *answer, int timeout_ms)
{
    struct tw_timers *timers = libevent_of(answer);
    timers->wake = timeout_ms < 0 ? TW_NEVER : timers->turn + (tw_tick)timeout_ms;
    if (timeout_ms != 0)
        event_base_loopbreak(timers->base);
}

/* Turns until nothing is due: a timer that a callback starts is not looked at in the same turn. */
static void libevent_advance(struct tw_timers *timers, tw_tick to, tw_expire_fn *expire, void *ctx)
{
    if (to <= timers->now)
        return;
    timers->expire = expire;
    timers->ctx = ctx;
    if (to >= timers->wake || !timers->answer.is_alone) {
        libevent_tell(timers, to);
        do {
            timers->is_behind = false;
            event_base_loop(timers->base, EVLOOP_ONCE | EVLOOP_NO_EXIT_ON_EMPTY);
        } while (timers->is_behind);
    }
    timers->now = to;
}

/* ---- Open, close. ---------------------------------------------------------------------------- */

/* An event that is pending belongs to the base until it is deleted. */
static void libevent_close(struct tw_timers *timers)
{
    answer_begin(&timers->answer);
    for (tw_id id = 0; timers->running > 0 && id < timers->capacity; id++)
        libevent_stop(timers, id);
    if (timers->base)
        event_base_free(timers->base);
    loop_free(timers);
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

/* TW_OK, or what was missing; the caller closes in any case. */
static int libevent_open_base(struct tw_timers *timers, struct tw_error *error)
{
    libevent_tell(timers, timers->now);
    timers->base = libevent_new_base();
    if (!timers->base) {
        snprintf(error->text, sizeof error->text, "libevent: event_base_new found no way to wait");
        return TW_REFUSED_MEMORY;
    }
    for (tw_id id = 0; id < timers->capacity; id++) {
        struct libevent_task *task = &timers->tasks[id];
        event_assign(&task->event, timers->base, -1, 0, libevent_fire, task);
    }
    return TW_OK;
}

static int libevent_open(struct tw_timers **out, const struct tw_config *config,
                         struct tw_error *error)
{
    int status = params_check(libevent_params, config, error);
    if (status == TW_OK)
        status = answer_library((void (*)(void))event_base_loop, ANSWER_WAITS | loop_kinds(config),
                                error);
    if (status != TW_OK)
        return status;
    struct tw_timers *timers = loop_new(config, error);
    if (!timers)
        return TW_REFUSED_MEMORY;
    timers->answer.asked = libevent_asked;
    status = libevent_open_base(timers, error);
    if (status != TW_OK) {
        libevent_close(timers);
        return status;
    }
    loop_count_work(timers);
    *out = timers;
    return TW_OK;
}

/* ---- What can be asked. ---------------------------------------------------------------------- */

static tw_tick libevent_next(const struct tw_timers *timers)
{
    if (timers->running == 0)
        return TW_NEVER;
    return timers->wake > timers->now ? timers->wake : timers->now + 1;
}

static const char *libevent_check(const struct tw_timers *timers)
{
    uint32_t running = 0;
    for (tw_id id = 0; id < timers->capacity; id++) {
        const struct libevent_task *task = &timers->tasks[id];
        struct timeval has, wants = libevent_time(task->due);
        wants.tv_sec += LIBEVENT_ZERO_S;
        if ((event_pending(&task->event, EV_TIMEOUT, &has) != 0) != (task->due != 0))
            return "an event is pending without a due tick, or has one without being pending";
        if (task->due != 0 && evutil_timercmp(&has, &wants, !=))
            return "libevent has another time for a timer than its due tick";
        running += task->due != 0;
    }
    return running == timers->running ? NULL : "not as many timers run as are counted";
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
    .params = libevent_params,
    .open = libevent_open,
    .close = libevent_close,
    .start = libevent_start,
    .stop = libevent_stop,
    .advance = libevent_advance,
    .next = libevent_next,
    .visit = loop_visit,
    .check = libevent_check,
    .footprint = loop_footprint,
    .describe = loop_describe,
    .work = loop_work,
};
