/* stream.h - holds a workload made concrete: the operations, in the order in which every design runs them.
 *
 * A stream is made once, before any clock starts, from a workload, a number of tasks and a seed (or
 * from a recorded trace); it is hashed, never changed, and replayed for each design.  Two results
 * can be compared only when their stream hashes are equal.
 *
 * WORDS.  The operations are 32-bit words, so that reading them costs the cache little.  They come
 * in runs of equal operations: one header word `code << STREAM_COUNT_BITS | count`, then the
 * operands of `count` operations:
 *
 *     STREAM_START      id, delay              deadline = now + delay
 *     STREAM_START_FAR  id, low, high          the same with a signed 64-bit delay
 *     STREAM_STOP       id
 *     STREAM_TICKS      (none)                 count calls of advance, by one tick each
 *     STREAM_JUMP       low, high              one call of advance by that many ticks
 *
 * Runs keep the replay loop free of unpredictable branches (a run of starts is a loop of calls),
 * and are what a batch interface would take.  `now` is 0 at the beginning.  A deadline is clamped
 * to 0 .. TW_DEADLINE_MAX.
 *
 * EXPIRY.  What happens when a timer fires is a rule of the phase: nothing, or a restart inside the
 * callback (the hold model of Jones 1986).  The delay of a restart is looked up in the phase's
 * table by a hash of (id, firing tick), so that it is the same for every exact design whatever the
 * order in which it fires a tick's timers, and costs the timed loop one load from a table of 8 KiB.
 *
 * ROUNDING.  Deadlines that were finer than a tick were rounded up to one, never down.  How much later
 * than asked for each timer is due for that reason stands beside the words: designs do not see it.
 *
 * SLACK.  A load may allow its timers to fire later than due: within a window, [due, due + slack].  Designs that take
 * slack (struct tw_slack) choose a tick of it; the others are exact, which is right.  What they choose moves what follows from it: restarts, and a
 * stop or re-arm inside an open window that finds the timer fired or not.  So no digest over ticks is common to all, and
 * one over the windows that nothing touches while they are open says less than the checking pass, which looks at each
 * timer: fired once, in its window, answers of start and stop as that.  Designs are comparable in what that pass lets through:
 * the same operations of the stream, each within the same slack.
 *
 * PERIODIC timers have a period each, looked up in a second table by a hash of the id alone.  At a
 * fixed rate that is the delay of every restart: `now` is the due tick, so run k is due at
 * t0 + k * period.  With a fixed delay the time that the run takes comes on top, by the first table:
 * the next one is due a period after its end.  Nobody waits for anybody here, as with a pool of
 * enough workers; what one dispatch thread makes of the same tasks is played by stream->schedule.
 */
#ifndef TWBENCH_STREAM_H
#define TWBENCH_STREAM_H

#include "harness/base/clock.h"
#include "harness/base/diag.h"
#include "impls/backend.h"

/* What a header word announces; its operands are above. */
enum stream_code { STREAM_START, STREAM_START_FAR, STREAM_STOP, STREAM_TICKS, STREAM_JUMP };

#define STREAM_COUNT_BITS 29u
#define STREAM_COUNT_MAX  ((UINT32_C(1) << STREAM_COUNT_BITS) - 1)

#define STREAM_RESTART_BITS 11u
#define STREAM_RESTART_SIZE (1u << STREAM_RESTART_BITS)

#define STREAM_PHASES_MAX 16
#define STREAM_NAME_SIZE  64

/* Operations of a phase as the stream states them, before any design has run. */
struct stream_counts {
    uint64_t starts; /* explicit ones; restarts inside callbacks come on top */
    uint64_t stops;
    uint64_t advances; /* calls */
    uint64_t ticks;    /* sum of their steps */
};

/* A part of the stream that is timed for itself. */
struct stream_phase {
    char name[STREAM_NAME_SIZE];
    size_t begin, end; /* words [begin, end) */
    struct stream_counts counts;
    const uint32_t *restart; /* STREAM_RESTART_SIZE delays in ticks, each >= 1; NULL: none */
    const uint32_t *period;  /* as many, by id, on top; NULL: none.  Neither: timers stay idle */
    const uint64_t *restart_slack_ns; /* of `period`, or without one of `restart`; NULL: none */
};

/* How much later than due a timer may fire. */
struct stream_slack {
    uint32_t ticks; /* of every timer */
    uint32_t shift; /* and its delay >> shift on top, 1 .. 63; 0: nothing */
};

static inline bool stream_slack_is_none(const struct stream_slack *slack)
{
    return slack->ticks == 0 && slack->shift == 0;
}

/* Periodic tasks for a scheduler with one dispatch thread: the ids of the stream at the periods of a
 * phase, begun by stream_first_delay, for so many ticks; and one more, which is slow. */
struct stream_schedule {
    uint64_t ticks;     /* 0: there is none */
    size_t phase;       /* whose `period` it is */
    bool fixed_delay;   /* or a fixed rate */
    uint32_t *run_time; /* STREAM_RESTART_SIZE, by (id, due tick), owned; NULL: below a tick */
    uint64_t slow_every, slow_run; /* period and run time of the slow task; 0: no such task */
};

/* What runs at one moment: sums over the timers, mod 2^64, which no order changes. */
struct stream_state {
    uint64_t running;
    uint64_t ids;  /* of stream_mix(id, 0) */
    uint64_t dues; /* of stream_mix(id, tick on which it will fire) */
};

/* What every exact design must do with the stream, said by the oracle (oracle.h). */
struct stream_expected {
    uint64_t digest; /* sum over expiries of stream_mix(id, tick), mod 2^64 */
    uint64_t fired;
    uint64_t fired_in[STREAM_PHASES_MAX];          /* by phase */
    uint64_t refused;                              /* starts beyond max_pending */
    uint64_t running_max;                          /* most timers running at one time */
    uint64_t running_end;                          /* still running at the end */
    struct stream_state states[STREAM_PHASES_MAX]; /* at the end of each phase */
};

struct stream {
    char workload[STREAM_NAME_SIZE]; /* "hold"; for a trace its file name without .tt[.xz|.gz] */
    char tasks_meaning[STREAM_NAME_SIZE]; /* of `tasks`: "timers", "ids in the trace" */
    uint64_t tasks;
    uint64_t seed;
    uint64_t tick_ns;
    uint32_t capacity;         /* ids are 0 .. capacity-1 */
    uint32_t max_pending;      /* cap on running timers, see oracle_cap; 0: none */
    struct stream_slack slack; /* set by stream_allow */
    tw_tick horizon;           /* longest delay in it, restarts included */
    uint64_t hash;             /* over words, phases, tables, capacity: identity of the stream */
    size_t word_count;
    uint32_t *words;
    size_t phase_count;
    struct stream_phase phases[STREAM_PHASES_MAX];
    struct stream_expected expected;
    struct stream_schedule schedule;
    uint64_t *slacks_ns; /* by explicit start, in their order: due later than asked for by so much;
                            NULL: none is */
    uint64_t below_tick; /* explicit starts with a delay below one tick, which became one */
    char *spec_json;     /* the workload with its parameters resolved, one line of JSON */
    struct deadline until;        /* its making, the oracle included, gives up then */
    struct stream_passes *passes; /* NULL: every pass replays this one */
    bool once;                    /* recorded, and so long that a process times it once */
};

/* So many operations come before any comes twice, where memory allows it: more than a processor can learn. */
#define STREAM_FRESH_OPERATIONS (UINT64_C(1) << 18)

/* What the passes of a process replay in turn. */
struct stream_passes {
    size_t count;           /* streams, the one that they belong to among them: at least 2 */
    struct stream **others; /* the other ones, owned */
    bool renamed;        /* they are its operations with other ids; else they are of other seeds */
    uint64_t operations; /* of all of them */
    struct stream desk;  /* what lies on it is the words of the pass under way */
    uint32_t *words;
};

/* One 64-bit hash per expiry serves the digest (all bits, summed) and the restart table
 * (top bits). */
static inline uint64_t stream_mix(tw_id id, tw_tick tick)
{
    uint64_t h = (tick + UINT64_C(0x9e3779b97f4a7c15)) * UINT64_C(0xbf58476d1ce4e5b9);
    h = (h ^ id ^ (h >> 32)) * UINT64_C(0x94d049bb133111eb);
    return h ^ (h >> 29);
}

static inline void stream_state_add(struct stream_state *state, tw_id id, tw_tick due)
{
    state->running++;
    state->ids += stream_mix(id, 0);
    state->dues += stream_mix(id, due);
}

static inline uint32_t stream_restart_delay(const uint32_t *restart, uint64_t mix)
{
    return restart[mix >> (64 - STREAM_RESTART_BITS)];
}

static inline uint32_t stream_period(const uint32_t *period, tw_id id)
{
    return stream_restart_delay(period, stream_mix(id, 0));
}

/* Of an expiry with that mix; at least one of the tables is there. */
static inline uint64_t stream_next_delay(const uint32_t *restart, const uint32_t *period, tw_id id,
                                         uint64_t mix)
{
    return (restart ? (uint64_t)stream_restart_delay(restart, mix) : 0) +
           (period ? stream_period(period, id) : 0);
}

/* Ticks to the first run of a periodic timer that is met anywhere in its period. */
static inline uint64_t stream_first_delay(const uint32_t *period, tw_id id, uint64_t seed)
{
    return 1 + stream_mix(id, seed + 1) % stream_period(period, id);
}

static inline bool stream_restarts(const struct stream_phase *phase)
{
    return phase->restart || phase->period;
}

/* Was any deadline rounded up to a tick? */
static inline bool stream_is_rounded(const struct stream *stream)
{
    bool rounded = stream->slacks_ns != NULL;
    for (size_t i = 0; i < stream->phase_count; i++)
        rounded = rounded || stream->phases[i].restart_slack_ns;
    return rounded;
}

/* Starts, stops, advances, expiries and restarts of a pass, as the oracle says. */
uint64_t stream_operations(const struct stream *stream);

/* What pass `pass` of a process replays, `warmup` ones being thrown away: the first that counts replays the stream
 * itself, the ones before and after it the others in their order, round and round.  A short one is copied to where
 * the one before it lay, so that its words are as near as those of a stream that is replayed: valid until the next
 * call. */
const struct stream *stream_of_pass(const struct stream *stream, uint64_t pass, uint64_t warmup);

/* Identity of all of them in their order; of a stream without others its own hash. */
uint64_t stream_hash_of_passes(const struct stream *stream);

/* now + delay, clamped to 0 .. TW_DEADLINE_MAX. */
static inline tw_tick stream_deadline(tw_tick now, int64_t delay)
{
    if (delay < 0)
        return now < (uint64_t)0 - (uint64_t)delay ? 0 : now + (uint64_t)delay;
    return (uint64_t)delay > TW_DEADLINE_MAX - now ? TW_DEADLINE_MAX : now + (uint64_t)delay;
}

/* Most words of one stream: 4 GiB, which is 10^8 timers started and stopped with room to spare. */
#define STREAM_WORDS_MAX ((size_t)1 << 30)

/* ---- Building.  Appends merge into the run before them where they can. ----------------------- */

/* An empty stream with the clock at 0; NULL when there is no memory.  The caller sets the other
 * plain fields (tasks, tasks_meaning, seed, tick_ns, capacity, schedule, and spec_json; it hands over
 * what they own) at any time before oracle_finish. */
struct stream *stream_new(const char *workload);
/* NULL is allowed. */
void stream_free(struct stream *stream);
/* Hands a finished stream over: `owner` has it replayed in passes.  Tables that are equal are the owner's then, and of
 * rounding it knows nothing any more.  No horizon is below the owner's. */
void stream_add_pass(struct stream *owner, struct stream *other);
/* Opens the next phase; what is appended from now on belongs to it.  `restart` is copied; NULL for
 * none.  Appends before the first phase, or more than STREAM_PHASES_MAX phases, are a bug. */
void stream_phase_begin(struct stream *stream, const char *name, const uint32_t *restart);
/* Gives the phase just opened its periods, which are copied. */
void stream_phase_period(struct stream *stream, const uint32_t *period);
/* Gives the phase just opened what its periods, or without them its restarts, are late by
 * rounding; copied. */
void stream_phase_slack(struct stream *stream, const uint64_t *slack_ns);
void stream_append_start(struct stream *stream, tw_id id, int64_t delay);
/* A start that rounding has made due later than asked for by `slack_ns`. */
void stream_append_rounded(struct stream *stream, tw_id id, int64_t delay, uint64_t slack_ns);
void stream_append_stop(struct stream *stream, tw_id id);
/* Advances by `ticks` in one call each (single steps merge into one STREAM_TICKS run). */
void stream_append_advance(struct stream *stream, uint64_t ticks);
/* `count` advances of one tick. */
void stream_append_ticks(struct stream *stream, uint64_t count);
/* Allows the timers of a finished stream that slack: part of what it is, so its hash is made anew. */
void stream_allow(struct stream *stream, struct stream_slack slack);
/* True once an append was dropped (no memory, or STREAM_WORDS_MAX) or its deadline is over: whoever
 * appends in a long loop may give up then.  stream_seal says which it was, so that nobody has to ask.
 * Cheap: one call in a thousand looks at the clock. */
bool stream_is_broken(struct stream *stream);
/* DEADLINE_OVER, with the text for a load that took too long to make. */
int stream_late(const struct stream *stream, struct diag *diag);
/* The last step of building, which oracle_finish (oracle.h) takes: computes horizon (explicit delays and restart
 * tables) and hash.  A capacity of 0 becomes the highest id + 1; a stream without any start gets 1.  DEADLINE_OVER,
 * or a status of diag.h. */
int stream_seal(struct stream *stream, struct diag *diag);

#endif
