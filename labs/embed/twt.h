/*
 * twt.h - timers with a handle in your object, over any exact design; the set grows by a few moves a call.
 *
 *     struct connection { struct twt_timer idle; int fd; };
 *
 *     struct twt_config config = {.design = twtimers_design("fast"), .now = now_ms()};
 *     twt_open(&set, &config, &error);
 *     twt_init(&connection->idle, hang_up, connection);
 *     twt_start(set, &connection->idle, now_ms() + 60000);
 *     ... sleep until twt_next(set), then twt_advance(set, now_ms());
 *
 * TIME is a 64-bit count of ticks, as in backend.h.  twt_advance() is the only clock.
 *
 * A PASS is one twt_advance.  It first moves the clock to `to`, then runs the timers that are due by then, in order of
 * deadlines, and equal deadlines in order of their starts.  A deadline that is over counts as the `now` of its start, so
 * a timeout of 0 fires in the pass that comes next, even if the clock stands still.  One started inside a callback
 * with a deadline up to now fires in the next pass, not in this one: no pass is endless.
 *
 * CALLBACKS may call everything: start, stop, move and free any timer, the one that fires included, and close the set.
 * Only twt_advance is refused there.  Inside a callback now is `to`.  A callback returns: no longjmp, no exception.
 *
 * A HANDLE that is idle is plain memory: it needs no end, and may be copied or freed.  Stop it, or let it fire,
 * before its memory goes; twt_move() carries a pending one to other memory.
 *
 * GROWTH.  When the design is full, a second instance of twice the size opens beside it.  Every start, stop and pass then
 * moves at most TWT_MOVES timers, until the old one is empty and closes.  The start that opens and the call that closes
 * also take what the design's open and close do, which may be O(capacity).
 *
 * MEMORY.  40 bytes a handle, and 12 for each id of an instance, beside what the design itself takes.
 *
 * A set is used by one thread at a time.  Two sets share nothing.
 */
#ifndef TWT_H
#define TWT_H

#include "impls/backend.h"

#ifdef __cplusplus
extern "C" {
#endif

#ifndef TWTIMERS_API
#define TWTIMERS_API __attribute__((visibility("default")))
#endif

struct twt_set;
struct twt_timer;

/* Runs when the timer is due; it is idle then. */
typedef void twt_fn(struct twt_set *set, struct twt_timer *timer, void *argument);

/* In your object.  Its fields are read by the functions below alone, but for `run` and `argument`, which are yours. */
struct __attribute__((aligned(8))) twt_timer {
    twt_fn *run;
    void *argument;
    uint64_t place;   /* 0: idle; else where it is pending */
    tw_tick deadline; /* of the last start: never below the `now` of it */
    uint64_t order;   /* of starts; due: the next timer that is due */
};

struct twt_config {
    const struct tw_backend *design; /* an exact one */
    tw_tick now;                     /* the clock starts here */
    tw_tick
        horizon; /* longest delay expected, in ticks, 0: unknown.  Longer ones may slow twt_next down */
    uint32_t capacity; /* timers for which there is room from the beginning; 0: 1024 */
    const struct tw_setting *settings; /* of the design */
    size_t setting_count;
    /* How a design without TW_NEXT_EXACT tells the earliest deadline; NULL: as known of the designs of twbench */
    const struct tw_exact *exact;
    bool scans; /* take a design that cannot tell it: twt_next then visits all timers */
};

/* Timers that a start or a pass moves at most while the set grows. */
#define TWT_MOVES 4u

/* twt_advance inside a callback of the same set. */
#define TWT_REFUSED_NESTED (-5)

/* Opens a set without timers.  TW_OK sets *out.  TW_BAD_SETTING (no design, one that is not exact, waits for a clock or
 * cannot tell the earliest deadline, a setting) and TW_REFUSED_MEMORY leave it and fill *error.  Costs what the design's open does. */
TWTIMERS_API int twt_open(struct twt_set **out, const struct twt_config *config,
                          struct tw_error *error);
/* Timers that are pending never fire; init them before their next start.  Inside a callback it ends the pass, and the
 * set goes when the callback returns. */
TWTIMERS_API void twt_close(struct twt_set *set);

/* Makes an idle timer.  Memory of zeros with `run` and `argument` set is one too. */
static inline void twt_init(struct twt_timer *timer, twt_fn *run, void *argument)
{
    timer->run = run;
    timer->argument = argument;
    timer->deadline = timer->order = timer->place = 0;
}

/* Pending: started, and neither fired nor stopped since. */
static inline bool twt_pending(const struct twt_timer *timer)
{
    return timer->place != 0;
}

/* TW_OK, or TW_REARMED when it was pending.  TW_NEVER as a deadline: pending, and never fires.  TW_REFUSED_MEMORY,
 * TW_REFUSED_FULL: the set could not grow, and the timer is as it was. */
TWTIMERS_API int twt_start(struct twt_set *set, struct twt_timer *timer, tw_tick deadline);
/* The same at the tick of [earliest, latest] that most other windows share: the one with the most zero bits at its end.
 * A window that ends before it begins is its earliest tick. */
TWTIMERS_API int twt_start_window(struct twt_set *set, struct twt_timer *timer, tw_tick earliest,
                                  tw_tick latest);
/* TW_OK, or TW_IDLE. */
TWTIMERS_API int twt_stop(struct twt_set *set, struct twt_timer *timer);
/* Carries a timer to other memory, pending or not; the old handle is idle then.  `to` must be idle. */
TWTIMERS_API void twt_move(struct twt_set *set, struct twt_timer *to, struct twt_timer *from);

/* The earliest deadline of all pending timers, exactly; not after now when one is due already; TW_NEVER: none will
 * fire.  Costs nothing but after a pass that fired and a stop of the earliest; then what the design's exact next does.  With
 * `scans`, and while a timer beyond the design's span waits, it visits all timers. */
TWTIMERS_API tw_tick twt_next(struct twt_set *set);
/* A tick to sleep until, for a loop that may wake up for nothing now and then: never after twt_next, and after now unless
 * one is due.  Costs what the design's next does, once after a pass; else a comparison. */
TWTIMERS_API tw_tick twt_wake(struct twt_set *set);
TWTIMERS_API tw_tick twt_now(const struct twt_set *set);
/* Timers that are pending, those that never fire not counted. */
TWTIMERS_API uint64_t twt_count(const struct twt_set *set);

/* A pass.  Answers how many callbacks ran, or TWT_REFUSED_NESTED.  `to` before now leaves the clock. */
TWTIMERS_API int64_t twt_advance(struct twt_set *set, tw_tick to);
/* The same, and ends after `most` callbacks.  The next pass goes on with those that are left over; twt_next is not
 * after now until then.  All that is due is found and sorted before the first one runs, whatever `most` is. */
TWTIMERS_API int64_t twt_advance_some(struct twt_set *set, tw_tick to, uint64_t most);
/* Inside a callback: the pass ends after it, as if `most` were reached.  For a pass that may last only so long. */
TWTIMERS_API void twt_break(struct twt_set *set);

/* Calls visit for each pending timer, those that never fire excepted, in any order; it must not change the set.  O(capacity). */
typedef void twt_visit_fn(void *ctx, const struct twt_timer *timer);
TWTIMERS_API void twt_visit(const struct twt_set *set, twt_visit_fn *visit, void *ctx);

/* What growth has cost, for tests and for the curious. */
struct twt_growth {
    uint32_t capacity;     /* of the larger instance */
    uint32_t instances;    /* 1, or 2 while it grows */
    uint64_t grown, moved; /* instances opened since twt_open; timers moved into them */
    uint32_t most_moved;   /* by a single call */
    uint64_t bytes;        /* of the set itself, without the design and without handles */
};
TWTIMERS_API void twt_growth(const struct twt_set *set, struct twt_growth *out);
/* The larger instance of the design, to be asked and not to be changed; NULL never. */
TWTIMERS_API const struct tw_timers *twt_instance(const struct twt_set *set);
/* NULL, or what is wrong with the set, in words.  O(capacity). */
TWTIMERS_API const char *twt_check(const struct twt_set *set);

#ifdef __cplusplus
}
#endif

#endif
