/*
 * agenda.h - which timers run and when they fire, by the dumbest structure that is fast enough.
 *
 * An array of due ticks (TW_NEVER = idle) is the truth.  A heap of (due, id) pairs only says where
 * to look next: an entry is a promise that its timer fires no earlier, it is never found and moved,
 * and one that disagrees with the array when it comes up is thrown away or put back later.  There
 * is no back-index, no slot, no level, nothing that a design's bug could share.
 *
 * The oracle is an agenda driven by a stream; generators and the trace reader use the same to know
 * what runs.  Starting and firing cost O(log n), stopping O(1); 32 bytes per id.
 */
#ifndef TWBENCH_AGENDA_H
#define TWBENCH_AGENDA_H

#include "impls/backend.h"

struct agenda_entry {
    tw_tick due;
    tw_id id;
};

struct agenda {
    uint32_t capacity;
    uint64_t running;
    tw_tick *due;    /* per id: the truth */
    tw_tick *queued; /* per id: due of its earliest entry, TW_NEVER = none; never after due[id] */
    struct agenda_entry *entries; /* 4-ary heap by due */
    size_t entry_count, entry_room;
    bool out_of_memory; /* a start was dropped; everything after it is worthless */
};

/* Called for each timer that fires, in order of due; the timer is idle then and may be started. */
typedef void agenda_fire_fn(void *ctx, tw_id id, tw_tick due);

/* False when there is no memory; then there is nothing to close. */
bool agenda_open(struct agenda *agenda, uint32_t capacity);
void agenda_close(struct agenda *agenda);
/* Makes room for more ids, which are idle. */
bool agenda_grow(struct agenda *agenda, uint32_t capacity);

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
