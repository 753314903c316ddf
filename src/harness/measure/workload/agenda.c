/* agenda.c - keeps armed timers in a priority queue: a re-arm leaves the old entry, corrected when it surfaces. */
#include "harness/measure/workload/agenda.h"

#include "harness/base/memory.h"

/* Ids whose memory is touched between two looks at the clock. */
#define OPEN_STEP (UINT32_C(1) << 20)

void agenda_grow(struct agenda *agenda, uint32_t capacity)
{
    size_t old = agenda->capacity;
    if (capacity <= agenda->capacity)
        return;
    agenda->due = memory_grow(agenda->due, capacity, sizeof *agenda->due);
    agenda->queued = memory_grow(agenda->queued, capacity, sizeof *agenda->queued);
    /* All bits set is TW_NEVER. */
    memset(agenda->due + old, 0xff, (capacity - old) * sizeof *agenda->due);
    memset(agenda->queued + old, 0xff, (capacity - old) * sizeof *agenda->queued);
    agenda->capacity = capacity;
}

void agenda_open(struct agenda *agenda, uint32_t capacity)
{
    *agenda = (struct agenda){0};
    for (size_t i = 0; i < AGENDA_BUCKETS; i++)
        agenda->buckets[i].least = TW_NEVER;
    agenda_grow(agenda, capacity);
}

bool agenda_open_by(struct agenda *agenda, uint32_t capacity, const struct deadline *until)
{
    agenda_open(agenda, capacity < OPEN_STEP ? capacity : OPEN_STEP);
    while (agenda->capacity < capacity && deadline_left_ns(until) > 0) {
        uint32_t left = capacity - agenda->capacity;
        agenda_grow(agenda, agenda->capacity + (left < OPEN_STEP ? left : OPEN_STEP));
    }
    if (agenda->capacity == capacity)
        return true;
    agenda_close(agenda);
    return false;
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
    memory_room(&bucket->entries, bucket->count, &bucket->room, sizeof entry);
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
    for (size_t i = 0; i < taken.count; i++)
        if (taken.entries[i].due == agenda->last)
            entry_fire(agenda, taken.entries[i], fire, ctx);
    free(taken.entries);
}

void agenda_advance(struct agenda *agenda, tw_tick to, agenda_fire_fn *fire, void *ctx)
{
    struct agenda_bucket *bucket;
    while ((bucket = bucket_first(agenda)) && bucket->least <= to)
        tick_empty(agenda, bucket, fire, ctx);
}
