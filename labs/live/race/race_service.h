/*
 * race_service.h - a service under proof: its calls, noted and timed; its points, delayed by a seed.
 *
 *     callers --race_start, race_stop--> the runner --race_task--> books (race_books.c)
 *                      |
 *                      +-- notes, in memory that the parent shares: what a thread was in when it crashed
 *
 * All that is judged lies in the accounts of the books; nothing is taken from the runner but its answers.
 */
#ifndef TWBENCH_RACE_SERVICE_H
#define TWBENCH_RACE_SERVICE_H

#include "labs/live/race/race.h"

#include <pthread.h>

/* The harness reads the planted clock too, uncounted (moment.h). */
#define MOMENT_OF_RUNNER false

#define US                       UINT64_C(1000)
#define MS                       UINT64_C(1000000)
#define FAR                      (60000 * MS)
#define FIND(service, rule, ...) race_find(&(service)->notes->finding, rule, __VA_ARGS__)

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
    char held_at[60];          /* "held at 'name'", or the order of two callers; "" for none */
};

/* A thread that has to stay at a point until another has done something (race_hold.c). */
enum race_gate_state { GATE_OPEN, GATE_SET, GATE_HOLDS };
#define RACE_GATE_POINTS 64u
struct race_gate {
    _Atomic uint32_t state; /* of enum race_gate_state */
    uint32_t first, last;   /* numbers of the seats that it is for */
    uint32_t most; /* times that one is held at a point of one name, each time one pass later */
    pthread_mutex_t lock; /* of what is below */
    struct {
        const char *name;
        uint32_t passed, held; /* since the gate was set; in all */
    } at[RACE_GATE_POINTS];
};

/* Two callers that go from point to point by turns (race_order.c). */
struct race_turn {
    bool parked, goes, ended;
};
struct race_turns {
    _Atomic uint32_t on;
    uint32_t first;       /* number of the first one's seat; the other's is the next */
    pthread_mutex_t lock; /* of what is below */
    pthread_cond_t changed;
    struct race_turn of[2];
};

#define RACE_WORK_NS 1000000u

/* What becomes of a task when it runs, besides being written down. */
enum race_deed {
    DEED_NOTHING,
    DEED_FAIL,
    DEED_START,     /* starts another timer: `awaits`, or one that is drawn */
    DEED_STOP,      /* stops some other timer */
    DEED_STOP_SELF, /* stops itself */
    DEED_SHUT,      /* tries to shut */
    DEED_OPEN,      /* opens another service, and shuts it */
    DEED_SLEEP,     /* some 100 us */
    DEED_WORK,      /* uses RACE_WORK_NS of processor time */
    DEED_AWAIT,     /* ends when `awaits` has begun, which needs another thread */
    DEED_CALL,      /* calls all that a task may call; nothing of it stays */
    DEED_FILL,      /* starts far timers until it is refused */
    DEED_HOLD       /* ends when the service is let go */
};

/* How a timer ended; STOPPED_BY: a stop answered that it had stopped it. */
enum race_end { RACE_PENDING, RACE_RAN, RACE_STOPPED_BY, RACE_RETURNED };

/* The account of one start, never used for another.  Members before `accepted` are written by the starter, before it
 * starts. */
struct race_account {
    struct race_service *service;
    uint64_t due_ns, period_ns;
    uint64_t sleep_ns;           /* that each run takes */
    uint32_t repeat;             /* of enum tw_repeat */
    uint32_t deed;               /* of enum race_deed */
    bool is_near;                /* whoever drains waits for it */
    struct race_account *awaits; /* of DEED_AWAIT, DEED_START */

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
    _Atomic uint64_t late_by_ns;                   /* of the last run, behind its due */
    _Atomic uint64_t ran_in;                       /* the thread of the last run */
    _Atomic uint64_t stop_began_ns, stop_ended_ns; /* of the stop that answered STOPPED */
    _Atomic uint64_t idle_ns; /* when a stop first answered IDLE; 0: none did */
    _Atomic uint64_t late_ns; /* ... TOO_LATE */
};

struct race_service {
    const struct tw_runner *runner;
    const struct tw_runner *timed; /* the same without points */
    const struct race_options *options;
    const struct tw_backend *design;
    struct tw_service *service;
    struct tw_runner_description description;
    struct tw_points points;
    uint64_t seed;
    bool clock_stands;     /* a wait is for what has passed, and a sleep of the machine's */
    bool is_varied;        /* settings and horizon are drawn; without memory: the defaults */
    bool may_refuse;       /* open has no memory or no thread, and leaves everything as it was */
    uint32_t point_weight; /* 0: no delays; 1 .. 3: more and more of them */
    struct race_notes *notes;
    struct race_gate gate;
    struct race_turns turns;
    struct race_sums before; /* of services that the same child has played before this one */
    struct race_account *accounts;
    uint32_t account_count;
    _Atomic uint32_t next;    /* accounts taken */
    uint64_t opened_ns;       /* after open returned */
    uint64_t taken_bytes;     /* that open left on the heap */
    _Atomic uint64_t grid_ns; /* where its ticks lie within one, and 1; 0: not known yet */
    _Atomic uint64_t shut_began_ns, shut_ended_ns;
    _Atomic uint32_t is_shut;      /* shut has returned */
    _Atomic uint32_t tasks_inside; /* tasks that run now */
    _Atomic uint64_t near;         /* near timers that have not ended */
    _Atomic uint64_t progress;     /* tasks begun */
    _Atomic uint64_t runs, failed, operations, refused;
    _Atomic uint64_t delays;
    _Atomic uint64_t points_passed;
    _Atomic uint32_t is_let_go;  /* tasks that hold may end */
    struct tw_runner_stats open; /* what stats said before shut, in cases */
    _Atomic uint32_t is_done;    /* the script has come to its end */
};

/* The clock of patience: where other work takes the processor from the child, or the machine stands still, it all but stands. */
static inline uint64_t race_clock(const struct race_service *service)
{
    return atomic_load_explicit(&service->notes->clock_ns, memory_order_relaxed);
}

static inline uint64_t race_patience_ns(const struct race_service *service)
{
    return (uint64_t)service->options->patience_s * 1000000000;
}

static inline bool race_has(const struct race_service *service, unsigned flag)
{
    return (service->runner->flags & flag) != 0;
}

static inline bool race_is_over(const struct race_service *service)
{
    return race_is_found(&service->notes->finding);
}

/* ---- Its calls. --------------------------------------------------------------------------------- */

/* "start", "wait": the words of enum race_call, for findings. */
const char *race_call_name(uint32_t call);

/* Opens with the config's design, points and settings filled in; `accounts` is the number of starts that there can be.
 * False with a finding when the runner refuses. */
bool race_open(struct race_service *service, struct tw_runner_config *config, uint32_t accounts);

/* Clears a closed service, to be opened again; what it has counted is kept. */
void race_again(struct race_service *service);

/* The runner's calls of the same names, noted and checked: a seat that is none of the service, or a wait that returns
 * before until_ns (CLOCK_MONOTONIC), is a finding. */
struct tw_seat *race_enter(struct race_service *service);
void race_leave(struct race_service *service, struct tw_seat *seat); /* NULL: nothing */
void race_wait(struct race_service *service, struct tw_seat *seat, uint64_t until_ns);
/* When the seat's thread has to wait again; of a runner whose callers drive. */
uint64_t race_next(struct race_service *service, struct tw_seat *seat);
/* Gives the places of stopped timers back, where that takes a call. */
void race_purge(struct race_service *service, struct tw_seat *seat);

/* Shuts and writes down what came back.  The answer of the runner, which is judged. */
int race_shut(struct race_service *service, struct tw_seat *seat);
/* Statistics and check after shut; then the memory.  Every seat has left. */
void race_close(struct race_service *service);

/* An account that nobody has, cleared; NULL when there is none. */
struct race_account *race_account(struct race_service *service);

/* Starts the account's timer: the answer of the runner, which is judged. */
int race_start(struct race_service *service, struct tw_seat *seat, struct race_account *account);
/* Stops it; TW_RUN_IDLE when it was not accepted (yet). */
int race_stop(struct race_service *service, struct tw_seat *seat, struct race_account *account);

/* What the process has on the heap, of all threads: by jemalloc's own count where that is linked, as in the program, else by
 * glibc's; 0 where it does not tell. */
uint64_t race_heap(void);

/* A hash of both; for choices that need no sequence. */
uint64_t race_mix(uint64_t a, uint64_t b);

/* ---- Books: what becomes of each timer (race_books.c). ------------------------------------------- */

/* One end of the timer: a run of a one-shot, a stop, a return.  A second one is a finding. */
void race_ended(struct race_account *account, enum race_end end);

/* At the beginning of a task, by a clock read there; at its end. */
void race_ran(struct race_account *account, const struct tw_firing *firing, uint64_t now_ns);
void race_ran_out(struct race_account *account);

/* What start answered.  began_ns: when it was called. */
void race_started(struct race_account *account, int answer, tw_timer name, uint64_t began_ns);
/* What stop answered. */
void race_stopped(struct race_account *account, int answer, uint64_t began_ns, uint64_t ended_ns);

/* What stats say, each between two bounds. */
struct race_number {
    const char *name;
    uint64_t said, low, high;
};
void race_numbers_judge(struct race_service *service, const struct race_number *numbers,
                        size_t count);

/* All accounts, after shut. */
void race_judge(struct race_service *service);
/* Adds the accounts to the sums. */
void race_sum(const struct race_service *service, struct race_sums *sums);

/* ---- The planted clock (race_clock.c): one for the process, as what it stands for. ---------------- */

/* Of the service whose threads pass its points. */
void race_clock_of(struct race_service *service);
/* Sets it forward; whoever waits by it notices within a millisecond. */
void race_clock_move(uint64_t ns);
/* It stands, an hour or more ahead of the machine's, at that moment until it is called again.  Whoever sleeps until a later
 * one looks up each millisecond of the machine's. */
void race_clock_stand(uint64_t at);
/* The first and the last moment that somebody waits for by it, in 4 ms of the machine's; TW_DUE_MAX and 0: nobody, or for ever. */
void race_clock_asked(uint64_t *first, uint64_t *last);
/* Sleeps by the machine's. */
void race_sleep(uint64_t ns);
/* Calls by runners so far: none by one that reads a clock of its own. */
uint64_t race_clock_calls(void);
/* Comes through a point: goes on, is delayed or held. */
void race_reach(void *service, uint32_t number, uint64_t passed, const char *name);

/* ---- What cases share (race_cases.c). -------------------------------------------------------------- */

/* A seat of a service that is open with this config, whose zeros mean 64 places and ticks of 1 ms; or NULL. */
struct tw_seat *case_open(struct race_service *service, struct tw_runner_config config);
/* A service of the same runner, not opened yet. */
struct race_service case_another(const struct race_service *service);
/* Waits for each near timer, until somebody shuts. */
void case_settle(struct race_service *service, struct tw_seat *seat);
/* Shuts, unless that was done, tries to start, judges, leaves and closes.  NULL: nothing. */
void case_close(struct race_service *service, struct tw_seat *seat);
/* Starts what the account has by now, waiting for a place; the account, or NULL with a finding when it is refused. */
struct race_account *case_start(struct race_service *service, struct tw_seat *seat,
                                struct race_account *account);
/* Starts one with the members given, a race_account's: CASE_TIMER(service, seat, .due_ns = 1, .deed = DEED_WORK). */
#define CASE_TIMER(of, seat, ...)                                                                  \
    case_timer(of, seat, &(struct race_account){.service = (of), __VA_ARGS__})
struct race_account *case_timer(struct race_service *service, struct tw_seat *seat,
                                const struct race_account *wishes);
/* The same for a one-shot due then. */
#define case_start_at(service, seat, due) CASE_TIMER(service, seat, .due_ns = (due))
/* Stops it; a finding and false unless that is the answer. */
bool case_stop(struct race_service *service, struct tw_seat *seat, struct race_account *account,
               int expected, const char *what);
/* Starts far timers until the cap refuses; how many there are then, in that array of one more than the cap, or NULL.  `least` at
 * least; 0: as many as the cap, or one where that is split.  Places may come back late. */
uint32_t case_fill(struct race_service *service, struct tw_seat *seat, uint32_t least,
                   struct race_account **accounts);
/* Waits until no task runs; false when something was found. */
bool case_ended(struct race_service *service, struct tw_seat *seat);
/* Begins a thread; a finding and false when the system gives none. */
bool case_thread(struct race_service *service, pthread_t *thread, void *(*run)(void *), void *ctx);
/* A name that differs in one bit from that of the only timer is of none. */
void case_each_bit(struct race_service *service, struct tw_seat *seat, tw_timer name);
/* Waits as an idle caller until the counter is at least that.  False with a finding when it stands still for as long as
 * patience lasts. */
bool case_await(struct race_service *service, struct tw_seat *seat, _Atomic uint32_t *counter,
                uint32_t least, const char *what);

/* ---- What is played. ------------------------------------------------------------------------------ */

/* A written case proves one thing that random services show too seldom. */
struct race_case {
    const char *name;
    /* Plays on a service that is open; true: it is to be shut, judged and closed.  service->design, seed and point_weight are
     * set. */
    bool (*play)(struct race_service *service, struct tw_seat *seat);
    struct tw_runner_config config;              /* of case_open */
    uint32_t accounts;                           /* starts there may be; 0: 4096 */
    void (*alone)(struct race_service *service); /* instead of play: opens and closes by itself */
};

/* Rows: how many accounts, and the config's members or 0. */
#define RACE_CASE(title, function, count, ...)                                                     \
    {                                                                                              \
        .name = title, .play = function, .accounts = count, .config = { __VA_ARGS__ }              \
    }
#define RACE_ALONE(title, function)                                                                \
    {                                                                                              \
        .name = title, .alone = function                                                           \
    }

void case_play(struct race_service *service, const struct race_case *written);

/* Starts a one-shot due then, and waits until it has run. */
bool case_run(struct race_service *service, struct tw_seat *seat, uint64_t due_ns,
              const char *what);
/* The settings with which one tick moves at most so many; false when the runner has no such limit. */
bool case_transfer(const struct race_service *service, struct tw_setting *setting, uint64_t most);
/* A design that passes many ticks at one stride; false where none is among those given. */
bool case_tickless(struct race_service *service);

#define RACE_THREADS_SEEN 256u

/* Threads of this process, and how often they went to sleep. */
struct usage {
    long tids[RACE_THREADS_SEEN];
    size_t count;
    uint64_t sleeps;
};
/* What a file of a thread says behind a word; false where the system does not tell. */
#define USAGE_LINE 256u
bool usage_line(long tid, const char *name, const char *word, char line[USAGE_LINE]);
/* Of all threads but those before. */
void usage_take(struct usage *usage, const struct usage *before);
/* Whether all of them sleep, three looks in a row, within patience. */
bool usage_all_sleep(struct race_service *service, const struct usage *own);

/* NULL name after the last; the second list has what shows in numbers and in time alone (race_numbers.c), the third what
 * is handed over and told (race_told.c). */
extern const struct race_case race_cases[], race_numbers[], race_told[];

/* A hold: one thread is held at a point, at its first one, its second, and so on until it comes through without one, while
 * another acts.  It is let go when the other has done what it wants, or sleeps because it waits for the held one.  So a
 * fault that needs one thread to come between two steps of another shows in every run.
 * One pair: who is held, and what comes between.  All points are tried in turn. */
struct race_hold {
    uint32_t held, between;
};

/* The pairs that there are for that runner, by number; false behind the last. */
bool race_hold_at(struct race_hold *hold, const struct tw_runner *runner, size_t number);
/* "a start is held while another thread shuts" */
void race_hold_words(const struct race_hold *hold, char *out, size_t size);
/* Plays it at each point; service is as for a written case.  What is found is in its notes. */
void race_hold_play(struct race_service *service, const struct race_hold *hold);

/* Whether the thread sleeps: then it waits, and no processor is missing.  False where the system does not say. */
bool race_sleeps(long tid);

/* All orders of two callers. */
void race_orders(struct race_service *service);
/* A point of the seat of that number: it waits for its turn there, if it is one of the two. */
void race_turn_pass(struct race_turns *turns, uint32_t number);

/* Everything about a service but what its threads do to each other; follows from the seed alone. */
struct race_plan {
    uint64_t seed;
    const struct tw_backend *design;
    uint64_t tick_ns, horizon_ns;
    uint32_t callers, runner_threads;
    uint32_t capacity, max_pending;
    uint32_t operations;          /* of each caller */
    uint32_t far_in, periodic_in; /* one start in so many */
    uint64_t near_ns;             /* longest delay of a near one */
    uint32_t point_weight;
    bool shut_early;                               /* while callers call */
    bool shut_twice;                               /* by two threads at once */
    struct tw_setting settings[RACE_SETTINGS_MAX]; /* of the runner */
    size_t setting_count;
};

/* Draws a plan: the same seed, runner and options make the same one. */
void race_plan_make(struct race_plan *plan, const struct tw_runner *runner,
                    const struct race_options *options, uint64_t seed);
/* "over heap, ticks of 20 us, 3 callers, ..." */
void race_plan_words(const struct race_plan *plan, char *out, size_t size);
/* The whole life of the service; what is found is in its notes. */
void race_random(struct race_service *service, const struct race_plan *plan);

#endif
