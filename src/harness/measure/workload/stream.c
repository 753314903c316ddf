/* stream.c - builds a stream: merges runs, keeps it within bounds, computes its identity.
 *
 * Appending is the hot path of every generator and importer, so what an operation costs is a few
 * compares and two or three stores; the words grow by doubling and are trimmed once at the end.
 */
#include "harness/measure/workload/stream.h"

#include "harness/base/memory.h"

/* XXH3, because it hashes hundreds of megabytes of words at the speed of memory; in the header,
 * because then nothing has to be linked. */
#define XXH_INLINE_ALL
#include <xxhash.h>

#include <assert.h>

enum failure { FAILURE_NONE, FAILURE_SIZE, FAILURE_CLOCK, FAILURE_LATE };

/* Of so many questions one looks at the clock. */
#define LOOK_EVERY 1024u

/* The public stream and what only its making needs. */
struct builder {
    struct stream stream;
    size_t room; /* words allocated */
    size_t run;  /* index of the header of the run that may grow; NO_RUN: none */
    tw_tick now;
    tw_tick longest;   /* longest delay so far */
    uint64_t id_bound; /* highest id + 1 */
    enum failure failure;
    unsigned asked; /* whether it is late */
    uint32_t *restarts[STREAM_PHASES_MAX],
        *periods[STREAM_PHASES_MAX];             /* phases[] points at them */
    uint64_t *restart_slacks[STREAM_PHASES_MAX]; /* and at these */
    size_t starts, slack_room;                   /* explicit starts; elements of slacks_ns */
};

#define NO_RUN SIZE_MAX

static struct builder *builder_of(struct stream *stream)
{
    return (struct builder *)stream;
}

struct stream *stream_new(const char *workload)
{
    struct builder *builder = memory_take(1, sizeof *builder);
    builder->run = NO_RUN;
    strncpy(builder->stream.workload, workload, STREAM_NAME_SIZE - 1);
    return &builder->stream;
}

void stream_free(struct stream *stream)
{
    if (!stream)
        return;
    struct builder *builder = builder_of(stream);
    for (size_t i = 0; i < STREAM_PHASES_MAX; i++) {
        free(builder->restarts[i]);
        free(builder->periods[i]);
        free(builder->restart_slacks[i]);
    }
    for (size_t i = 1; stream->passes && i < stream->passes->count; i++)
        stream_free(stream->passes->others[i - 1]);
    if (stream->passes) {
        free(stream->passes->others);
        free(stream->passes->words);
    }
    free(stream->passes);
    free(stream->slacks_ns);
    free(stream->schedule.run_time);
    free(stream->words);
    free(stream->spec_json);
    free(builder);
}

/* ---- Passes. --------------------------------------------------------------------------------- */

/* Words of a stream that is worth copying: more do not stay near anyway. */
#define DESK_WORDS ((size_t)1 << 20)

uint64_t stream_operations(const struct stream *stream)
{
    uint64_t operations = 0;
    for (size_t i = 0; i < stream->phase_count; i++) {
        const struct stream_phase *phase = &stream->phases[i];
        uint64_t fired = stream->expected.fired_in[i];
        operations += phase->counts.starts + phase->counts.stops + phase->counts.advances + fired +
                      (stream_restarts(phase) ? fired : 0);
    }
    return operations;
}

/* Lets go of a table that the owner has too. */
static void table_share(uint32_t **own, const uint32_t **used, const uint32_t *owners)
{
    if (!*own || !owners || memcmp(*own, owners, STREAM_RESTART_SIZE * sizeof **own) != 0)
        return;
    free(*own);
    *own = NULL;
    *used = owners;
}

void stream_add_pass(struct stream *owner, struct stream *other)
{
    struct builder *builder = builder_of(other);
    struct stream_passes *passes = owner->passes;
    for (size_t i = 0; i < other->phase_count; i++) {
        struct stream_phase *phase = &other->phases[i];
        table_share(&builder->restarts[i], &phase->restart, owner->phases[i].restart);
        table_share(&builder->periods[i], &phase->period, owner->phases[i].period);
        free(builder->restart_slacks[i]);
        builder->restart_slacks[i] = NULL;
        phase->restart_slack_ns = NULL;
    }
    free(other->slacks_ns);
    other->slacks_ns = NULL;
    other->slack = owner->slack;
    if (other->horizon < owner->horizon)
        other->horizon = owner->horizon;
    if (!passes) {
        passes = owner->passes = memory_take(1, sizeof *passes);
        passes->count = 1;
        passes->operations = stream_operations(owner);
        passes->words = memory_take(DESK_WORDS, sizeof *passes->words);
    }
    passes->operations += stream_operations(other);
    passes->others = memory_grow(passes->others, passes->count, sizeof *passes->others);
    passes->others[passes->count++ - 1] = other;
}

const struct stream *stream_of_pass(const struct stream *stream, uint64_t pass, uint64_t warmup)
{
    struct stream_passes *passes = stream->passes;
    if (!passes)
        return stream;
    size_t index = (size_t)((pass + passes->count - warmup % passes->count) % passes->count);
    const struct stream *next = index == 0 ? stream : passes->others[index - 1];
    if (next->word_count > DESK_WORDS)
        return next;
    passes->desk = *next;
    passes->desk.words = passes->words;
    memcpy(passes->words, next->words, next->word_count * sizeof *next->words);
    return &passes->desk;
}

uint64_t stream_hash_of_passes(const struct stream *stream)
{
    uint64_t hash = stream->hash;
    for (size_t i = 1; stream->passes && i < stream->passes->count; i++)
        hash = hash * UINT64_C(0x100000001b3) ^ stream->passes->others[i - 1]->hash;
    return hash;
}

bool stream_is_broken(struct stream *stream)
{
    struct builder *builder = builder_of(stream);
    if (builder->failure == FAILURE_NONE && builder->asked++ % LOOK_EVERY == 0 &&
        deadline_left_ns(&stream->until) == 0)
        builder->failure = FAILURE_LATE;
    return builder->failure != FAILURE_NONE;
}

int stream_late(const struct stream *stream, struct diag *diag)
{
    char tasks[48] = "", fewer[] = " or fewer tasks";
    if (stream->tasks > 0)
        snprintf(tasks, sizeof tasks, " of %" PRIu64 " tasks", stream->tasks);
    else
        fewer[0] = '\0'; /* a trace has its own */
    diag_run(diag,
             "%s: making the load%s took longer than its budget; expected a longer --budget%s",
             stream->workload, tasks, fewer);
    return DEADLINE_OVER;
}

static struct stream_phase *phase_current(struct stream *stream)
{
    assert(stream->phase_count > 0);
    return &stream->phases[stream->phase_count - 1];
}

/* Of STREAM_RESTART_SIZE elements of `size` bytes. */
static void *table_copy(const void *from, size_t size)
{
    void *table = memory_take(STREAM_RESTART_SIZE, size);
    return memcpy(table, from, STREAM_RESTART_SIZE * size);
}

static uint64_t table_longest(const uint32_t *table)
{
    uint32_t longest = 0;
    for (size_t i = 0; table && i < STREAM_RESTART_SIZE; i++)
        if (table[i] > longest)
            longest = table[i];
    return longest;
}

static void longest_note(struct builder *builder)
{
    const struct stream_phase *phase = phase_current(&builder->stream);
    uint64_t longest = table_longest(phase->restart) + table_longest(phase->period);
    if (longest > builder->longest)
        builder->longest = longest;
}

/* Makes room for `more` words; false, and the stream is broken, when there is none. */
static bool words_reserve(struct builder *builder, size_t more)
{
    size_t needed = builder->stream.word_count + more;
    if (stream_is_broken(&builder->stream))
        return false;
    if (needed <= builder->room)
        return true;
    if (needed > STREAM_WORDS_MAX) {
        builder->failure = FAILURE_SIZE;
        return false;
    }
    size_t room = builder->room ? builder->room * 2 : 1024;
    builder->stream.words = memory_grow(builder->stream.words, room, sizeof(uint32_t));
    builder->room = room;
    return true;
}

void stream_phase_begin(struct stream *stream, const char *name, const uint32_t *restart)
{
    assert(stream->phase_count < STREAM_PHASES_MAX);
    struct builder *builder = builder_of(stream);
    size_t index = stream->phase_count++;
    struct stream_phase *phase = &stream->phases[index];
    strncpy(phase->name, name, STREAM_NAME_SIZE - 1);
    phase->begin = phase->end = stream->word_count;
    builder->run = NO_RUN;
    /* So that even a stream without operations has words to point at. */
    words_reserve(builder, 1);
    if (restart)
        phase->restart = builder->restarts[index] = table_copy(restart, sizeof *restart);
    longest_note(builder);
}

void stream_phase_period(struct stream *stream, const uint32_t *period)
{
    struct builder *builder = builder_of(stream);
    size_t index = stream->phase_count - 1;
    assert(!builder->periods[index]);
    stream->phases[index].period = builder->periods[index] = table_copy(period, sizeof *period);
    longest_note(builder);
}

void stream_phase_slack(struct stream *stream, const uint64_t *slack_ns)
{
    struct builder *builder = builder_of(stream);
    size_t index = stream->phase_count - 1;
    assert(!builder->restart_slacks[index]);
    stream->phases[index].restart_slack_ns = builder->restart_slacks[index] =
        table_copy(slack_ns, sizeof *slack_ns);
}

/* Of the next start.  Nothing is kept until the first that is not exact. */
static void slack_note(struct builder *builder, uint64_t slack_ns)
{
    size_t index = builder->starts++;
    if (slack_ns == 0 && !builder->stream.slacks_ns)
        return;
    if (index >= builder->slack_room) {
        size_t room = index < 512 ? 1024 : 2 * index;
        uint64_t *slacks_ns = memory_grow(builder->stream.slacks_ns, room, sizeof *slacks_ns);
        memset(slacks_ns + builder->slack_room, 0,
               (room - builder->slack_room) * sizeof *slacks_ns);
        builder->stream.slacks_ns = slacks_ns;
        builder->slack_room = room;
    }
    builder->stream.slacks_ns[index] = slack_ns;
}

/* Adds `count` operations of `operands` words each to the run of that code, or begins one.  Answers
 * where the operands go, NULL when the stream is broken. */
static uint32_t *run_extend(struct builder *builder, enum stream_code code, uint32_t count,
                            size_t operands)
{
    struct stream *stream = &builder->stream;
    struct stream_phase *phase = phase_current(stream);
    if (!words_reserve(builder, operands + 1))
        return NULL;
    assert(stream->words);
    uint32_t *header = builder->run == NO_RUN ? NULL : &stream->words[builder->run];
    if (header && *header >> STREAM_COUNT_BITS == code &&
        count <= STREAM_COUNT_MAX - (*header & STREAM_COUNT_MAX)) {
        *header += count;
    } else {
        builder->run = stream->word_count;
        stream->words[stream->word_count++] = (uint32_t)code << STREAM_COUNT_BITS | count;
    }
    uint32_t *at = &stream->words[stream->word_count];
    stream->word_count += operands;
    phase->end = stream->word_count;
    return at;
}

static void id_note(struct builder *builder, tw_id id)
{
    if (id >= builder->id_bound)
        builder->id_bound = (uint64_t)id + 1;
}

void stream_append_start(struct stream *stream, tw_id id, int64_t delay)
{
    stream_append_rounded(stream, id, delay, 0);
}

void stream_append_rounded(struct stream *stream, tw_id id, int64_t delay, uint64_t slack_ns)
{
    struct builder *builder = builder_of(stream);
    bool far = delay < 0 || delay > UINT32_MAX;
    uint32_t *at = run_extend(builder, far ? STREAM_START_FAR : STREAM_START, 1, far ? 3 : 2);
    if (!at)
        return;
    at[0] = id;
    at[1] = (uint32_t)(uint64_t)delay;
    if (far)
        at[2] = (uint32_t)((uint64_t)delay >> 32);
    id_note(builder, id);
    if (delay > 0 && (tw_tick)delay > builder->longest)
        builder->longest = (tw_tick)delay;
    phase_current(stream)->counts.starts++;
    slack_note(builder, slack_ns);
}

void stream_append_stop(struct stream *stream, tw_id id)
{
    struct builder *builder = builder_of(stream);
    uint32_t *at = run_extend(builder, STREAM_STOP, 1, 1);
    if (!at)
        return;
    at[0] = id;
    id_note(builder, id);
    phase_current(stream)->counts.stops++;
}

/* Counts `calls` advances that move the clock by `ticks` in all; false when the clock would leave
 * the ticks that a deadline can name. */
static bool clock_move(struct builder *builder, uint64_t calls, uint64_t ticks)
{
    if (ticks >= TW_DEADLINE_MAX - builder->now) {
        builder->failure = builder->failure ? builder->failure : FAILURE_CLOCK;
        return false;
    }
    struct stream_counts *counts = &phase_current(&builder->stream)->counts;
    builder->now += ticks;
    counts->advances += calls;
    counts->ticks += ticks;
    return true;
}

void stream_append_advance(struct stream *stream, uint64_t ticks)
{
    if (ticks == 1) {
        stream_append_ticks(stream, 1);
        return;
    }
    struct builder *builder = builder_of(stream);
    if (!clock_move(builder, 1, ticks))
        return;
    uint32_t *at = run_extend(builder, STREAM_JUMP, 1, 2);
    if (!at)
        return;
    at[0] = (uint32_t)ticks;
    at[1] = (uint32_t)(ticks >> 32);
}

void stream_append_ticks(struct stream *stream, uint64_t count)
{
    struct builder *builder = builder_of(stream);
    if (!clock_move(builder, count, count))
        return;
    while (count > 0) {
        uint32_t part = count > STREAM_COUNT_MAX ? STREAM_COUNT_MAX : (uint32_t)count;
        if (!run_extend(builder, STREAM_TICKS, part, 0))
            return;
        count -= part;
    }
}

/* Numbers go into the identity with their lowest byte first, whatever the processor's order is. */
static void identity_add_32(XXH3_state_t *state, const uint32_t *numbers, size_t count)
{
#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
    XXH3_64bits_update(state, numbers, count * sizeof *numbers);
#else
    for (size_t i = 0; i < count; i++) {
        uint32_t swapped = __builtin_bswap32(numbers[i]);
        XXH3_64bits_update(state, &swapped, sizeof swapped);
    }
#endif
}

static void identity_add_64(XXH3_state_t *state, uint64_t number)
{
    const uint32_t halves[] = {(uint32_t)number, (uint32_t)(number >> 32)};
    identity_add_32(state, halves, 2);
}

static void table_identity(XXH3_state_t *state, const uint32_t *table)
{
    if (table)
        identity_add_32(state, table, STREAM_RESTART_SIZE);
}

static void schedule_identity(XXH3_state_t *state, const struct stream_schedule *schedule)
{
    const uint64_t plain[] = {schedule->ticks, schedule->phase, schedule->fixed_delay,
                              schedule->slow_every, schedule->slow_run};
    if (schedule->ticks == 0)
        return;
    for (size_t i = 0; i < sizeof plain / sizeof *plain; i++)
        identity_add_64(state, plain[i]);
    table_identity(state, schedule->run_time);
}

/* The identity covers what a design sees: operations, their phases, restart rules, capacity. */
static uint64_t stream_identity(const struct stream *stream)
{
    XXH3_state_t state;
    XXH3_64bits_reset(&state);
    identity_add_32(&state, &stream->capacity, 1);
    identity_add_32(&state, &stream->max_pending, 1);
    for (size_t i = 0; i < stream->phase_count; i++) {
        const struct stream_phase *phase = &stream->phases[i];
        XXH3_64bits_update(&state, phase->name, sizeof phase->name);
        identity_add_64(&state, phase->end);
        table_identity(&state, phase->restart);
        table_identity(&state, phase->period);
    }
    schedule_identity(&state, &stream->schedule);
    if (!stream_slack_is_none(&stream->slack))
        identity_add_32(&state, (const uint32_t[]){stream->slack.ticks, stream->slack.shift}, 2);
    identity_add_32(&state, stream->words, stream->word_count);
    return XXH3_64bits_digest(&state);
}

void stream_allow(struct stream *stream, struct stream_slack slack)
{
    stream->slack = slack;
    stream->hash = stream_identity(stream);
}

static int builder_verdict(const struct builder *builder, struct diag *diag)
{
    const struct stream *stream = &builder->stream;
    switch (builder->failure) {
    case FAILURE_NONE:
        break;
    case FAILURE_SIZE:
        return diag_usage(diag,
                          "%s: the stream would be larger than %zu MiB, expected fewer tasks or "
                          "shorter phases",
                          stream->workload, STREAM_WORDS_MAX * sizeof(uint32_t) >> 20);
    case FAILURE_CLOCK:
        return diag_usage(diag, "%s: the clock would go past tick 2^64, expected shorter phases",
                          stream->workload);
    case FAILURE_LATE:
        return stream_late(stream, diag);
    }
    if (stream->capacity > TW_CAPACITY_MAX || builder->id_bound > TW_CAPACITY_MAX)
        return diag_usage(diag, "%s: ids go up to %llu, expected at most 1e9 of them",
                          stream->workload, (unsigned long long)builder->id_bound);
    if (stream->capacity && builder->id_bound > stream->capacity)
        return diag_usage(diag, "%s: id %llu, expected ids below the capacity of %u",
                          stream->workload, (unsigned long long)builder->id_bound - 1,
                          stream->capacity);
    return DIAG_OK;
}

int stream_seal(struct stream *stream, struct diag *diag)
{
    struct builder *builder = builder_of(stream);
    int status = builder_verdict(builder, diag);
    if (status != DIAG_OK)
        return status;
    if (!stream->capacity)
        stream->capacity = builder->id_bound ? (uint32_t)builder->id_bound : 1;
    if (stream->word_count && stream->word_count < builder->room) {
        builder->room = stream->word_count;
        stream->words = memory_grow(stream->words, builder->room, sizeof *stream->words);
    }
    stream->horizon = builder->longest;
    stream->hash = stream_identity(stream);
    return DIAG_OK;
}
