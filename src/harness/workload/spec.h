/*
 * spec.h - a workload file, parsed: parameters put in, every value checked, distributions ready.
 *
 *     { "name": "hold",
 *       "summary": "what it models and where that is from, in one sentence",
 *       "tick": "1ms", "tasks": "100k",
 *       "parameters": { "delay": "exponential(10s)", "turns": 2 },
 *       "phases": [
 *         { "name": "start", "do": "start", "delay": "$delay", "age": "stationary" },
 *         { "name": "steady", "do": "run", "turns": "$turns", "delay": "$delay",
 *           "ended": "restart" },
 *         { "name": "stop", "do": "stop", "share": 0.5 } ] }
 *
 * A string may name parameters as $name; a parameter may name others.  Times are converted with the
 * tick and rounded up; a bare number is ticks.  Shares are 0 .. 1.
 *
 * "do": "start" starts idle timers.
 *     delay         how long; see dist.h
 *     share         of all ids (1)
 *     order         ids | random: in this order of ids; soonest | latest: ids in order, their
 *                   deadlines ascending or descending (ids)
 *     age           new; stationary: as a population looks that is renewed for ever, the life it is
 *                   in drawn with a chance proportional to its length, and a uniform part of it
 *                   over; phased: anywhere in the period that the timer will have in a run that ends
 *                   fixed-rate or fixed-delay with the same `delay` (order ids or random); refreshed: as timers look that are re-armed at the rates `refresh`,
 *                   `refresh_min`, those too long without it being idle (new)
 * "do": "stop" stops running timers.
 *     share         of the running ones (1)
 *     order         ids | random | soonest | latest, of their deadlines (random)
 * "do": "run" lets the clock go on.
 *     ticks | turns | until   one of: ticks or a time; multiples of the mean of `delay`; "empty"
 *     step          ticks per advance call; the length is rounded up to whole steps (1)
 *     ended         what becomes of a timer that fires: idle; restart: started again inside the
 *                   callback; replace: started again right after the advance call, and so is one
 *                   that was stopped: a closed loop; fixed-rate, fixed-delay: a periodic task, which
 *                   is started again inside the callback, and each time with the same delay, drawn
 *                   once for each id (idle)
 *     delay         of everything that is started in this phase; of a periodic task its period
 *     run_time      of each run of a periodic task; with fixed-delay it comes on top of the delay
 *                   (below a tick)
 *     slow_every, slow_run   one more periodic task, which takes long: its period and its run time.
 *                   Like the run time at a fixed rate it counts only where one thread runs all tasks
 *                   (sched/scheduler.h), which is played beside the stream (no such task)
 *     refresh       random ids, running or not, started again, per task and tick (0)
 *     refresh_min   at least so many per tick (0)
 *     arrive        random idle ids started, per task and tick (0)
 *     depart        random running ids stopped, per task and tick (0)
 * start and run also plan stops:
 *     stop_share    of the timers started in this phase (0)
 *     stop_after    a distribution; when it is longer than the delay, the timer fires first.  Left
 *                   out: uniform over the delay
 * "do": "flow" lets the clock go on with the traffic of a mix (flow.h), as `twbench trace --fit` finds it.
 *     ticks         how long; ticks or a time
 *     mix           what timers ask for and how that ends: rows, see mix.h
 *     armed         timers armed at the beginning, as a share of all ids (0)
 *     passes        time from one pass of the event loop that starts timers to the next
 *     starts        new timers of such a pass
 *     starts_scale  times as many (1)
 *     of            tasks for which `passes` is; with more of them they come more often
 *     changes       at-once: re-arms and cancels come at their own ticks; in-passes: at those of the
 *                   passes (at-once)
 * "repeat": n, "phases": [...] is a group.  It counts as one phase of the stream, so that a burst
 * can come a thousand times; a restart inside the callback needs a phase of its own.
 */
#ifndef TWBENCH_SPEC_H
#define TWBENCH_SPEC_H

#include "harness/workload/dist.h"
#include "harness/workload/mix.h"
#include "harness/workload/workload.h"

enum spec_kind { SPEC_START, SPEC_STOP, SPEC_RUN, SPEC_FLOW, SPEC_GROUP };
enum spec_order { SPEC_IDS, SPEC_RANDOM, SPEC_SOONEST, SPEC_LATEST };
enum spec_age { SPEC_NEW, SPEC_STATIONARY, SPEC_REFRESHED, SPEC_PHASED };
enum spec_ended { SPEC_IDLE, SPEC_RESTART, SPEC_REPLACE, SPEC_FIXED_RATE, SPEC_FIXED_DELAY };

struct spec_phase {
    char name[STREAM_NAME_SIZE]; /* empty inside a group when not given */
    unsigned kind;               /* enum spec_kind */
    double share;
    unsigned order, age, ended; /* enums above */
    struct dist *delay;         /* NULL where nothing is started */
    double stop_share;
    struct dist *stop_after; /* NULL: uniform over the delay */
    unsigned until_empty;    /* 1: ticks is 0 */
    uint64_t ticks, step;    /* `turns` is turned into ticks */
    double turns;
    struct dist *run_time; /* NULL: below a tick */
    uint64_t slow_every, slow_run;
    double refresh, arrive, depart;
    uint64_t refresh_min;
    struct mix *mix; /* of a flow, as what follows */
    struct dist *passes, *starts;
    uint64_t of;
    double armed, starts_scale;
    unsigned in_passes;
    uint64_t repeat; /* of a group, with its phases */
    struct spec_phase *phases;
    size_t phase_count;
};

static inline bool spec_is_periodic(const struct spec_phase *phase)
{
    return phase->ended == SPEC_FIXED_RATE || phase->ended == SPEC_FIXED_DELAY;
}

struct spec {
    char name[STREAM_NAME_SIZE];
    char *summary;
    char *parameters; /* "delay=uniform(1, 1h) turns=3", as the file has them */
    char *json;       /* one line: the file with parameters, tick and tasks as they came out */
    uint64_t tick_ns;
    uint64_t unit_ns; /* what delays are drawn in: the file's own tick where the one asked for is a
                         multiple of it, else that */
    uint64_t tasks;
    struct spec_phase *phases;
    size_t phase_count;
};

/* Parses the text of a file, which ends with a zero byte behind its `size` bytes.  Of the request it uses directory, tasks, tick_ns and settings;
 * `path` is for diagnostics.  *out is freed with spec_free. */
int spec_parse(const char *text, size_t size, const char *path,
               const struct workload_request *request, struct spec **out, struct diag *diag);
/* Reads the file and parses it. */
int spec_load(const char *path, const struct workload_request *request, struct spec **out,
              struct diag *diag);
void spec_free(struct spec *spec);

#endif
