/* replay.h - drives one open instance through one stream, in one of eight ways.
 *
 *     replay_time     as fast as it goes; clocks are read at phase boundaries only
 *     replay_count    the same loop; counters of the processor are read at phase boundaries only
 *     replay_latency  each advance, and a sample of the starts and stops, timed on its own
 *     replay_tail     each advance timed and written down, to find what is slow in every pass
 *     replay_prove    every answer and every expiry checked against an array of due ticks
 *     replay_memory   bytes looked at while it goes
 *     replay_calls    what kind of call each one is
 *     replay_steps    chosen calls stepped through, the others at full speed
 *
 * The eight share one loop over the words of the stream (replay.c); the timed one has nothing in it
 * but the calls.  The first six are driven by ticks or by next (enum plan_drive): driven by next, the
 * clock goes straight to what the design names as its next expiry, or to where the stream does something
 * before that.  What fires, and when, is the same.
 */
#ifndef TWBENCH_REPLAY_H
#define TWBENCH_REPLAY_H

#include "harness/measure/plan/plan.h"
#include "harness/measure/run/arena.h"
#include "harness/measure/run/counters.h"
#include "harness/measure/run/cycles.h"
#include "harness/measure/run/gap.h"
#include "harness/measure/run/outcome.h"
#include "harness/measure/stats/histogram.h"

/* What one pass did in one phase. */
struct replay_phase {
    double wall_ns, cpu_ns; /* less what reading the two clocks takes; never below 0 */
    uint64_t fired;         /* expiries; each is a restart too where the phase has a restart rule */
    uint64_t refused;       /* starts */
    uint64_t work;          /* replay_phase_work, of replay_time and replay_count */
};

/* By what a phase's time and counts are divided: its starts, stops and expiries, or where it has none its advances. */
uint64_t replay_phase_work(const struct stream_phase *phase, uint64_t fired);

/* When a timed pass has the design show what runs, between the readings of the clocks. */
enum replay_look {
    REPLAY_LOOK_NEVER,
    REPLAY_LOOK_END,   /* behind the last phase: nothing that is timed comes after it */
    REPLAY_LOOK_PHASES /* behind each phase: for a pass that does not count */
};

/* What one pass over the stream gave. */
struct replay_pass {
    enum replay_look look;                         /* the caller's */
    uint64_t look_ns;                              /* what looking took */
    uint64_t page_faults;                          /* minor ones, in it; the caller's */
    struct stream_state states[STREAM_PHASES_MAX]; /* where it looked */
    uint64_t digest, fired;
    struct replay_phase phases[STREAM_PHASES_MAX];
};

/* One pass, timed by phase, that looks as pass->look says; driven, batched and with what is between the calls as the plan says.  `gap` is opened for
 * plan->between; NULL where that is none.  Batched, operations are collected up to
 * plan->batch of one kind and one tick, and what fires on a single tick and starts again is started by one call.  A
 * design without batch operations gets single calls from the same buffer. */
void replay_time(const struct tw_backend *design, struct tw_timers *timers,
                 const struct stream *stream, const struct plan_cell *plan, struct gap *gap,
                 struct replay_pass *pass);

/* Did the design show, wherever that pass looked, the timers that have to run?  An exact one has to show when they will fire, too; one that may
 * be late is asked until the first expiry.  False with `reason` (INSTANCE_REASON bytes) filled. */
bool replay_states_are_right(const struct tw_backend *design, const struct stream *stream,
                             const struct replay_pass *pass, char *reason);

/* The same, a pass whose counts are added to totals[], one for each phase.  Fills digest, fired and the phases' work only. */
void replay_count(const struct tw_backend *design, struct tw_timers *timers,
                  const struct stream *stream, const struct plan_cell *plan, struct gap *gap,
                  const struct counters *counters, struct counters_reading *totals,
                  struct replay_pass *pass);

/* One pass that adds to phases[].latency. */
void replay_latency(const struct tw_backend *design, struct tw_timers *timers,
                    const struct stream *stream, enum plan_drive drive, const struct cycles *cycles,
                    struct outcome_phase *phases);

/* One pass: the time of each advance goes to recorders[], one for each phase, and with it the phase's longest advance,
 * less the time for which the thread had lost the core.  Fills digest and fired only. */
void replay_tail(const struct tw_backend *design, struct tw_timers *timers,
                 const struct stream *stream, enum plan_drive drive, const struct cycles *cycles,
                 struct tail_recorder *recorders, struct replay_pass *pass);

/* The function of the design that is being called, where the parent of this process sees it: to tell a function that
 * does not return from a pass that takes long. */
enum replay_function {
    REPLAY_IN_NONE,
    REPLAY_IN_LOADING, /* a plugin's constructors */
    REPLAY_IN_OPEN,
    REPLAY_IN_DESCRIBE,
    REPLAY_IN_WORK,
    REPLAY_IN_START,
    REPLAY_IN_STOP,
    REPLAY_IN_ADVANCE,
    REPLAY_IN_NEXT,
    REPLAY_IN_CLOSE,
    REPLAY_FUNCTIONS
};

struct replay_pulse {
    volatile uint32_t function; /* enum replay_function */
    volatile uint64_t
        calls;              /* of functions and callbacks: stands still while one does not return */
    volatile tw_tick ticks; /* by which the advance that is under way moves the clock */
};

/* What was under way before is what replay_leave puts back: a callback may call too. */
static inline uint32_t replay_enter(struct replay_pulse *pulse, enum replay_function function)
{
    uint32_t before = pulse->function;
    pulse->calls++;
    pulse->function = (uint32_t)function;
    return before;
}

static inline void replay_leave(struct replay_pulse *pulse, uint32_t before)
{
    pulse->calls++;
    pulse->function = before;
}

/* What the checking pass found.  `broken` is empty when everything was as it has to be. */
struct replay_proof {
    struct replay_pulse pulse;
    uint64_t digest, fired, early, late_max_ticks;
    double late_mean_ticks;
    struct outcome_precision precision;
    bool refused; /* `broken` tells of a refused start: unsupported, not wrong */
    char broken[300];
};

/* One pass; needs 8 bytes of the harness's memory per id, 8 more for a design that may be late, and 8
 * more where deadlines were rounded.  Fills the numbers of operations in
 * phases[], wake-ups, the counters of their work (from a counted design) and the proof.  Returns DIAG_RUN without memory. */
int replay_prove(const struct tw_backend *design, struct tw_timers *timers,
                 const struct stream *stream, enum plan_drive drive, struct outcome_phase *phases,
                 struct replay_proof *proof, struct diag *diag);

/* One pass that looks at the arena at most some thousand times, then stops every timer.  Fills
 * allocated, resident, peak and retained; `opened_bytes` is what was allocated after open. */
void replay_memory(const struct tw_backend *design, struct tw_timers *timers,
                   const struct stream *stream, enum plan_drive drive, const struct arena *arena,
                   uint64_t opened_bytes, struct outcome_memory *memory);

/* Kinds of calls: an advance may find something due, or nothing. */
enum replay_call { REPLAY_START, REPLAY_STOP, REPLAY_FIRE, REPLAY_EMPTY, REPLAY_CALLS };

/* Calls of start, stop and advance in a phase, restarts inside callbacks apart. */
uint64_t replay_call_count(const struct stream_phase *phase);

/* One pass that writes the enum replay_call of each call into kinds[], in the order in which the
 * stream makes them; there is room for all of them.  Fills digest and fired. */
void replay_calls(const struct tw_backend *design, struct tw_timers *timers,
                  const struct stream *stream, uint8_t *kinds, struct replay_pass *pass);

/* One pass whose calls go through `steps` where chosen[] is true; one element for each call. */
void replay_steps(const struct tw_backend *design, struct tw_timers *timers,
                  const struct stream *stream, const bool *chosen, struct steps *steps);

#endif
