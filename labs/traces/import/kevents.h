/* kevents.h - reads events of kernel timers out of an ftrace log, with a look at what comes next.
 *
 *     timer_cancel of a timer means        when the timer's next event is
 *       it fires                             its expire_entry on the same cpu
 *       the first half of a re-arm           its start by the same task on the same cpu within 20 us
 *       a cancel                             anything else, or nothing
 *
 * So events wait in a window: the KEVENTS_WINDOW last ones in order of time, whatever a log's length.
 * An event that is older than the one before (trace_pipe, which merges the cpus as it reads them) is
 * put where it belongs, up to KEVENTS_SORT events back.  What has to be known ahead of an event - the
 * jiffies around it, which clock a timer is on - is looked up in the window too.
 *
 * Timer wheel and hrtimers share this; their fields are those of include/trace/events/timer.h, of which
 * only what every kernel since 2.6.31 prints is required:
 *
 *     timer_start   timer= function= expires= [timeout=]   (flags=0x... 4.2, cpu= idx= flags= 4.8;
 *                                                           bucket_expiry= later)
 *     hrtimer_start hrtimer= function= expires= softexpires=   (mode= 4.16, was_armed= 6.18)
 *     *_expire_entry   now=    and   *_cancel
 *
 * Memory: the window is 5 MB; 16 bytes per timer beside its number.
 */
#ifndef TWBENCH_KEVENTS_H
#define TWBENCH_KEVENTS_H

#include "labs/traces/import/ftrace.h"
#include "labs/traces/import/import.h"

#define KEVENTS_WINDOW   (UINT64_C(1) << 16)
#define KEVENTS_SORT     (UINT64_C(1) << 12)
#define KEVENTS_REARM_NS UINT64_C(20000)

/* What a line of the log says. */
enum kevent_kind { KEVENT_START, KEVENT_CANCEL, KEVENT_EXPIRE, KEVENT_SETUP };

/* What a cancel was. */
enum kevent_fate { KEVENT_IS_CANCEL, KEVENT_IS_REARM, KEVENT_IS_FIRING };

struct kevent {
    uint64_t ns;     /* of the log */
    uint64_t name;   /* the timer's address */
    uint64_t value;  /* start: expires; expire: now */
    int64_t timeout; /* start of the wheel: expires - jiffies, as the kernel read them */
    int64_t pid;
    uint32_t timer; /* number of the address */
    uint32_t cpu;
    uint8_t kind, fate;
    bool selected; /* by cpu= */
    bool boottime; /* start: of a timer that was set up on CLOCK_BOOTTIME */
};

struct kevents_timer {
    uint64_t pending; /* place of its cancel whose fate is open; UINT64_MAX: there is none */
    bool known, selected, boottime;
};

/* Which tracepoints. */
struct kevents_source {
    const char *prefix; /* "timer_" */
    const char *name;   /* "timer": the field with the address */
    bool wheel;         /* timeout= is required, cpu= is the wheel's */
};

struct kevents {
    const struct kevents_source *source;
    struct kevent *ring;
    uint64_t head, tail; /* places head .. tail - 1 are in the window */
    struct keymap names;
    struct kevents_timer *timers;
    size_t timer_room;
    uint64_t sorted;    /* events that came after younger ones */
    uint64_t counts[3]; /* by kind */
    uint64_t fates[3];
    uint64_t bucket_missing; /* starts without bucket_expiry= */
    uint64_t was_armed, was_armed_printed;
    char backwards[400]; /* the first line that is too far back, as a diagnostic; "" = none */
};

/* `source` outlives it. */
void kevents_open(struct kevents *events, const struct kevents_source *source);
/* `state` is of a kind, and begins with struct kevents. */
void kevents_close(void *state);

/* Is it a line of such a log?  Without state. */
bool kevents_recognise(const struct kevents_source *source, struct span line);

/* Reads a line; on IMPORT_USED *event is filled.  A KEVENT_SETUP (setup, init, expire_exit) has no
 * consequences and is not to be pushed.  Counts events, functions, flags and modes. */
enum import_line kevents_read(struct kevents *events, struct import *import, struct span line,
                              struct kevent *event);

/* Puts an event into the window, which must not be full, and settles what a cancel before it was. */
void kevents_push(struct kevents *events, const struct import *import, const struct kevent *event);
static inline uint64_t kevents_waiting(const struct kevents *events)
{
    return events->tail - events->head;
}
static inline struct kevent *kevents_at(const struct kevents *events, uint64_t place)
{
    return &events->ring[place % KEVENTS_WINDOW];
}
/* Takes the oldest one out; there is one.  It is valid until the next push. */
const struct kevent *kevents_pop(struct kevents *events);

#endif
