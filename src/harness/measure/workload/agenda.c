/* agenda.c - keeps armed timers in a priority queue: a re-arm leaves the old entry, corrected when it surfaces. */
#include "harness/measure/workload/agenda.h"

#include "harness/base/room.h"

#include <stdlib.h>
#include <string.h>

/* Ids whose memory is touched between two looks at the clock. */
#define OPEN_STEP (UINT32_C(1) << 20)

bool agenda_grow(struct agenda *agenda, uint32_t capacity)
{
    size_t old = agenda->capacity, bytes = capacity * sizeof(tw_tick);
    if (capacity <= agenda->capacity)
        return true;
    tw_tick *due = realloc(agenda->due, bytes);
    agenda->due = due ? due : agenda->due;
    tw_tick *queued = realloc(agenda->queued, bytes);
    agenda->queued = queued ? queued : agenda->queued;
    if (!due || !queued)
        return false;
    /* All bits set is TW_NEVER. */
    memset(due + old, 0xff, (capacity - old) * sizeof *due);
    memset(queued + old, 0xff, (capacity - old) * sizeof *queued);
    agenda->capacity = capacity;
    return true;
}

bool agenda_open(struct agenda *agenda, uint32_t capacity)
{
    *agenda = (struct agenda){0};
    for (size_t i = 0; i < AGENDA_BUCKETS; i++)
        agenda->buckets[i].least = TW_NEVER;
    if (agenda_grow(agenda, capacity))
        return true;
    agenda_close(agenda);
    return false;
}

bool agenda_open_by(struct agenda *agenda, uint32_t capacity, const struct deadline *until)
{
    bool is_open = agenda_open(agenda, capacity < OPEN_STEP ? capacity : OPEN_STEP);
    while (is_open && agenda->capacity < capacity) {
        uint32_t left = capacity - agenda->capacity;
        is_open = deadline_left_ns(until) > 0 &&
                  agenda_grow(agenda, agenda->capacity + (left < OPEN_STEP ? left : OPEN_STEP));
    }
    if (!is_open)
        agenda_close(agenda);
    return is_open;
}

void agenda_close(struct agenda *agenda)
{
    free(agenda->due);
    free(agenda->queued);
    for (size_t i = 0; i < AGENDA_BUCKETS; i++)
        free(agenda->buckets[i].entries);
    *agenda = (struct agenda){0};
}

static size_t bucket_of(const struct agenda *agenda, tw_tick due)
{
    tw_tick difference = due ^ agenda->last;
    return difference ? 64 - (size_t)__builtin_clzll(difference) : 0;
}

static void entry_push(struct agenda *agenda, struct agenda_entry entry)
{
    struct agenda_bucket *bucket = &agenda->buckets[bucket_of(agenda, entry.due)];
    if (!room_for(&bucket->entries, bucket->count, &bucket->room, sizeof entry)) {
        agenda->out_of_memory = true;
        return;
    }
    bucket->entries[bucket->count++] = entry;
    if (entry.due < bucket->least)
        bucket->least = entry.due;
}

/* The lowest bucket that holds anything; NULL when nothing is queued. */
static struct agenda_bucket *bucket_first(struct agenda *agenda)
{
    for (size_t i = 0; i < AGENDA_BUCKETS; i++)
        if (agenda->buckets[i].count)
            return &agenda->buckets[i];
    return NULL;
}

/* Takes the entries out of a bucket, with their array, which the caller frees. */
static struct agenda_bucket bucket_take(struct agenda_bucket *bucket)
{
    struct agenda_bucket taken = *bucket;
    *bucket = (struct agenda_bucket){.least = TW_NEVER};
    return taken;
}

/* Sees to it that an entry of the timer comes up no later than it is due. */
static void agenda_queue(struct agenda *agenda, tw_id id)
{
    tw_tick due = agenda->due[id];
    if (due < agenda->queued[id]) {
        agenda->queued[id] = due;
        entry_push(agenda, (struct agenda_entry){due, id});
    }
}

void agenda_start(struct agenda *agenda, tw_id id, tw_tick due)
{
    agenda->running += agenda->due[id] == TW_NEVER;
    agenda->due[id] = due;
    agenda_queue(agenda, id);
}

bool agenda_stop(struct agenda *agenda, tw_id id)
{
    bool was_running = agenda->due[id] != TW_NEVER;
    agenda->running -= was_running;
    agenda->due[id] = TW_NEVER;
    return was_running;
}

/* An entry has come up on its tick: fires its timer, or finds out that this is not its time. */
static void entry_fire(struct agenda *agenda, struct agenda_entry entry, agenda_fire_fn *fire,
                       void *ctx)
{
    /* A re-arm to an earlier tick has left this one behind and queued another. */
    if (agenda->queued[entry.id] != entry.due)
        return;
    agenda->queued[entry.id] = TW_NEVER;
    if (agenda->due[entry.id] != entry.due) {
        agenda_queue(agenda, entry.id); /* postponed; nothing when it was stopped */
        return;
    }
    agenda->due[entry.id] = TW_NEVER;
    agenda->running--;
    fire(ctx, entry.id, entry.due);
}

/* Makes `tick`, the earliest that is queued, the last one: its entries come out, the rest of their
 * bucket falls into lower ones. */
static void tick_empty(struct agenda *agenda, struct agenda_bucket *bucket, agenda_fire_fn *fire,
                       void *ctx)
{
    struct agenda_bucket taken = bucket_take(bucket);
    agenda->last = taken.least;
    for (size_t i = 0; i < taken.count; i++)
        if (taken.entries[i].due != agenda->last)
            entry_push(agenda, taken.entries[i]);
    for (size_t i = 0; i < taken.count && !agenda->out_of_memory; i++)
        if (taken.entries[i].due == agenda->last)
            entry_fire(agenda, taken.entries[i], fire, ctx);
    free(taken.entries);
}

void agenda_advance(struct agenda *agenda, tw_tick to, agenda_fire_fn *fire, void *ctx)
{
    struct agenda_bucket *bucket;
    while ((bucket = bucket_first(agenda)) && bucket->least <= to && !agenda->out_of_memory)
        tick_empty(agenda, bucket, fire, ctx);
}
