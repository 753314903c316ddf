/*
 * backend.h - the contract between a timer design and whoever drives it.
 *
 * This is the one header a design includes, inside the project or as a plugin.  It states in C the
 * model of Varghese & Lauck, "Hashed and Hierarchical Timing Wheels" (SOSP 1987), section 2:
 *
 *     START_TIMER(interval, request id)    start(timers, id, deadline)
 *     STOP_TIMER(request id)               stop(timers, id)
 *     PER_TICK_BOOKKEEPING                 advance(timers, to, expire, ctx)
 *     EXPIRY_PROCESSING                    the expire callback, called from advance
 *
 * TIMERS.  A timer is a dense 32-bit id below the capacity given at open; it is idle or running.
 * What a design keeps per id, and where, is its own affair, so that all of its memory can be seen
 * and compared.  Passing an id >= capacity is a caller's bug and may do anything.
 *
 * TIME is a 64-bit count of ticks.  A design never reads a clock or waits: advance() is the only clock there is, it starts
 * at config.now and never goes back; it may move by any number of ticks, up to TW_DEADLINE_MAX.  Deadlines are absolute.
 *
 * WHEN A TIMER FIRES.  A tick that has been processed is over: nothing fires on it any more.  A
 * timer started at `now` (outside or inside a callback) therefore has the firing tick
 *
 *     due = max(deadline, now + 1)
 *
 * and this is the same for every exact design.  (A due past TW_DEADLINE_MAX does not exist: with
 * the clock at the end of time every start is TW_REFUSED_RANGE.)  advance(to) calls
 * expire(ctx, id, due) for each timer with due <= to, exactly once, and leaves the clock at `to`.
 * `to` <= now does nothing.
 *
 * INSIDE THE CALLBACK `now` is the tick being processed, the third argument.  The timer that fires
 * is already idle.  The callback may start and stop any timer: itself, and siblings due on the same
 * tick (a stopped sibling does not fire).  A timer started there with due <= to fires within the
 * same advance.  The callback must not call advance, close, next, visit or check.
 *
 * ORDER.  Within one advance a design with TW_ORDERED fires in order of due; without it a jump of
 * several ticks may fire in any order, so that `now` may go back and forth between callbacks (but
 * each callback still sees its own due).  Advancing by one tick is always in order.  Ties have no
 * order unless TW_FIFO is declared.
 *
 * TIMED AND COUNTED.  Each design is compiled twice.  With TW_COUNTED defined, TW_COUNT(timers,
 * comparisons, 1) adds to timers->work; without it the macro and the field vanish, so the timed
 * object has no trace of them.  Arguments of TW_COUNT must have no side effects.
 *
 * No function here prints, writes to files, exits, changes what the process has (nor does loading), or keeps mutable state of
 * a file or a thread.  Two instances never share anything; one is used by one thread at a time, not always the same.
 */
#ifndef TWBENCH_BACKEND_H
#define TWBENCH_BACKEND_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Version of this contract.  The harness refuses a design built against another one. */
#define TW_ABI_VERSION 2u

typedef uint32_t tw_id;
typedef uint64_t tw_tick;

/* "No expiry": what next() answers when nothing is running. */
#define TW_NEVER UINT64_MAX
/* The last tick a deadline may name; a caller clamps an overflowing sum to it. */
#define TW_DEADLINE_MAX (UINT64_MAX - 1)
/* Most ids a design has to accept as capacity: few enough to number four links of each in 32 bits. */
#define TW_CAPACITY_MAX UINT32_C(1000000000)
/* Most values of one parameter (levels=60,60,24,10 has four). */
#define TW_VALUES_MAX 16

/* What start, stop and open answer.  Zero and above: done.  Below: refused, and nothing changed. */
enum tw_status {
    TW_OK = 0,      /* start: was idle, runs now; stop: was running, idle now; open: opened */
    TW_REARMED = 1, /* start: was running and has the new deadline now */
    TW_IDLE = 2,    /* stop: was idle already; nothing to do */
    TW_REFUSED_RANGE = -1,  /* start: the deadline is beyond what the design can hold (its span) */
    TW_REFUSED_FULL = -2,   /* start: the cap on pending timers is reached */
    TW_REFUSED_MEMORY = -3, /* open, or start of a design with TW_ALLOCATES: no memory */
    TW_BAD_SETTING = -4     /* open: a parameter is out of its limits; the error says which */
};

/* ---- What a design declares about itself; the conformance tests hold it to that. ------------- */

enum tw_flag {
    TW_ORDERED = 1u << 0,       /* one advance fires in order of due, however long the jump */
    TW_FIFO = 1u << 1,          /* equal deadlines fire in order of their starts */
    TW_TICKLESS = 1u << 2,      /* the cost of advance does not grow with the empty ticks passed */
    TW_NEXT_EXACT = 1u << 3,    /* next() is the earliest due, not only a lower bound of it */
    TW_ALLOCATES = 1u << 4,     /* start may allocate; without it nothing but open does */
    TW_KEEPS_NOTHING = 1u << 5, /* null: nothing ever fires; exempt from every proof */
    TW_REAL_CLOCK = 1u << 6     /* advance waits for the machine's clock: its time holds waiting */
};

/* Growth classes, for the documented cost of an operation in n running timers. */
enum tw_growth { TW_O_1, TW_O_LOG_N, TW_O_N, TW_O_N_LOG_N, TW_O_N2 };

struct tw_cost {
    enum tw_growth average, worst;
};

struct tw_traits {
    unsigned flags; /* of enum tw_flag */
    /* Lateness allowed: a timer started at `now` with due d may fire at any tick in
     * [d, d + late_ticks + ((d - now) >> late_shift)]; late_shift 0 stands for "no such term".
     * Both 0: exact.  Firing early is never allowed. */
    uint32_t late_ticks;
    uint32_t late_shift;
    /* Documented classes in n.  expire is per expired timer; tick is an advance by one tick on
     * which nothing is due. */
    struct tw_cost start, stop, expire, tick;
};

/* A parameter that open understands.  Limits are inclusive and apply to each value. */
struct tw_param {
    const char *name; /* as on the command line, without dashes: "slots" */
    const char *help; /* one line: meaning, unit, what the default is derived from */
    uint64_t min, max;
    uint32_t values_max; /* 1, or more for a list; at most TW_VALUES_MAX */
};

/* A parameter with its value or values. */
struct tw_setting {
    const char *name;
    uint32_t count;
    uint64_t values[TW_VALUES_MAX];
};

struct tw_config {
    uint32_t capacity; /* ids are 0 .. capacity-1; 1 .. TW_CAPACITY_MAX */
    tw_tick now;       /* the clock starts here; this tick counts as processed */
    tw_tick horizon;   /* longest delay the caller expects, in ticks; 0 = unknown.  A hint from
                          which defaults are derived; a longer delay may still come */
    const struct tw_setting *settings; /* given explicitly; names the design does not know are the
                                          caller's mistake and are refused with TW_BAD_SETTING */
    size_t setting_count;
};

/* Why open failed, for people: names the setting (or "capacity"), what was given and what was expected; ends with 0. */
struct tw_error {
    char text[240];
};

/* ---- What can be asked of an open instance. -------------------------------------------------- */

struct tw_timers; /* each design defines its own */

typedef void tw_expire_fn(void *ctx, tw_id id, tw_tick now);

/* Where a running timer is held: after the same operations the same.  A design without levels or slots reports 0 for them;
 * `slot` of a heap is the index, of a list the position from the head. */
struct tw_view {
    tw_id id;
    tw_tick deadline; /* its due tick, reconstructed where the design stores something else */
    uint32_t level, slot;
    uint64_t rounds; /* revolutions still to go; 0 where the design has none */
};

typedef void tw_visit_fn(void *ctx, const struct tw_view *view);

/* Bytes the design asked for and still holds, by what they grow with. */
struct tw_footprint {
    uint64_t fixed_bytes;    /* instance, slots, bitmaps: no array of one element per id; never 0 */
    uint64_t capacity_bytes; /* those arrays: some, but with TW_ALLOCATES */
    uint64_t pending_bytes;  /* allocated for the timers now running (TW_ALLOCATES) */
};

/* Resolved settings and the reach; the same as long as the instance is open.  A setting that was given
 * is here as it was given, or rounded up to less than twice that (slots to a power of two); one that
 * was not is derived.  "max-running", a cap on running timers, is never rounded, and at least the
 * capacity unless it was given. */
struct tw_description {
    tw_tick span; /* a start is accepted iff due - now <= span; TW_DEADLINE_MAX = any.  Without
                     settings at least the horizon, of which 2^24 ticks will do; 4096 when it is
                     unknown */
    size_t setting_count;
    struct tw_setting settings[4];
};

/* The operation counters, one row each, and the only list of them: whatever needs every counter (the
 * struct below, differences, documents, tables, exports, the gate of compare) expands it.  A counter
 * more is a row here and the TW_COUNT that counts it.  A row is the name, whether results of all versions
 * have it (ALWAYS) or older ones lack it (LATER), and what is counted, as schema/result-1.json says it.  BESIDE
 * marks what may be counted of a design that counts nothing of what it does to its structure.
 *
 * pointer_moves are what turning a wheel costs, whether anything is in the slot or not; 0 for a
 * design without wheels.  system_calls and clock_reads are what a library does besides, while it is
 * driven; 0 for a design that is nothing but memory. */
#define TW_WORK_COUNTERS(X)                                                                        \
    X(comparisons, ALWAYS, "Comparisons of a deadline with another or with the clock.")            \
    X(visits, ALWAYS, "Nodes looked at.")                                                          \
    X(moves, ALWAYS, "Nodes put into another place: heap swaps, demotions.")                       \
    X(link_writes, ALWAYS, "Pointers or indices of the structure written.")                        \
    X(cascades, ALWAYS, "Slots of a higher level emptied into lower ones.")                        \
    X(empty_ticks, BESIDE, "Ticks stepped through on which nothing fired.")                        \
    X(allocations, BESIDE, "Calls of an allocator after open.")                                    \
    X(pointer_moves, LATER,                                                                        \
      "Steps of the pointer of a wheel, of any level, from one slot to the next.")                 \
    X(system_calls, LATER | BESIDE,                                                                \
      "Calls into the system that a library made while it was driven.")                            \
    X(clock_reads, LATER | BESIDE,                                                                 \
      "Looks of a library at a clock, whether or not the system had to be asked.")

/* Work done since open, counted by the counted object only.  One source of truth for "how much". */
#define TW_WORK_MEMBER(counter, since, meaning) uint64_t counter;
struct tw_work {
    TW_WORK_COUNTERS(TW_WORK_MEMBER)
};
#undef TW_WORK_MEMBER

/* ---- The table.  Every hook is required unless it says otherwise. ---------------------------- */

struct tw_backend {
    uint32_t abi_version; /* TW_ABI_VERSION */
    const char *name;     /* key on the command line and in results: "hashed" */
    const char *summary;  /* one line for `twbench list` */
    struct tw_traits traits;
    const struct tw_param *params; /* ends with a NULL name */

    /* Open an instance with everything idle.  On TW_OK sets *out, which the caller closes; on any
     * other status leaves *out alone and fills *error.  All memory that does not depend on the
     * number of running timers is taken here, and without TW_ALLOCATES all there is.  config, all it points to,
     * which open only reads, and error are the caller's again when open returns. */
    int (*open)(struct tw_timers **out, const struct tw_config *config, struct tw_error *error);
    void (*close)(struct tw_timers *timers);

    /* TW_OK, TW_REARMED or TW_REFUSED_*.  A refused start leaves the timer as it was: idle, or
     * running with its old deadline. */
    int (*start)(struct tw_timers *timers, tw_id id, tw_tick deadline);
    /* TW_OK or TW_IDLE. */
    int (*stop)(struct tw_timers *timers, tw_id id);
    /* Moves the clock to `to` and fires what is due; see the top of this file.  expire and ctx are
     * those of this call, and may be others next time. */
    void (*advance)(struct tw_timers *timers, tw_tick to, tw_expire_fn *expire, void *ctx);

    /* A tick before which nothing fires: the earliest due with TW_NEXT_EXACT, else a lower bound
     * greater than now that advancing to makes progress on.  TW_NEVER if and only if nothing runs.
     */
    tw_tick (*next)(const struct tw_timers *timers);
    /* Calls visit once for each running timer, in any order; visit must not change anything. */
    void (*visit)(const struct tw_timers *timers, tw_visit_fn *visit, void *ctx);
    /* NULL, or the first broken invariant in words.  O(capacity) is fine; never crashes on what a
     * bug of the design itself can produce. */
    const char *(*check)(const struct tw_timers *timers);
    struct tw_footprint (*footprint)(const struct tw_timers *timers);
    void (*describe)(const struct tw_timers *timers, struct tw_description *out);
    /* The counted object's counters, owned by the instance; NULL from the timed object. */
    const struct tw_work *(*work)(const struct tw_timers *timers);
};

/* ---- A design as it is found: in the registry, or in a shared object. ------------------------- */

struct tw_design {
    uint32_t abi_version;             /* TW_ABI_VERSION, again: read before anything behind it */
    const struct tw_backend *timed;   /* the object that is timed: no counting code in it */
    const struct tw_backend *counted; /* the same source with TW_COUNTED; or the timed one again */
};

/* A plugin defines this symbol, with the macro; see docs/PLUGINS.md. */
extern const struct tw_design tw_plugin;
#define TW_PLUGIN(timed_table, counted_table)                                                      \
    const struct tw_design tw_plugin = {TW_ABI_VERSION, &(timed_table), &(counted_table)}

/* ---- Optional parts beside the table. ----------------------------------------------------------
 * A design that has struct tw_batch defines `const struct tw_batch TW_BATCH(design)` and a row in parts.def; so with the others. */

/* What a design can do for many timers at once, above all prefetch the nodes of the ids to come.  Each answers as the
 * single calls one after the other, in the order of the ids; an id may be there twice, the count be 0; nothing behind it
 * is read or written.  Both may be called inside a callback.  A start re-arms what runs, with its window.  Expiry in runs
 * needs no hook: a caller collects what fires on a tick and starts it again with one call. */
struct tw_batch {
    /* statuses[i] is what start answers for ids[i] and deadlines[i].  Answers how many were refused. */
    uint32_t (*start_many)(struct tw_timers *timers, const tw_id *ids, const tw_tick *deadlines,
                           uint32_t count, int8_t *statuses);
    /* statuses[i] is what stop answers for ids[i]. */
    void (*stop_many)(struct tw_timers *timers, const tw_id *ids, uint32_t count, int8_t *statuses);
};

/* Most timers need not be exact, and who may choose the tick wakes up less often.  start_within is start, but the timer
 * fires on a tick of its window, [due, due + slack] up to TW_DEADLINE_MAX, of the design's choice: never early; the slack
 * may be UINT64_MAX.  start stays exact; a re-arm, by a batch too, replaces the window.  `now` is the tick chosen, which next,
 * TW_NEXT_EXACT and TW_ORDERED speak of; visit shows a tick of the window.  A design that knows nothing of slack fires
 * at due, which is always right.  It may be called inside a callback. */
struct tw_slack {
    /* Answers as start. */
    int (*start_within)(struct tw_timers *timers, tw_id id, tw_tick deadline, tw_tick slack);
};

/* For a design without TW_NEXT_EXACT, whose next is a bound, and for a caller that has to know the earliest due itself.
 * It may tidy up on the way, at the cost of the starts and stops that left something behind; beyond that it costs
 * levels, slots and the timers of one slot, never all timers.  Not to be called inside a callback. */
struct tw_exact {
    /* The earliest due, or TW_NEVER: nothing runs. */
    tw_tick (*next)(struct tw_timers *timers);
};

/* check goes over all timers, which is too much after every call of a long test.  This one looks at the list, slot or bucket that
 * holds a timer, and costs what that holds; of an idle timer nothing is looked at.  What it finds broken check does too. */
struct tw_spot {
    /* NULL, or what is broken where `id` is.  Ends on any input, as check. */
    const char *(*check)(const struct tw_timers *timers, tw_id id);
};

/* ---- Counting: see TIMED AND COUNTED above. -------------------------------------------------- */

#ifdef TW_COUNTED
#define TW_OBJECT(symbol)         symbol##_counted
#define TW_WORK_FIELD             struct tw_work work;
#define TW_COUNT(timers, what, n) ((timers)->work.what += (uint64_t)(n))
#define TW_WORK_OF(timers)        (&(timers)->work)
#else
#define TW_OBJECT(symbol) symbol##_timed
#define TW_WORK_FIELD
#define TW_COUNT(timers, what, n) ((void)0)
#define TW_WORK_OF(timers)        NULL
#endif
#define TW_BACKEND(design) TW_OBJECT(tw_##design)
#define TW_BATCH(design)   TW_OBJECT(tw_##design##_batch)
#define TW_SLACK(design)   TW_OBJECT(tw_##design##_slack)
#define TW_EXACT(design)   TW_OBJECT(tw_##design##_exact)
#define TW_SPOT(design)    TW_OBJECT(tw_##design##_spot)

/* ---- Reading settings, so that the refusals of every design read alike. ---------------------- */

/* The setting of that name, or NULL if the caller gave none. */
static inline const struct tw_setting *params_find(const struct tw_config *config, const char *name)
{
    for (size_t i = 0; i < config->setting_count; i++)
        if (strcmp(config->settings[i].name, name) == 0)
            return &config->settings[i];
    return NULL;
}

/* The parameter of that name in a table that a NULL name ends, or NULL; of no table (NULL) too. */
static inline const struct tw_param *param_find(const struct tw_param *params, const char *name)
{
    for (; params && params->name; params++)
        if (strcmp(params->name, name) == 0)
            return params;
    return NULL;
}

static inline int params_refuse(struct tw_error *error, const struct tw_param *param,
                                uint64_t given)
{
    snprintf(error->text, sizeof error->text, "%s: %llu given; expected %llu .. %llu", param->name,
             (unsigned long long)given, (unsigned long long)param->min,
             (unsigned long long)param->max);
    return TW_BAD_SETTING;
}

/* TW_OK when every setting given is one of `params` (ended by a NULL name), has 1 .. values_max
 * values and each is within its limits; else TW_BAD_SETTING with *error filled.  Also refuses a
 * capacity of 0 or beyond TW_CAPACITY_MAX.  Every open calls this first. */
static inline int params_check(const struct tw_param *params, const struct tw_config *config,
                               struct tw_error *error)
{
    if (config->capacity == 0 || config->capacity > TW_CAPACITY_MAX) {
        snprintf(error->text, sizeof error->text, "capacity: %u given; expected 1 .. %u",
                 config->capacity, TW_CAPACITY_MAX);
        return TW_BAD_SETTING;
    }
    for (size_t i = 0; i < config->setting_count; i++) {
        const struct tw_setting *setting = &config->settings[i];
        const struct tw_param *param = param_find(params, setting->name);
        if (!param) {
            snprintf(error->text, sizeof error->text, "%s: this design has no such setting",
                     setting->name);
            return TW_BAD_SETTING;
        }
        if (setting->count == 0 || setting->count > param->values_max) {
            snprintf(error->text, sizeof error->text, "%s: %u values given; expected 1 .. %u",
                     param->name, setting->count, param->values_max);
            return TW_BAD_SETTING;
        }
        for (uint32_t v = 0; v < setting->count; v++)
            if (setting->values[v] < param->min || setting->values[v] > param->max)
                return params_refuse(error, param, setting->values[v]);
    }
    return TW_OK;
}

/* The least power of two >= value; value must be 1 .. 2^63. */
static inline uint64_t params_power_of_two(uint64_t value)
{
    return value <= 1 ? 1 : UINT64_C(1) << (64 - __builtin_clzll(value - 1));
}

/* The status of an open that could not get its memory. */
static inline int params_no_memory(struct tw_error *error, uint64_t bytes)
{
    snprintf(error->text, sizeof error->text, "no memory for %llu bytes",
             (unsigned long long)bytes);
    return TW_REFUSED_MEMORY;
}

#ifdef __cplusplus
}
#endif

#endif
