/* agenda.c - a heap whose entries are never moved for a re-arm: wrong ones are mended as they
 * surface. */
#include "harness/workload/agenda.h"

#include <stdlib.h>
#include <string.h>

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
    if (agenda_grow(agenda, capacity))
        return true;
    agenda_close(agenda);
    return false;
}

void agenda_close(struct agenda *agenda)
{
    free(agenda->due);
    free(agenda->queued);
    free(agenda->entries);
    *agenda = (struct agenda){0};
}

/* Four children per node: half the depth of a binary heap, and a node's children lie in one or two
 * cache lines, which is what a heap of 10^7 entries is waiting for. */
enum { HEAP_ARITY = 4 };

static void entries_push(struct agenda *agenda, struct agenda_entry entry)
{
    if (agenda->entry_count == agenda->entry_room) {
        size_t room = agenda->entry_room ? agenda->entry_room * 2 : 1024;
        struct agenda_entry *entries = realloc(agenda->entries, room * sizeof *entries);
        if (!entries) {
            agenda->out_of_memory = true;
            return;
        }
        agenda->entries = entries;
        agenda->entry_room = room;
    }
    size_t hole = agenda->entry_count++;
    while (hole > 0) {
        size_t parent = (hole - 1) / HEAP_ARITY;
        if (agenda->entries[parent].due <= entry.due)
            break;
        agenda->entries[hole] = agenda->entries[parent];
        hole = parent;
    }
    agenda->entries[hole] = entry;
}

static size_t entries_least_child(const struct agenda *agenda, size_t node)
{
    size_t first = node * HEAP_ARITY + 1, end = first + HEAP_ARITY;
    if (end > agenda->entry_count)
        end = agenda->entry_count;
    size_t least = first;
    for (size_t child = first + 1; child < end; child++)
        if (agenda->entries[child].due < agenda->entries[least].due)
            least = child;
    return least;
}

static void entries_pop(struct agenda *agenda)
{
    struct agenda_entry last = agenda->entries[--agenda->entry_count];
    size_t hole = 0;
    while (hole * HEAP_ARITY + 1 < agenda->entry_count) {
        size_t child = entries_least_child(agenda, hole);
        if (agenda->entries[child].due >= last.due)
            break;
        agenda->entries[hole] = agenda->entries[child];
        hole = child;
    }
    if (agenda->entry_count)
        agenda->entries[hole] = last;
}

/* Sees to it that an entry of the timer comes up no later than it is due. */
static void agenda_queue(struct agenda *agenda, tw_id id)
{
    tw_tick due = agenda->due[id];
    if (due < agenda->queued[id]) {
        agenda->queued[id] = due;
        entries_push(agenda, (struct agenda_entry){due, id});
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

void agenda_advance(struct agenda *agenda, tw_tick to, agenda_fire_fn *fire, void *ctx)
{
    while (agenda->entry_count && agenda->entries[0].due <= to && !agenda->out_of_memory) {
        struct agenda_entry entry = agenda->entries[0];
        entries_pop(agenda);
        /* A re-arm to an earlier tick has left this one behind and queued another. */
        if (agenda->queued[entry.id] != entry.due)
            continue;
        agenda->queued[entry.id] = TW_NEVER;
        if (agenda->due[entry.id] != entry.due) {
            agenda_queue(agenda, entry.id); /* postponed; nothing when it was stopped */
            continue;
        }
        agenda->due[entry.id] = TW_NEVER;
        agenda->running--;
        fire(ctx, entry.id, entry.due);
    }
}
