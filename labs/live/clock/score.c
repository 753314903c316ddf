/* score.c - reads a stream's words once and deals its operations out. */
#include "labs/live/clock/performance.h"

struct reader {
    struct score *score;
    bool store; /* the second time; the first one counts */
    uint64_t now, last;
};

static void take(struct reader *reader, uint32_t id, bool is_start, int64_t delay)
{
    struct score_part *part = &reader->score->parts[id % reader->score->part_count];
    if (reader->now > reader->last)
        return;
    if (reader->store)
        part->operations[part->count] =
            (struct score_operation){.tick = reader->now,
                                     .deadline = is_start ? stream_deadline(reader->now, delay) : 0,
                                     .id = id,
                                     .is_start = is_start};
    part->count++;
}

static uint64_t wide(const uint32_t *words)
{
    return (uint64_t)words[1] << 32 | words[0];
}

/* One run of equal operations; the word behind it. */
static const uint32_t *read_run(struct reader *reader, const uint32_t *word)
{
    uint32_t code = *word >> STREAM_COUNT_BITS, count = *word & STREAM_COUNT_MAX;
    word++;
    if (code == STREAM_TICKS)
        reader->now += count;
    for (uint32_t i = 0; i < count && code != STREAM_TICKS; i++) {
        if (code == STREAM_START) {
            take(reader, word[0], true, word[1]);
            word += 2;
        } else if (code == STREAM_START_FAR) {
            take(reader, word[0], true, (int64_t)wide(word + 1));
            word += 3;
        } else if (code == STREAM_STOP) {
            take(reader, word[0], false, 0);
            word++;
        } else if (code == STREAM_JUMP) {
            reader->now += wide(word);
            word += 2;
        }
    }
    return word;
}

static void read_all(struct reader *reader)
{
    const struct stream *stream = reader->score->stream;
    reader->now = 0;
    for (size_t i = 0; i < stream->phase_count; i++) {
        const uint32_t *word = stream->words + stream->phases[i].begin;
        reader->score->phase_begins[i] = reader->now;
        while (word < stream->words + stream->phases[i].end)
            word = read_run(reader, word);
    }
    reader->score->ticks = reader->now < reader->last ? reader->now : reader->last;
}

uint64_t score_last(const struct stream *stream, double speed, uint64_t stretch_ns)
{
    double ticks = (double)stretch_ns * speed / (double)stream->tick_ns;
    return stretch_ns > 0 && ticks < 0x1p63 ? (uint64_t)ticks : SCORE_ALL;
}

bool score_make(struct score *score, const struct stream *stream, uint32_t parts, uint64_t last)
{
    *score = (struct score){
        .stream = stream, .part_count = parts, .parts = calloc(parts, sizeof *score->parts)};
    if (!score->parts)
        return false;
    struct reader reader = {.score = score, .last = last};
    read_all(&reader);
    for (uint32_t i = 0; i < parts; i++) {
        struct score_part *part = &score->parts[i];
        part->operations = malloc((part->count + 1) * sizeof *part->operations);
        if (!part->operations)
            return false;
        part->count = 0;
    }
    reader.store = true;
    read_all(&reader);
    return true;
}

void score_free(struct score *score)
{
    for (uint32_t i = 0; score->parts && i < score->part_count; i++)
        free(score->parts[i].operations);
    free(score->parts);
    score->parts = NULL;
}

const struct stream_phase *score_phase(const struct score *score, uint64_t tick)
{
    size_t phase = 0;
    while (phase + 1 < score->stream->phase_count && score->phase_begins[phase + 1] <= tick)
        phase++;
    return &score->stream->phases[phase];
}
