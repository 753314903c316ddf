/* oracle.c - computes which timers must fire when, by brute force. */
#include "harness/measure/workload/oracle.h"

#include "harness/measure/workload/agenda.h"

struct oracle {
    const struct stream *stream;
    struct stream_expected *expected;
    struct agenda agenda;
    tw_tick now;
    size_t phase;
    unsigned asked; /* whether it is late; of so many questions one looks at the clock */
    bool is_late;
};

#define LOOK_EVERY 1024u

static bool is_late(struct oracle *oracle)
{
    if (!oracle->is_late && oracle->asked++ % LOOK_EVERY == 0)
        oracle->is_late = deadline_left_ns(&oracle->stream->until) == 0;
    return oracle->is_late;
}

static tw_tick due_of(tw_tick deadline, tw_tick now)
{
    return deadline > now ? deadline : now + 1;
}

static bool is_capped(const struct oracle *oracle, tw_id id)
{
    uint32_t max_pending = oracle->stream->max_pending;
    return max_pending > 0 && oracle->agenda.running == max_pending &&
           !agenda_is_running(&oracle->agenda, id);
}

static void oracle_start(struct oracle *oracle, tw_id id, int64_t delay)
{
    if (is_late(oracle))
        return;
    if (is_capped(oracle, id)) {
        oracle->expected->refused++;
        return;
    }
    agenda_start(&oracle->agenda, id, due_of(stream_deadline(oracle->now, delay), oracle->now));
    if (oracle->agenda.running > oracle->expected->running_max)
        oracle->expected->running_max = oracle->agenda.running;
}

static void oracle_fire(void *ctx, tw_id id, tw_tick due)
{
    struct oracle *oracle = ctx;
    uint64_t mix = stream_mix(id, due);
    oracle->expected->digest += mix;
    oracle->expected->fired++;
    oracle->expected->fired_in[oracle->phase]++;
    const struct stream_phase *phase = &oracle->stream->phases[oracle->phase];
    uint64_t delay = 0;
    if (phase->restart)
        delay += phase->restart[mix >> (64 - STREAM_RESTART_BITS)];
    if (phase->period)
        delay += phase->period[stream_mix(id, 0) >> (64 - STREAM_RESTART_BITS)];
    if (delay > 0 && !is_late(oracle))
        agenda_start(&oracle->agenda, id, due_of(stream_deadline(due, (int64_t)delay), due));
}

static void oracle_advance(struct oracle *oracle, uint64_t ticks)
{
    tw_tick to = oracle->now + ticks;
    agenda_advance(&oracle->agenda, to, oracle_fire, oracle);
    oracle->now = to;
}

/* Executes one run of equal operations; answers where the next run begins. */
static const uint32_t *oracle_execute(struct oracle *oracle, const uint32_t *word)
{
    uint32_t code = *word >> STREAM_COUNT_BITS, count = *word & STREAM_COUNT_MAX;
    word++;
    switch (code) {
    case STREAM_START:
        for (; count > 0; count--, word += 2)
            oracle_start(oracle, word[0], word[1]);
        break;
    case STREAM_START_FAR:
        for (; count > 0; count--, word += 3)
            oracle_start(oracle, word[0], (int64_t)((uint64_t)word[2] << 32 | word[1]));
        break;
    case STREAM_STOP:
        for (; count > 0; count--, word++)
            agenda_stop(&oracle->agenda, word[0]);
        break;
    case STREAM_TICKS:
        /* An agenda fires in order of due however long the jump, so one advance will do. */
        oracle_advance(oracle, count);
        break;
    case STREAM_JUMP:
        for (; count > 0; count--, word += 2)
            oracle_advance(oracle, (uint64_t)word[1] << 32 | word[0]);
        break;
    }
    return word;
}

static void note_state(const struct agenda *agenda, struct stream_state *state)
{
    for (tw_id id = 0; id < agenda->capacity; id++)
        if (agenda_is_running(agenda, id))
            stream_state_add(state, id, agenda->due[id]);
}

int oracle_finish(struct stream *stream, struct diag *diag)
{
    struct stream_expected *expected = &stream->expected;
    int status = stream_seal(stream, diag);
    if (status != DIAG_OK)
        return status;
    struct oracle oracle = {.stream = stream, .expected = expected};
    *expected = (struct stream_expected){0};
    if (!agenda_open_by(&oracle.agenda, stream->capacity, &stream->until))
        return stream_late(stream, diag);
    for (; oracle.phase < stream->phase_count; oracle.phase++) {
        const struct stream_phase *phase = &stream->phases[oracle.phase];
        const uint32_t *word = stream->words + phase->begin, *end = stream->words + phase->end;
        while (word < end && !is_late(&oracle))
            word = oracle_execute(&oracle, word);
        note_state(&oracle.agenda, &expected->states[oracle.phase]);
    }
    expected->running_end = oracle.agenda.running;
    agenda_close(&oracle.agenda);
    return oracle.is_late ? stream_late(stream, diag) : DIAG_OK;
}

int oracle_cap(struct stream *stream, uint32_t max_pending, struct diag *diag)
{
    stream->max_pending = max_pending;
    return oracle_finish(stream, diag);
}
