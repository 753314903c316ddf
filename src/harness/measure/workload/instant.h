/* instant.h - brings the operations of one instant of a trace into runs.
 *
 * A recorded program starts and stops timers in turn, from call sites that know what they are
 * about to do.  A replay that follows the lines one by one has a single call site, cannot know, and
 * pays a mispredicted branch at many changes (docs/MEASUREMENT.md has the figures).  But no time
 * passes within an instant, so operations on different timers commute: which timers run, and with
 * which deadlines, is the same in any order that keeps each timer's own operations in order.  So all
 * stops that can come first are put first, then the starts, and what has to come after them (a stop
 * of what was started in the same instant) behind.
 */
#ifndef TWBENCH_INSTANT_H
#define TWBENCH_INSTANT_H

#include "harness/measure/workload/stream.h"

struct instant_operation {
    tw_id id;
    uint32_t rank;     /* even: a stop, odd: a start; runs are appended in order of rank */
    int64_t delay;     /* of a start */
    uint64_t slack_ns; /* of a start: how much later than asked for it is due by rounding */
};

struct instant {
    struct stream *stream; /* what is appended to; not owned */
    struct instant_operation *operations;
    size_t count, room;
    struct instant_mark *marks; /* per id: the rank of its last operation, and in which instant */
    size_t mark_room;
    uint64_t number; /* of this instant */
    uint32_t rank_max;
};

/* Zero-initialised but for the stream, an instant is empty; instant_free releases what it took. */
void instant_free(struct instant *instant);
/* O(1) amortised. */
void instant_start(struct instant *instant, tw_id id, int64_t delay, uint64_t slack_ns);
void instant_stop(struct instant *instant, tw_id id);
/* Appends what was collected to the stream and begins the next instant.  O(operations). */
void instant_end(struct instant *instant);

#endif
