/* replay.c - loops over a stream's words, in eight ways.
 *
 * The loop is written once, as replay_words, an inline function over a `struct driver` of four
 * operations; each way of replaying is an instance of it with its own driver, and the compiler
 * makes the timed one as lean as if it had been written by hand: one indirect call per operation.
 *
 * DRIVING.  By ticks, every advance of the stream is made.  By next, advances of the stream only add
 * up to the next moment at which it does something else; until then the clock goes from one expiry
 * that the design names straight to the other, as a tickless kernel or an event loop sleeps.
 */
#include "harness/measure/run/replay.h"

#include "harness/measure/run/instance.h"
#include "harness/measure/sched/answers.h"
#include "impls/registry.h"

#define WORK_MAX (UINT64_C(1) << 53)

#define CLOCK_READINGS 3

#define ALWAYS_INLINE static inline __attribute__((always_inline))

/* The hooks of the design are copied here: one load less per call than through its table. */
struct replay {
    struct tw_timers *timers;
    int (*start)(struct tw_timers *timers, tw_id id, tw_tick deadline);
    int (*stop)(struct tw_timers *timers, tw_id id);
    void (*advance)(struct tw_timers *timers, tw_tick to, tw_expire_fn *expire, void *ctx);
    const struct tw_backend *design;
    const uint32_t *restart, *period; /* of the phase */
    tw_expire_fn *expire;             /* by them */
    tw_tick now;                      /* outside callbacks */
    uint64_t digest, fired, refused;
    tw_tick (*next)(const struct tw_timers *timers);
    enum plan_drive drive;
    struct gap *gap;
};

struct driver {
    bool (*start)(struct replay *replay, tw_id id, tw_tick deadline); /* false: refused */
    void (*stop)(struct replay *replay, tw_id id);
    void (*advance)(struct replay *replay, tw_tick to);
    tw_tick (*next)(struct replay *replay);
};

static uint64_t word_pair(const uint32_t *words)
{
    return (uint64_t)words[1] << 32 | words[0];
}

/* Driven by next, up to a moment of the stream. */
ALWAYS_INLINE void replay_reach(struct replay *replay, tw_tick moment, const struct driver driver)
{
    while (replay->now < moment) {
        tw_tick next = driver.next(replay);
        driver.advance(replay, replay->now = next < moment ? next : moment);
    }
}

/* `by_next` is a constant wherever this is made an instance of. */
ALWAYS_INLINE void replay_words(struct replay *replay, const uint32_t *word, const uint32_t *end,
                                const struct driver driver, bool by_next)
{
    uint64_t refused = 0; /* in a register, where the next call does not wait for it */
    tw_tick moment = replay->now;
    while (word < end) {
        enum stream_code code = (enum stream_code)(*word >> STREAM_COUNT_BITS);
        uint32_t count = *word++ & STREAM_COUNT_MAX;
        if (by_next && code == STREAM_TICKS) {
            moment += count;
            continue;
        }
        if (by_next && code == STREAM_JUMP) {
            for (; count > 0; count--, word += 2)
                moment += word_pair(word);
            continue;
        }
        if (by_next)
            replay_reach(replay, moment, driver);
        switch (code) {
        case STREAM_START:
            for (; count > 0; count--, word += 2)
                refused += !driver.start(replay, word[0], stream_deadline(replay->now, word[1]));
            break;
        case STREAM_START_FAR:
            for (; count > 0; count--, word += 3)
                refused += !driver.start(
                    replay, word[0], stream_deadline(replay->now, (int64_t)word_pair(word + 1)));
            break;
        case STREAM_STOP:
            for (; count > 0; count--, word++)
                driver.stop(replay, *word);
            break;
        case STREAM_TICKS:
            for (; count > 0; count--)
                driver.advance(replay, ++replay->now);
            break;
        case STREAM_JUMP:
            for (; count > 0; count--, word += 2)
                driver.advance(replay, replay->now += word_pair(word));
            break;
        }
    }
    if (by_next)
        replay_reach(replay, moment, driver);
    replay->refused += refused;
}

static struct replay replay_begin(const struct tw_backend *design, struct tw_timers *timers,
                                  enum plan_drive drive)
{
    return (struct replay){
        .timers = timers,
        .start = design->start,
        .stop = design->stop,
        .advance = design->advance,
        .next = design->next,
        .design = design,
        .drive = drive,
    };
}

static bool is_refused(int status)
{
    return status < 0;
}

/* ---- replay_time ----------------------------------------------------------------------------- */

static void expire_idle(void *ctx, tw_id id, tw_tick now)
{
    struct replay *replay = ctx;
    replay->digest += stream_mix(id, now);
    replay->fired++;
}

static void expire_restart(void *ctx, tw_id id, tw_tick now)
{
    struct replay *replay = ctx;
    uint64_t mix = stream_mix(id, now);
    replay->digest += mix;
    replay->fired++;
    tw_tick deadline = stream_deadline(now, stream_restart_delay(replay->restart, mix));
    replay->refused += is_refused(replay->start(replay->timers, id, deadline));
}

static void expire_period(void *ctx, tw_id id, tw_tick now)
{
    struct replay *replay = ctx;
    uint64_t mix = stream_mix(id, now);
    replay->digest += mix;
    replay->fired++;
    uint64_t delay = stream_next_delay(replay->restart, replay->period, id, mix);
    tw_tick deadline = stream_deadline(now, (int64_t)delay);
    replay->refused += is_refused(replay->start(replay->timers, id, deadline));
}

static void rule_set(struct replay *replay, const struct stream_phase *phase)
{
    replay->restart = phase->restart;
    replay->period = phase->period;
    replay->expire = phase->period ? expire_period : phase->restart ? expire_restart : expire_idle;
}

ALWAYS_INLINE bool plain_start(struct replay *replay, tw_id id, tw_tick deadline)
{
    return !is_refused(replay->start(replay->timers, id, deadline));
}

ALWAYS_INLINE void plain_stop(struct replay *replay, tw_id id)
{
    replay->stop(replay->timers, id);
}

/* The phase's rule was chosen with the phase: no call and no expiry has to ask for it. */
ALWAYS_INLINE void plain_advance(struct replay *replay, tw_tick to)
{
    replay->advance(replay->timers, to, replay->expire, replay);
}

ALWAYS_INLINE tw_tick plain_next(struct replay *replay)
{
    return replay->next(replay->timers);
}

typedef void words_fn(struct replay *replay, const uint32_t *word, const uint32_t *end);

static void replay_words_timed(struct replay *replay, const uint32_t *word, const uint32_t *end)
{
    static const struct driver driver = {plain_start, plain_stop, plain_advance, plain_next};
    replay_words(replay, word, end, driver, false);
}

static void replay_words_by_next(struct replay *replay, const uint32_t *word, const uint32_t *end)
{
    static const struct driver driver = {plain_start, plain_stop, plain_advance, plain_next};
    replay_words(replay, word, end, driver, true);
}

/* ---- With something between the calls. ------------------------------------------------------- */

/* Each has a loop of its own, so that calls back to back have nothing to ask. */

/* The instance waits as well as the operands do: what a design reads first it finds by either.  All is in registers
 * before, so that little is left to end behind the steps. */
#define DRIVE_APART(between, work)                                                                 \
    ALWAYS_INLINE bool start_##between(struct replay *replay, tw_id id, tw_tick deadline)          \
    {                                                                                              \
        int (*start)(struct tw_timers *, tw_id, tw_tick) = replay->start;                          \
        uintptr_t timers = (uintptr_t)replay->timers;                                              \
        uint64_t zero = replay->gap->zero;                                                         \
        __asm__ volatile("" : "+r"(start), "+r"(timers), "+r"(id), "+r"(deadline), "+r"(zero));    \
        work;                                                                                      \
        zero = gap_steps(zero);                                                                    \
        int status = start((struct tw_timers *)(timers + (uintptr_t)zero), id + (tw_id)zero,       \
                           deadline + zero);                                                       \
        gap_fence();                                                                               \
        return !is_refused(status);                                                                \
    }                                                                                              \
    ALWAYS_INLINE void stop_##between(struct replay *replay, tw_id id)                             \
    {                                                                                              \
        int (*stop)(struct tw_timers *, tw_id) = replay->stop;                                     \
        uintptr_t timers = (uintptr_t)replay->timers;                                              \
        uint64_t zero = replay->gap->zero;                                                         \
        __asm__ volatile("" : "+r"(stop), "+r"(timers), "+r"(id), "+r"(zero));                     \
        work;                                                                                      \
        zero = gap_steps(zero);                                                                    \
        stop((struct tw_timers *)(timers + (uintptr_t)zero), id + (tw_id)zero);                    \
        gap_fence();                                                                               \
    }                                                                                              \
    ALWAYS_INLINE void advance_##between(struct replay *replay, tw_tick to)                        \
    {                                                                                              \
        uint64_t zero = replay->gap->zero;                                                         \
        uintptr_t timers = (uintptr_t)replay->timers;                                              \
        __asm__ volatile("" : "+r"(timers), "+r"(to), "+r"(zero));                                 \
        work;                                                                                      \
        zero = gap_steps(zero);                                                                    \
        replay->advance((struct tw_timers *)(timers + (uintptr_t)zero), to + zero, replay->expire, \
                        replay);                                                                   \
        gap_fence();                                                                               \
    }                                                                                              \
    ALWAYS_INLINE tw_tick next_##between(struct replay *replay)                                    \
    {                                                                                              \
        uint64_t zero = replay->gap->zero;                                                         \
        uintptr_t timers = (uintptr_t)replay->timers;                                              \
        __asm__ volatile("" : "+r"(timers), "+r"(zero));                                           \
        work;                                                                                      \
        tw_tick next = replay->next((struct tw_timers *)(timers + (uintptr_t)gap_steps(zero)));    \
        gap_fence();                                                                               \
        return next;                                                                               \
    }                                                                                              \
    static void replay_words_##between(struct replay *replay, const uint32_t *word,                \
                                       const uint32_t *end)                                        \
    {                                                                                              \
        static const struct driver driver = {start_##between, stop_##between, advance_##between,   \
                                             next_##between};                                      \
        if (replay->drive == PLAN_DRIVE_NEXT)                                                      \
            replay_words(replay, word, end, driver, true);                                         \
        else                                                                                       \
            replay_words(replay, word, end, driver, false);                                        \
    }

DRIVE_APART(chained, (void)0)
DRIVE_APART(behind, (gap_work(replay->gap), gap_fence()))

/* ---- Batches. -------------------------------------------------------------------------------- */

struct batch_replay {
    struct replay base;
    const struct tw_batch *batch; /* NULL: the design has none */
    uint32_t size, count;
    bool are_stops;
    tw_tick clock; /* to which it was advanced */
    tw_id ids[PLAN_BATCH_MAX];
    tw_tick deadlines[PLAN_BATCH_MAX];
    int8_t statuses[PLAN_BATCH_MAX];
};

static void flush_singly(struct batch_replay *replay)
{
    struct replay *base = &replay->base;
    for (uint32_t i = 0; i < replay->count; i++)
        if (replay->are_stops)
            base->stop(base->timers, replay->ids[i]);
        else
            base->refused +=
                is_refused(base->start(base->timers, replay->ids[i], replay->deadlines[i]));
}

static void batch_flush(struct batch_replay *replay)
{
    struct replay *base = &replay->base;
    if (replay->count == 0)
        return;
    if (!replay->batch)
        flush_singly(replay);
    else if (replay->are_stops)
        replay->batch->stop_many(base->timers, replay->ids, replay->count, replay->statuses);
    else
        base->refused += replay->batch->start_many(base->timers, replay->ids, replay->deadlines,
                                                   replay->count, replay->statuses);
    replay->count = 0;
}

ALWAYS_INLINE void batch_add(struct batch_replay *replay, bool is_stop, tw_id id, tw_tick deadline)
{
    if (replay->are_stops != is_stop)
        batch_flush(replay);
    replay->are_stops = is_stop;
    replay->ids[replay->count] = id;
    replay->deadlines[replay->count] = deadline;
    if (++replay->count == replay->size)
        batch_flush(replay);
}

/* What is refused is counted when the batch is made. */
ALWAYS_INLINE bool batch_start(struct replay *base, tw_id id, tw_tick deadline)
{
    batch_add((struct batch_replay *)base, false, id, deadline);
    return true;
}

ALWAYS_INLINE void batch_stop(struct replay *base, tw_id id)
{
    batch_add((struct batch_replay *)base, true, id, 0);
}

static void expire_restart_batched(void *ctx, tw_id id, tw_tick now)
{
    struct replay *replay = ctx;
    uint64_t mix = stream_mix(id, now);
    replay->digest += mix;
    replay->fired++;
    batch_start(replay, id, stream_deadline(now, stream_restart_delay(replay->restart, mix)));
}

/* Restarts wait for the end of a single tick, at which the clock still is what the callback saw.  In a jump they
 * cannot: they may be due within it. */
ALWAYS_INLINE void batch_advance(struct replay *base, tw_tick to)
{
    struct batch_replay *replay = (struct batch_replay *)base;
    batch_flush(replay);
    bool is_collected = base->expire == expire_restart && to - replay->clock == 1;
    replay->clock = to;
    base->advance(base->timers, to, is_collected ? expire_restart_batched : base->expire, base);
    batch_flush(replay);
}

static tw_tick batch_next(struct replay *base)
{
    batch_flush((struct batch_replay *)base);
    return plain_next(base);
}

static void replay_words_batched(struct replay *replay, const uint32_t *word, const uint32_t *end)
{
    static const struct driver driver = {batch_start, batch_stop, batch_advance, batch_next};
    if (replay->drive == PLAN_DRIVE_NEXT)
        replay_words(replay, word, end, driver, true);
    else
        replay_words(replay, word, end, driver, false);
    batch_flush((struct batch_replay *)replay);
}

/* Fills all but the arrays, and answers the loop. */
static words_fn *timed_begin(struct batch_replay *replay, const struct tw_backend *design,
                             struct tw_timers *timers, const struct plan_cell *plan,
                             struct gap *gap)
{
    replay->base = replay_begin(design, timers, plan->drive);
    replay->batch = registry_part(design, "batch");
    if (!replay->batch)
        replay->batch = plugins_symbol(design, "tw_plugin_batch");
    replay->size = plan->batch;
    replay->count = 0;
    replay->are_stops = false;
    replay->clock = 0;
    replay->base.gap = gap;
    if (gap && plan->between >= PLAN_BETWEEN_CHAIN)
        return plan->between == PLAN_BETWEEN_CHAIN ? replay_words_chained : replay_words_behind;
    if (plan->batch > 1)
        return replay_words_batched;
    return plan->drive == PLAN_DRIVE_NEXT ? replay_words_by_next : replay_words_timed;
}

/* For the ways of replaying that are not timed: either drive. */
ALWAYS_INLINE void replay_phase_words(struct replay *replay, const struct stream *stream,
                                      const struct stream_phase *phase, const struct driver driver)
{
    const uint32_t *begin = stream->words + phase->begin, *end = stream->words + phase->end;
    rule_set(replay, phase);
    if (replay->drive == PLAN_DRIVE_NEXT)
        replay_words(replay, begin, end, driver, true);
    else
        replay_words(replay, begin, end, driver, false);
}

uint64_t replay_phase_work(const struct stream_phase *phase, uint64_t fired)
{
    uint64_t operations = phase->counts.starts + phase->counts.stops + fired;
    operations += stream_restarts(phase) ? fired : 0;
    return operations > 0 ? operations : phase->counts.advances;
}

/* Readings of the two clocks around a phase.  Wall time lies inside: its clock is read in some 20 ns, that of the
 * thread's CPU time by a system call, which takes 0.2 to 4 us by what the caches hold. */
struct clocks {
    uint64_t wall_ns, cpu_ns;
};

ALWAYS_INLINE struct clocks clocks_begin(void)
{
    uint64_t cpu_ns = clock_read_ns(CLOCK_THREAD_CPUTIME_ID);
    return (struct clocks){.wall_ns = clock_read_ns(CLOCK_MONOTONIC), .cpu_ns = cpu_ns};
}

ALWAYS_INLINE struct clocks clocks_since(struct clocks begin)
{
    uint64_t wall_ns = clock_read_ns(CLOCK_MONOTONIC) - begin.wall_ns;
    return (struct clocks){wall_ns, clock_read_ns(CLOCK_THREAD_CPUTIME_ID) - begin.cpu_ns};
}

/* Of an empty phase: the least of some. */
static struct clocks clocks_cost(void)
{
    struct clocks least = {UINT64_MAX, UINT64_MAX};
    for (int i = 0; i < CLOCK_READINGS; i++) {
        struct clocks cost = clocks_since(clocks_begin());
        least.wall_ns = cost.wall_ns < least.wall_ns ? cost.wall_ns : least.wall_ns;
        least.cpu_ns = cost.cpu_ns < least.cpu_ns ? cost.cpu_ns : least.cpu_ns;
    }
    return least;
}

static double without(uint64_t taken_ns, uint64_t cost_ns)
{
    return taken_ns > cost_ns ? (double)(taken_ns - cost_ns) : 0;
}

static void look_at(void *ctx, const struct tw_view *view)
{
    stream_state_add(ctx, view->id, view->deadline);
}

static void look(const struct tw_backend *design, const struct tw_timers *timers,
                 const struct stream *stream, size_t phase, struct replay_pass *pass)
{
    bool is_last = phase + 1 == stream->phase_count;
    if (pass->look == REPLAY_LOOK_NEVER || (pass->look == REPLAY_LOOK_END && !is_last))
        return;
    uint64_t begin_ns = clock_read_ns(CLOCK_MONOTONIC);
    pass->states[phase] = (struct stream_state){0};
    design->visit(timers, look_at, &pass->states[phase]);
    pass->look_ns += clock_read_ns(CLOCK_MONOTONIC) - begin_ns;
}

bool replay_states_are_right(const struct tw_backend *design, const struct stream *stream,
                             const struct replay_pass *pass, char *reason)
{
    const struct tw_traits *traits = &design->traits;
    bool is_exact = instance_is_exact(design, stream);
    uint64_t fired = 0;
    size_t first = pass->look == REPLAY_LOOK_PHASES ? 0 : stream->phase_count - 1;
    if (pass->look == REPLAY_LOOK_NEVER || (traits->flags & TW_KEEPS_NOTHING))
        return true;
    for (size_t i = 0; i < stream->phase_count; i++) {
        const struct stream_state *shown = &pass->states[i], *right = &stream->expected.states[i];
        fired += stream->expected.fired_in[i];
        if (i < first || (!is_exact && fired > 0) ||
            (shown->running == right->running && shown->ids == right->ids &&
             (!is_exact || shown->dues == right->dues)))
            continue;
        snprintf(reason, 400,
                 "after the timed phase %s visit shows %" PRIu64 " timers; the oracle says %" PRIu64
                 "%s",
                 stream->phases[i].name, shown->running, right->running,
                 shown->running == right->running ? ", others or due at other ticks" : "");
        return false;
    }
    return true;
}

void replay_time(const struct tw_backend *design, struct tw_timers *timers,
                 const struct stream *stream, const struct plan_cell *plan, struct gap *gap,
                 struct replay_pass *pass)
{
    const struct clocks cost = clocks_cost();
    struct batch_replay batched;
    words_fn *replay_all = timed_begin(&batched, design, timers, plan, gap);
    struct replay *replay = &batched.base;
    for (size_t i = 0; i < stream->phase_count; i++) {
        const struct stream_phase *phase = &stream->phases[i];
        uint64_t fired = replay->fired, refused = replay->refused;
        rule_set(replay, phase);
        struct clocks begin = clocks_begin();
        replay_all(replay, stream->words + phase->begin, stream->words + phase->end);
        struct clocks taken = clocks_since(begin);
        pass->phases[i] = (struct replay_phase){
            .wall_ns = without(taken.wall_ns, cost.wall_ns),
            .cpu_ns = without(taken.cpu_ns, cost.cpu_ns),
            .fired = replay->fired - fired,
            .refused = replay->refused - refused,
            .work = replay_phase_work(phase, replay->fired - fired),
        };
        look(design, timers, stream, i, pass);
    }
    pass->digest = replay->digest;
    pass->fired = replay->fired;
}

/* ---- replay_count ---------------------------------------------------------------------------- */

/* The very function that replay_time runs, so that instructions and times are of one code. */
void replay_count(const struct tw_backend *design, struct tw_timers *timers,
                  const struct stream *stream, const struct plan_cell *plan, struct gap *gap,
                  const struct counters *counters, struct counters_reading *totals,
                  struct replay_pass *pass)
{
    struct batch_replay batched;
    words_fn *replay_all = timed_begin(&batched, design, timers, plan, gap);
    struct replay *replay = &batched.base;
    for (size_t i = 0; i < stream->phase_count; i++) {
        const struct stream_phase *phase = &stream->phases[i];
        struct counters_reading begin;
        uint64_t fired = replay->fired;
        rule_set(replay, phase);
        counters_begin(counters, &begin);
        replay_all(replay, stream->words + phase->begin, stream->words + phase->end);
        counters_end(counters, &begin, &totals[i]);
        pass->phases[i].work = replay_phase_work(phase, replay->fired - fired);
    }
    pass->digest = replay->digest;
    pass->fired = replay->fired;
}

/* ---- replay_latency -------------------------------------------------------------------------- */

/* One start or stop in so many is timed: a prime, so that it does not beat with the stream. */
#define LATENCY_SAMPLING 17u

struct latency_replay {
    struct replay base; /* first, so that callbacks and drivers see a struct replay */
    const struct cycles *cycles;
    struct histogram *histograms; /* of the phase, by enum outcome_operation */
    uint32_t countdown;
};

ALWAYS_INLINE void latency_add(struct latency_replay *replay, enum outcome_operation operation,
                               uint64_t begin, uint64_t end)
{
    histogram_add(&replay->histograms[operation], cycles_elapsed_ps(replay->cycles, begin, end));
}

ALWAYS_INLINE bool latency_is_sampled(struct latency_replay *replay)
{
    if (--replay->countdown > 0)
        return false;
    replay->countdown = LATENCY_SAMPLING;
    return true;
}

static bool latency_start(struct replay *base, tw_id id, tw_tick deadline)
{
    struct latency_replay *replay = (struct latency_replay *)base;
    if (!latency_is_sampled(replay))
        return plain_start(base, id, deadline);
    uint64_t begin = cycles_begin();
    bool started = plain_start(base, id, deadline);
    latency_add(replay, OUTCOME_START, begin, cycles_end());
    return started;
}

static void latency_stop(struct replay *base, tw_id id)
{
    struct latency_replay *replay = (struct latency_replay *)base;
    if (!latency_is_sampled(replay)) {
        plain_stop(base, id);
        return;
    }
    uint64_t begin = cycles_begin();
    plain_stop(base, id);
    latency_add(replay, OUTCOME_STOP, begin, cycles_end());
}

static void latency_advance(struct replay *base, tw_tick to)
{
    uint64_t begin = cycles_begin();
    plain_advance(base, to);
    latency_add((struct latency_replay *)base, OUTCOME_ADVANCE, begin, cycles_end());
}

static tw_tick latency_next(struct replay *base)
{
    uint64_t begin = cycles_begin();
    tw_tick next = plain_next(base);
    latency_add((struct latency_replay *)base, OUTCOME_NEXT, begin, cycles_end());
    return next;
}

void replay_latency(const struct tw_backend *design, struct tw_timers *timers,
                    const struct stream *stream, enum plan_drive drive, const struct cycles *cycles,
                    struct outcome_phase *phases)
{
    static const struct driver driver = {latency_start, latency_stop, latency_advance,
                                         latency_next};
    struct latency_replay replay = {
        .base = replay_begin(design, timers, drive),
        .cycles = cycles,
        .countdown = LATENCY_SAMPLING,
    };
    for (size_t i = 0; i < stream->phase_count; i++) {
        replay.histograms = phases[i].latency;
        replay_phase_words(&replay.base, stream, &stream->phases[i], driver);
    }
}

/* ---- replay_tail ----------------------------------------------------------------------------- */

/* A call this long may have lost the core: then the clock of the thread tells. */
#define TAIL_LOOK_PS UINT64_C(10000000)
/* And so often anyway, so that what was lost elsewhere is not taken off a call. */
#define TAIL_LOOK_EVERY 64u

struct tail_replay {
    struct replay base;
    const struct cycles *cycles;
    struct tail_recorder *recorder; /* of the phase */
    uint64_t longest_ps;            /* of the phase, less what the core was lost for */
    uint64_t lost_ns; /* wall time less processor time of the thread, when looked at last */
    uint32_t countdown;
};

static uint64_t tail_lost_ns(void)
{
    uint64_t cpu_ns = clock_read_ns(CLOCK_THREAD_CPUTIME_ID);
    return clock_read_ns(CLOCK_MONOTONIC) - cpu_ns;
}

/* Outside of what is timed. */
static void tail_look(struct tail_replay *replay, uint64_t ps)
{
    uint64_t lost_ns = tail_lost_ns();
    uint64_t lost_ps = lost_ns > replay->lost_ns ? (lost_ns - replay->lost_ns) * 1000 : 0;
    uint64_t own_ps = ps > lost_ps ? ps - lost_ps : 0;
    if (own_ps > replay->longest_ps)
        replay->longest_ps = own_ps;
    replay->lost_ns = lost_ns;
    replay->countdown = TAIL_LOOK_EVERY;
}

static void tail_advance(struct replay *base, tw_tick to)
{
    struct tail_replay *replay = (struct tail_replay *)base;
    uint64_t begin = cycles_begin();
    plain_advance(base, to);
    uint64_t ps = cycles_elapsed_ps(replay->cycles, begin, cycles_end());
    tail_add(replay->recorder, ps);
    if (--replay->countdown == 0 || ps > TAIL_LOOK_PS)
        tail_look(replay, ps);
    else if (ps > replay->longest_ps)
        replay->longest_ps = ps;
}

void replay_tail(const struct tw_backend *design, struct tw_timers *timers,
                 const struct stream *stream, enum plan_drive drive, const struct cycles *cycles,
                 struct tail_recorder *recorders, struct replay_pass *pass)
{
    static const struct driver driver = {plain_start, plain_stop, tail_advance, plain_next};
    struct tail_replay replay = {.base = replay_begin(design, timers, drive), .cycles = cycles};
    for (size_t i = 0; i < stream->phase_count; i++) {
        replay.recorder = &recorders[i];
        replay.longest_ps = 0;
        replay.lost_ns = tail_lost_ns();
        replay.countdown = TAIL_LOOK_EVERY;
        replay_phase_words(&replay.base, stream, &stream->phases[i], driver);
        tail_end_pass(replay.recorder, replay.longest_ps);
    }
    pass->digest = replay.base.digest;
    pass->fired = replay.base.fired;
}

/* ---- replay_prove ---------------------------------------------------------------------------- */

struct prove_replay {
    struct replay base;
    struct replay_proof *proof;
    tw_tick *due; /* by id; TW_NEVER: idle */
    tw_tick *
        last; /* by id: the last tick at which a running timer may fire; of an exact design `due` */
    uint64_t running, max_pending; /* a cap of 0 is none */
    struct histogram late_ns;
    double late_sum_ticks, late_sum_ns;
    uint64_t tick_ns;
    const uint64_t *start_slack_ns;   /* of the next explicit start; NULL: all are exact */
    const uint64_t *restart_slack_ns; /* of the phase, likewise */
    uint64_t *slacks_ns;              /* by id, of running timers; NULL: all are exact */
    struct outcome_phase *phase;      /* that is being replayed */
    const struct tw_work *work;       /* NULL from a timed design */
    struct histogram advance_work;    /* of the phase */
    tw_tick next;                     /* what the design named last */
    tw_tick clock;                    /* where the last advance went */
    uint32_t capacity;
};

/* What was found first is what counts. */
static __attribute__((format(printf, 2, 3))) void prove_break(struct prove_replay *replay,
                                                              const char *format, ...)
{
    struct replay_proof *proof = replay->proof;
    va_list args;
    va_start(args, format);
    if (proof->broken[0] == '\0')
        vsnprintf(proof->broken, sizeof proof->broken, format, args);
    va_end(args);
}

static void prove_fail(struct prove_replay *replay, const char *what, tw_id id, tw_tick now)
{
    prove_break(replay, "%s: timer %" PRIu32 ", due %" PRIu64 ", at tick %" PRIu64, what, id,
                replay->due[id], now);
}

static void prove_refused(struct prove_replay *replay, int status, tw_id id, tw_tick deadline,
                          tw_tick now)
{
    struct replay_proof *proof = replay->proof;
    if (proof->broken[0] != '\0')
        return;
    struct tw_description description;
    uint32_t before = replay_enter(&proof->pulse, REPLAY_IN_DESCRIBE);
    bool described =
        answers_describe(replay->base.design, replay->base.timers, &description, proof->broken);
    replay_leave(&proof->pulse, before);
    if (!described)
        return;
    proof->refused = true;
    if (status == TW_REFUSED_RANGE)
        prove_break(replay,
                    "start refused: a delay of %" PRIu64 " ticks at tick %" PRIu64
                    " is beyond the span of %" PRIu64 " ticks (timer %" PRIu32 ")",
                    deadline - now, now, description.span, id);
    else
        prove_break(replay, "start refused: %s (timer %" PRIu32 " at tick %" PRIu64 ")",
                    status == TW_REFUSED_MEMORY ? "no memory" : "too many pending", id, now);
}

/* Calls start and holds its answer to the model; false when refused.  `now` is the tick being
 * processed. */
static bool prove_start_at(struct prove_replay *replay, tw_id id, tw_tick deadline, tw_tick now,
                           uint64_t slack_ns)
{
    const struct tw_traits *traits = &replay->base.design->traits;
    struct replay_pulse *pulse = &replay->proof->pulse;
    uint32_t before = replay_enter(pulse, REPLAY_IN_START);
    int status = replay->base.start(replay->base.timers, id, deadline);
    replay_leave(pulse, before);
    if (traits->flags & TW_KEEPS_NOTHING)
        return true;
    bool is_new = replay->due[id] == TW_NEVER;
    if (is_new && replay->max_pending > 0 && replay->running == replay->max_pending) {
        if (status != TW_REFUSED_FULL)
            prove_fail(replay, "a start beyond the cap on pending timers was not refused", id, now);
        return false;
    }
    if (is_refused(status)) {
        prove_refused(replay, status, id, deadline, now);
        return false;
    }
    replay->running += is_new;
    if (status != (is_new ? TW_OK : TW_REARMED))
        prove_fail(replay, "start answers idle for running, or running for idle", id, now);
    tw_tick due = deadline > now ? deadline : now + 1;
    uint64_t late =
        traits->late_ticks + (traits->late_shift ? (due - now) >> traits->late_shift : 0);
    replay->due[id] = due;
    replay->last[id] = late > TW_DEADLINE_MAX - due ? TW_DEADLINE_MAX : due + late;
    if (replay->slacks_ns)
        replay->slacks_ns[id] = slack_ns;
    return true;
}

static bool prove_start(struct replay *base, tw_id id, tw_tick deadline)
{
    struct prove_replay *replay = (struct prove_replay *)base;
    uint64_t slack_ns = replay->start_slack_ns ? *replay->start_slack_ns++ : 0;
    return prove_start_at(replay, id, deadline, base->now, slack_ns);
}

static void prove_stop(struct replay *base, tw_id id)
{
    struct prove_replay *replay = (struct prove_replay *)base;
    struct replay_pulse *pulse = &replay->proof->pulse;
    uint32_t before = replay_enter(pulse, REPLAY_IN_STOP);
    int status = base->stop(base->timers, id);
    replay_leave(pulse, before);
    if (base->design->traits.flags & TW_KEEPS_NOTHING)
        return;
    if (status != (replay->due[id] == TW_NEVER ? TW_IDLE : TW_OK))
        prove_fail(replay, "stop answers idle for running, or running for idle", id, base->now);
    replay->running -= replay->due[id] != TW_NEVER;
    replay->due[id] = TW_NEVER;
}

static void prove_lateness(struct prove_replay *replay, tw_id id, uint64_t ticks)
{
    struct replay_proof *proof = replay->proof;
    uint64_t late_ns = ticks * replay->tick_ns + (replay->slacks_ns ? replay->slacks_ns[id] : 0);
    if (ticks > proof->late_max_ticks)
        proof->late_max_ticks = ticks;
    if (late_ns > proof->precision.late_max_ns)
        proof->precision.late_max_ns = late_ns;
    histogram_add(&replay->late_ns, late_ns);
    replay->late_sum_ticks += (double)ticks;
    replay->late_sum_ns += (double)late_ns;
}

/* Restarts by the rule of the phase. */
static void prove_restart(struct prove_replay *replay, tw_id id, tw_tick now, uint64_t mix)
{
    const uint64_t *slacks_ns = replay->restart_slack_ns;
    uint64_t delay = stream_next_delay(replay->base.restart, replay->base.period, id, mix);
    uint64_t key = replay->base.period ? stream_mix(id, 0) : mix;
    uint64_t slack_ns = slacks_ns ? slacks_ns[key >> (64 - STREAM_RESTART_BITS)] : 0;
    tw_tick deadline = stream_deadline(now, (int64_t)delay);
    replay->proof->precision.below_tick += delay == 1 && slack_ns > 0;
    replay->base.refused += !prove_start_at(replay, id, deadline, now, slack_ns);
}

static void prove_expire(void *ctx, tw_id id, tw_tick now)
{
    struct prove_replay *replay = ctx;
    struct replay_proof *proof = replay->proof;
    uint64_t mix = stream_mix(id, now);
    proof->pulse.calls++;
    replay->base.digest += mix;
    replay->base.fired++;
    if (id >= replay->capacity) {
        prove_break(replay,
                    "a timer fired that does not exist: %" PRIu32 " of %" PRIu32
                    ", at tick %" PRIu64,
                    id, replay->capacity, now);
        return;
    }
    tw_tick due = replay->due[id];
    if (replay->base.drive == PLAN_DRIVE_NEXT && now != replay->base.now)
        prove_fail(replay, "next named a tick behind an expiry", id, now);
    if (due == TW_NEVER) {
        prove_fail(replay, "an idle timer fired", id, now);
    } else if (now < due) {
        proof->early++;
        prove_fail(replay, "a timer fired early", id, now);
    } else {
        if (now > replay->last[id])
            prove_fail(replay, "a timer fired later than declared", id, now);
        prove_lateness(replay, id, now - due);
    }
    replay->running -= due != TW_NEVER;
    replay->due[id] = TW_NEVER;
    if (replay->base.restart || replay->base.period)
        prove_restart(replay, id, now, mix);
}

static void prove_fail_next(struct prove_replay *replay, const char *what, tw_tick next)
{
    prove_break(replay,
                "next %s: it said %" PRIu64 " at tick %" PRIu64 ", with %" PRIu64 " timers running",
                what, next, replay->base.now, replay->running);
}

static bool keeps_nothing(const struct prove_replay *replay)
{
    return (replay->base.design->traits.flags & TW_KEEPS_NOTHING) != 0;
}

/* A next that does not get on would keep the clock where it is for ever. */
static tw_tick prove_next(struct replay *base)
{
    struct prove_replay *replay = (struct prove_replay *)base;
    struct replay_pulse *pulse = &replay->proof->pulse;
    uint32_t before = replay_enter(pulse, REPLAY_IN_NEXT);
    tw_tick next = plain_next(base);
    replay_leave(pulse, before);
    replay->phase->wakeups.next_calls++;
    if (!keeps_nothing(replay)) {
        if (next <= base->now)
            prove_fail_next(replay, "names a tick that is over", next);
        else if ((next == TW_NEVER) != (replay->running == 0))
            prove_fail_next(replay, "is never though timers run, or the opposite", next);
    }
    replay->next = next > base->now ? next : base->now + 1;
    return replay->next;
}

static uint64_t work_of_nodes(const struct tw_work *work)
{
    return work ? work->moves + work->visits + work->cascades : 0;
}

static bool next_is_exact(const struct prove_replay *replay)
{
    const struct tw_traits *traits = &replay->base.design->traits;
    return (traits->flags & TW_NEXT_EXACT) && !keeps_nothing(replay) && traits->late_ticks == 0 &&
           traits->late_shift == 0;
}

static void prove_advance(struct replay *base, tw_tick to)
{
    struct prove_replay *replay = (struct prove_replay *)base;
    struct outcome_wakeups *wakeups = &replay->phase->wakeups;
    uint64_t fired = base->fired, before = work_of_nodes(replay->work);
    struct replay_pulse *pulse = &replay->proof->pulse;
    pulse->ticks = to - replay->clock;
    replay->clock = to;
    uint32_t under_way = replay_enter(pulse, REPLAY_IN_ADVANCE);
    base->advance(base->timers, to, prove_expire, base);
    replay_leave(pulse, under_way);
    histogram_add(&replay->advance_work, work_of_nodes(replay->work) - before);
    replay->phase->advances++;
    wakeups->useful += base->fired > fired;
    if (base->drive != PLAN_DRIVE_NEXT)
        return;
    wakeups->to_moment += to != replay->next;
    if (to == replay->next && base->fired == fired && next_is_exact(replay))
        prove_fail_next(replay, "is declared exact and named a tick on which nothing fired", to);
}

/* Of whole numbers: the largest that falls into the bin in which the share is reached. */
static uint64_t count_quantile(const struct histogram *histogram, double share)
{
    double below = 0;
    for (uint32_t i = 0; i < HISTOGRAM_BINS; i++) {
        below += histogram->bins[i];
        uint64_t last = histogram_bin_low_ps(i + 1) - 1;
        if (below >= share * (double)histogram->count)
            return last < histogram->max_ps ? last : histogram->max_ps;
    }
    return histogram->max_ps;
}

/* A timer that should have fired by now and did not is lost. */
static void prove_end(struct prove_replay *replay, uint32_t capacity)
{
    for (tw_id id = 0; id < capacity; id++)
        if (replay->due[id] != TW_NEVER && replay->last[id] <= replay->base.now)
            prove_fail(replay, "a timer was lost", id, replay->base.now);
    struct replay_proof *proof = replay->proof;
    proof->digest = replay->base.digest;
    proof->fired = replay->base.fired;
    if (proof->fired == 0)
        return;
    proof->late_mean_ticks = replay->late_sum_ticks / (double)proof->fired;
    proof->precision.late_mean_ns = replay->late_sum_ns / (double)proof->fired;
    proof->precision.late_p50_ns = count_quantile(&replay->late_ns, 0.5);
    proof->precision.late_p99_ns = count_quantile(&replay->late_ns, 0.99);
}

static struct tw_work work_since(const struct tw_work *now, const struct tw_work *before)
{
#define SINCE(counter, since, meaning) .counter = now->counter - before->counter,
    return (struct tw_work){TW_WORK_COUNTERS(SINCE)};
#undef SINCE
}

/* Counters only grow; and a document's numbers are exact up to 2^53. */
static void prove_work(struct prove_replay *replay, const struct tw_work *work)
{
    const char *wrong = NULL;
#define TOO_MANY(counter, since, meaning) wrong = work->counter > WORK_MAX ? #counter : wrong;
    TW_WORK_COUNTERS(TOO_MANY)
#undef TOO_MANY
    if (wrong)
        prove_break(replay, "work answers wrongly: %s went back, or beyond 2^53", wrong);
}

/* Restarts inside callbacks count as starts. */
static void count_operations(const struct stream_phase *stated, uint64_t fired, uint64_t refused,
                             struct outcome_phase *phase)
{
    phase->starts = stated->counts.starts + (stream_restarts(stated) ? fired : 0);
    phase->stops = stated->counts.stops;
    phase->ticks = stated->counts.ticks;
    phase->expires = fired;
    phase->refused = refused;
}

static void prove_phase(struct prove_replay *replay, const struct stream *stream,
                        const struct stream_phase *stated, struct outcome_phase *phase)
{
    static const struct driver driver = {prove_start, prove_stop, prove_advance, prove_next};
    const struct tw_work *work = replay->work;
    struct tw_work before = work ? *work : (struct tw_work){0};
    uint64_t fired = replay->base.fired, refused = replay->base.refused;
    replay->phase = phase;
    replay->restart_slack_ns = stated->restart_slack_ns;
    replay->advance_work = (struct histogram){0};
    phase->advances = 0;
    phase->wakeups = (struct outcome_wakeups){0};
    replay_phase_words(&replay->base, stream, stated, driver);
    count_operations(stated, replay->base.fired - fired, replay->base.refused - refused, phase);
    phase->is_counted = work != NULL;
    if (!work)
        return;
    phase->work = work_since(work, &before);
    prove_work(replay, &phase->work);
    phase->advance_work = (struct outcome_advance_work){
        .max = replay->advance_work.max_ps,
        .p99 = count_quantile(&replay->advance_work, 0.99),
    };
}

int replay_prove(const struct tw_backend *design, struct tw_timers *timers,
                 const struct stream *stream, enum plan_drive drive, struct outcome_phase *phases,
                 struct replay_proof *proof, struct diag *diag)
{
    struct prove_replay replay = {
        .base = replay_begin(design, timers, drive),
        .proof = proof,
        .capacity = stream->capacity,
        .max_pending = stream->max_pending,
        .tick_ns = stream->tick_ns,
        .start_slack_ns = stream->slacks_ns,
        .due = malloc(stream->capacity * sizeof *replay.due),
    };
    bool late = design->traits.late_ticks > 0 || design->traits.late_shift > 0;
    replay.last = late ? calloc(stream->capacity, sizeof *replay.last) : replay.due;
    bool rounded = stream_is_rounded(stream);
    if (rounded)
        replay.slacks_ns = calloc(stream->capacity, sizeof *replay.slacks_ns);
    *proof = (struct replay_proof){.precision.below_tick = stream->below_tick};
    uint32_t before = replay_enter(&proof->pulse, REPLAY_IN_WORK);
    replay.work = design->work(timers);
    replay_leave(&proof->pulse, before);
    int status = DIAG_OK;
    if (replay.due && replay.last && (replay.slacks_ns || !rounded)) {
        memset(replay.due, 0xff, stream->capacity * sizeof *replay.due);
        for (size_t i = 0; i < stream->phase_count; i++)
            prove_phase(&replay, stream, &stream->phases[i], &phases[i]);
        prove_end(&replay, stream->capacity);
    } else {
        status = diag_run(diag, "no memory to check %" PRIu32 " timers", stream->capacity);
    }
    free(replay.due);
    if (late)
        free(replay.last);
    free(replay.slacks_ns);
    return status;
}

/* ---- replay_memory --------------------------------------------------------------------------- */

/* A look at the allocator takes microseconds; a replay takes about this many. */
#define MEMORY_LOOKS 2000u

struct memory_replay {
    struct replay base;
    const struct arena *arena;
    struct outcome_memory *memory;
    uint64_t operations, look_every, next_look, seen;
};

static void memory_look(struct memory_replay *replay)
{
    if (!arena_has_changed(replay->arena, &replay->seen))
        return;
    uint64_t allocated = arena_allocated_bytes(replay->arena);
    if (allocated <= replay->memory->peak_bytes)
        return;
    replay->memory->peak_bytes = allocated;
    replay->memory->resident_bytes = arena_resident_bytes(replay->arena);
}

static void memory_count(struct replay *base)
{
    struct memory_replay *replay = (struct memory_replay *)base;
    if (++replay->operations < replay->next_look)
        return;
    replay->next_look += replay->look_every;
    memory_look(replay);
}

static bool memory_start(struct replay *base, tw_id id, tw_tick deadline)
{
    bool started = plain_start(base, id, deadline);
    memory_count(base);
    return started;
}

static void memory_stop(struct replay *base, tw_id id)
{
    plain_stop(base, id);
    memory_count(base);
}

static void memory_advance(struct replay *base, tw_tick to)
{
    plain_advance(base, to);
    memory_count(base);
}

uint64_t replay_call_count(const struct stream_phase *phase)
{
    return phase->counts.starts + phase->counts.stops + phase->counts.advances;
}

static uint64_t stream_calls(const struct stream *stream)
{
    uint64_t calls = 0;
    for (size_t i = 0; i < stream->phase_count; i++)
        calls += replay_call_count(&stream->phases[i]);
    return calls;
}

void replay_memory(const struct tw_backend *design, struct tw_timers *timers,
                   const struct stream *stream, enum plan_drive drive, const struct arena *arena,
                   uint64_t opened_bytes, struct outcome_memory *memory)
{
    static const struct driver driver = {memory_start, memory_stop, memory_advance, plain_next};
    struct memory_replay replay = {
        .base = replay_begin(design, timers, drive),
        .arena = arena,
        .memory = memory,
        .look_every = stream_calls(stream) / MEMORY_LOOKS + 1,
    };
    memory_look(&replay);
    for (size_t i = 0; i < stream->phase_count; i++) {
        replay_phase_words(&replay.base, stream, &stream->phases[i], driver);
        memory_look(&replay);
    }
    memory->allocated_bytes = arena_allocated_bytes(arena);
    for (tw_id id = 0; id < stream->capacity; id++)
        design->stop(timers, id);
    /* Work that was put off (lazy stops) is done when the clock moves on. */
    design->advance(timers, replay.base.now + 1, expire_idle, &replay.base);
    uint64_t left = arena_allocated_bytes(arena);
    memory->retained_bytes = left > opened_bytes ? left - opened_bytes : 0;
}

/* ---- replay_calls ---------------------------------------------------------------------------- */

struct calls_replay {
    struct replay base;
    uint8_t *kind; /* of the next call */
};

static bool calls_start(struct replay *base, tw_id id, tw_tick deadline)
{
    *((struct calls_replay *)base)->kind++ = REPLAY_START;
    return plain_start(base, id, deadline);
}

static void calls_stop(struct replay *base, tw_id id)
{
    *((struct calls_replay *)base)->kind++ = REPLAY_STOP;
    plain_stop(base, id);
}

static void calls_advance(struct replay *base, tw_tick to)
{
    uint64_t fired = base->fired;
    plain_advance(base, to);
    *((struct calls_replay *)base)->kind++ = base->fired > fired ? REPLAY_FIRE : REPLAY_EMPTY;
}

void replay_calls(const struct tw_backend *design, struct tw_timers *timers,
                  const struct stream *stream, uint8_t *kinds, struct replay_pass *pass)
{
    static const struct driver driver = {calls_start, calls_stop, calls_advance, plain_next};
    struct calls_replay replay = {
        .base = replay_begin(design, timers, PLAN_DRIVE_TICKS),
        .kind = kinds,
    };
    for (size_t i = 0; i < stream->phase_count; i++)
        replay_phase_words(&replay.base, stream, &stream->phases[i], driver);
    pass->digest = replay.base.digest;
    pass->fired = replay.base.fired;
}

/* ---- replay_steps ---------------------------------------------------------------------------- */

/* A piece to step through takes one pointer, so the operands of its call stand here. */
struct steps_replay {
    struct replay base;
    const bool *chosen; /* is the next call? */
    struct steps *steps;
    tw_id id;
    tw_tick tick;
    bool started;
};

static void start_piece(void *ctx)
{
    struct steps_replay *replay = ctx;
    replay->started = plain_start(&replay->base, replay->id, replay->tick);
}

static void stop_piece(void *ctx)
{
    struct steps_replay *replay = ctx;
    plain_stop(&replay->base, replay->id);
}

static void advance_piece(void *ctx)
{
    struct steps_replay *replay = ctx;
    plain_advance(&replay->base, replay->tick);
}

static bool step_if_chosen(struct replay *base, tw_id id, tw_tick tick, void (*piece)(void *ctx))
{
    struct steps_replay *replay = (struct steps_replay *)base;
    if (!*replay->chosen++)
        return false;
    replay->id = id;
    replay->tick = tick;
    steps_through(replay->steps, piece, replay);
    return true;
}

static bool steps_start(struct replay *base, tw_id id, tw_tick deadline)
{
    return step_if_chosen(base, id, deadline, start_piece) ? ((struct steps_replay *)base)->started
                                                           : plain_start(base, id, deadline);
}

static void steps_stop(struct replay *base, tw_id id)
{
    if (!step_if_chosen(base, id, 0, stop_piece))
        plain_stop(base, id);
}

static void steps_advance(struct replay *base, tw_tick to)
{
    if (!step_if_chosen(base, 0, to, advance_piece))
        plain_advance(base, to);
}

void replay_steps(const struct tw_backend *design, struct tw_timers *timers,
                  const struct stream *stream, const bool *chosen, struct steps *steps)
{
    static const struct driver driver = {steps_start, steps_stop, steps_advance, plain_next};
    struct steps_replay replay = {
        .base = replay_begin(design, timers, PLAN_DRIVE_TICKS),
        .chosen = chosen,
        .steps = steps,
    };
    for (size_t i = 0; i < stream->phase_count; i++)
        replay_phase_words(&replay.base, stream, &stream->phases[i], driver);
}
