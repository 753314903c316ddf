/* agenda.h - knows which timers run and when they fire, by the dumbest structure that is fast enough.
 *
 * An array of due ticks (TW_NEVER = idle) is the truth.  A queue of (due, id) pairs only says where
 * to look next: an entry is a promise that its timer fires no earlier, it is never found and moved,
 * and one that disagrees with the array when it comes up is thrown away or put back later.
 *
 * The queue is a radix heap (Ahuja, Mehlhorn, Orlin & Tarjan 1990): bucket b holds the entries
 * whose due differs from the tick emptied last in bit b - 1 and not above, so the lowest bucket
 * that is not empty holds the earliest entry.  When its turn comes, that entry's tick becomes the
 * last one and the others fall into lower buckets; those of the same tick fall into bucket 0 and
 * are done. It only appends to arrays and reads them from front to back, which at 10^7 timers is
 * ten times faster than a heap that compares.  It has no back-index, no links, no clock hand and no
 * wheel size, so hardly anything that a bug of a design could have in common with it.
 *
 * The oracle is an agenda driven by a stream; generators and the trace reader use the same to know
 * what runs.  Start and stop O(1); firing amortised O(log of the delay); 32 bytes per id and up.
 */
#ifndef TWBENCH_AGENDA_H
#define TWBENCH_AGENDA_H

#include "harness/base/clock.h"
#include "impls/backend.h"

/* A promise: the timer fires no earlier. */
struct agenda_entry {
    tw_tick due;
    tw_id id;
};

/* Entries whose dues agree down to the bucket's bit; in no order. */
struct agenda_bucket {
    tw_tick least; /* due of the earliest entry; TW_NEVER: empty */
    size_t count, room;
    struct agenda_entry *entries;
};

/* One per bit of a tick, and bucket 0 for the tick itself. */
#define AGENDA_BUCKETS 65

/* Timers 0 .. capacity - 1. */
struct agenda {
    uint32_t capacity;
    uint64_t running;
    tw_tick *due;    /* per id: the truth */
    tw_tick *queued; /* per id: due of its earliest entry, TW_NEVER = none; never after due[id] */
    tw_tick last;    /* the tick emptied last */
    struct agenda_bucket buckets[AGENDA_BUCKETS];
};

/* Called for each timer that fires, in order of due; the timer is idle then and may be started. */
typedef void agenda_fire_fn(void *ctx, tw_id id, tw_tick due);

/* All ids are idle.  O(capacity). */
void agenda_open(struct agenda *agenda, uint32_t capacity);
/* The same; false, and nothing is to be closed, when the deadline is over first.  A large capacity takes seconds. */
bool agenda_open_by(struct agenda *agenda, uint32_t capacity, const struct deadline *until);
/* Empty afterwards. */
void agenda_close(struct agenda *agenda);
/* Makes room for more ids, which are idle. */
void agenda_grow(struct agenda *agenda, uint32_t capacity);

static inline bool agenda_is_running(const struct agenda *agenda, tw_id id)
{
    return agenda->due[id] != TW_NEVER;
}

/* Start or re-arm; `due` is the firing tick itself, see stream_deadline and backend.h. */
void agenda_start(struct agenda *agenda, tw_id id, tw_tick due);
/* True when it was running. */
bool agenda_stop(struct agenda *agenda, tw_id id);
/* Fires everything with due <= to. */
void agenda_advance(struct agenda *agenda, tw_tick to, agenda_fire_fn *fire, void *ctx);

#endif
