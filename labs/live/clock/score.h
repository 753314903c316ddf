/*
 * score.h - a stream as parts to play: each producer's operations with the ticks that they are meant for.
 *
 * The ids are dealt out, so that all operations of one timer are one thread's, in their order.
 */
#ifndef TWBENCH_SCORE_H
#define TWBENCH_SCORE_H

#include "harness/measure/workload/stream.h"

/* A start or a stop. */
struct score_operation {
    uint64_t tick;     /* of the stream, at which it is meant to happen */
    uint64_t deadline; /* of a start, in ticks of the stream */
    uint32_t id;
    uint32_t is_start;
};

/* What one producer plays, in order of tick. */
struct score_part {
    struct score_operation *operations;
    size_t count;
};

/* What all of them play. */
struct score {
    struct score_part *parts;
    uint32_t part_count;
    uint64_t ticks;                           /* the length of what is played */
    uint64_t phase_begins[STREAM_PHASES_MAX]; /* first tick of each phase */
    const struct stream *stream;
};

/* What the stream has up to tick `last`; SCORE_ALL: the whole of it.  False without memory.  score_free in any case.
 * The stream outlives the score. */
#define SCORE_ALL UINT64_MAX
bool score_make(struct score *score, const struct stream *stream, uint32_t parts, uint64_t last);

/* The last tick of that stretch of the stream, at that speed; SCORE_ALL for a stretch of 0, which is none. */
uint64_t score_last(const struct stream *stream, double speed, uint64_t stretch_ns);
/* The stream stays. */
void score_free(struct score *score);

/* The phase that a tick belongs to. */
const struct stream_phase *score_phase(const struct score *score, uint64_t tick);

#endif
