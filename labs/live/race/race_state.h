/*
 * race_state.h - what is known of a service under proof: its accounts, one for each start, and its notes.
 */
#ifndef TWBENCH_RACE_STATE_H
#define TWBENCH_RACE_STATE_H

#include "labs/live/race/race_data.h"

/* Calls, in the words of a message. */
#define RACE_CALLS(X)                                                                              \
    X(open)                                                                                        \
    X(enter)                                                                                       \
    X(leave)                                                                                       \
    X(start)                                                                                       \
    X(stop)                                                                                        \
    X(wait)                                                                                        \
    X(next)                                                                                        \
    X(purge)                                                                                       \
    X(shut)                                                                                        \
    X(close)                                                                                       \
    X(stats)                                                                                       \
    X(describe)                                                                                    \
    X(check)

/* A call for each row; NONE: the thread is in none. */
enum race_call {
    RACE_CALL_NONE,
#define RACE_CALL_KEY(name) RACE_CALL_##name,
    RACE_CALLS(RACE_CALL_KEY)
#undef RACE_CALL_KEY
        RACE_CALL_COUNT
};

/* What one thread is in.  Written by the thread whose seat has the number, or by the master. */
struct race_note {
    _Atomic uint32_t call;   /* of enum race_call */
    _Atomic uint32_t inside; /* the call is made by a task */
    _Atomic uint64_t turn;   /* grows with each call */
};

#define RACE_NOTES       64u
#define RACE_NOTE_MASTER (RACE_NOTES - 1)

/* In memory that the parent sees, whatever becomes of the child. */
struct race_notes {
    struct race_note of[RACE_NOTES];
    struct race_finding finding;
    _Atomic uint64_t clock_ns; /* race_clock() */
    char held_at[40]; /* the point at which a thread is held or was, by its name; "" for none */
};

/* A thread that has to stay at a point until another has done something (race_hold.h). */
enum race_gate_state { GATE_OPEN, GATE_SET, GATE_HOLDS };
struct race_gate {
    _Atomic uint32_t state;  /* of enum race_gate_state */
    uint32_t first, last;    /* numbers of the seats that it is for */
    _Atomic uint32_t points; /* that they pass before one is held */
};

/* What becomes of a task when it runs, besides being written down. */
enum race_deed {
    DEED_NOTHING,
    DEED_FAIL,
    DEED_START,     /* starts another timer */
    DEED_STOP,      /* stops some other timer */
    DEED_STOP_SELF, /* stops itself */
    DEED_SHUT,      /* tries to shut */
    DEED_SLEEP      /* some 100 us */
};

/* How a timer ended; STOPPED_BY: a stop answered that it had stopped it. */
enum race_end { RACE_PENDING, RACE_RAN, RACE_STOPPED_BY, RACE_RETURNED };

/* The account of one start, never used for another.  Members before `accepted` are written by the starter, before it
 * starts. */
struct race_account {
    struct race_service *service;
    uint64_t due_ns, period_ns;
    uint64_t sleep_ns; /* that each run takes */
    uint32_t repeat;   /* of enum tw_repeat */
    uint32_t deed;     /* of enum race_deed */
    bool is_near;      /* whoever drains waits for it */

    _Atomic uint64_t name;        /* as start answered; 0 before that */
    _Atomic uint64_t fired_name;  /* as the firing said */
    _Atomic uint64_t next_due_ns; /* periodic: of the next run, or the least that it may be */
    _Atomic uint32_t accepted, runs, running;
    _Atomic uint32_t
        ends; /* its run (once), stops that answered STOPPED, returns: has to come to 1 */
    _Atomic uint32_t end; /* the first of them, of enum race_end */
    _Atomic uint32_t runs_after_stop;
    _Atomic uint64_t began_ns, ended_ns;           /* of the last run */
    _Atomic uint64_t turn_ns;                      /* of the last run, as the firing said */
    _Atomic uint64_t stop_began_ns, stop_ended_ns; /* of the stop that answered STOPPED */
    _Atomic uint64_t idle_ns; /* when a stop first answered IDLE; 0: none did */
    _Atomic uint64_t late_ns; /* ... TOO_LATE */
};

struct race_service {
    const struct tw_runner *runner;
    const struct race_options *options;
    const struct tw_backend *design;
    struct tw_service *service;
    struct tw_runner_description description;
    struct tw_points points;
    uint64_t seed;
    bool
        is_varied; /* settings and horizon are drawn: without memory for them, the defaults are taken */
    uint32_t point_weight; /* 0: no delays; 1 .. 3: more and more of them */
    struct race_notes *notes;
    struct race_gate gate;
    struct race_sums before; /* of services that the same child has played before this one */
    struct race_account *accounts;
    uint32_t account_count;
    _Atomic uint32_t next; /* accounts taken */
    uint64_t opened_ns;    /* after open returned */
    _Atomic uint64_t shut_began_ns, shut_ended_ns;
    _Atomic uint32_t is_shut;      /* shut has returned */
    _Atomic uint32_t tasks_inside; /* tasks that run now */
    _Atomic uint64_t near;         /* near timers that have not ended */
    _Atomic uint64_t progress;     /* tasks begun */
    _Atomic uint64_t runs, failed, operations, refused;
    _Atomic uint64_t delays;
    _Atomic uint64_t points_passed;
    _Atomic uint32_t is_done; /* the script has come to its end */
};

/* Time by which patience is counted: it passes while a thread of the child that sleeps is woken in time.  Where
 * other work takes the processor from the child, or the machine stands still, it stands still too. */
static inline uint64_t race_clock(const struct race_service *service)
{
    return atomic_load_explicit(&service->notes->clock_ns, memory_order_relaxed);
}

static inline uint64_t race_patience_ns(const struct race_service *service)
{
    return (uint64_t)service->options->patience_s * 1000000000;
}

static inline bool race_is_over(const struct race_service *service)
{
    return race_is_found(&service->notes->finding);
}

#endif
