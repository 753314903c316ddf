/* instant.c - orders the operations of one tick. */
#include "harness/measure/workload/instant.h"

#include <stdlib.h>
#include <string.h>

struct instant_mark {
    uint64_t number; /* of the instant + 1 in which the id last had an operation; 0: never */
    uint32_t rank;
};

void instant_free(struct instant *instant)
{
    free(instant->operations);
    free(instant->marks);
}

/* Grows a zeroed tail onto an array of elements of `size` bytes; false without memory. */
static bool array_grow(void **array, size_t *room, size_t wanted, size_t size)
{
    if (wanted <= *room)
        return true;
    size_t grown = *room * 2 > wanted ? *room * 2 : wanted + 64;
    void *bytes = realloc(*array, grown * size);
    if (!bytes)
        return false;
    memset((char *)bytes + *room * size, 0, (grown - *room) * size);
    *array = bytes;
    *room = grown;
    return true;
}

static bool instant_reserve(struct instant *instant, tw_id id)
{
    void *operations = instant->operations, *marks = instant->marks;
    bool done =
        array_grow(&operations, &instant->room, instant->count + 1, sizeof *instant->operations) &&
        array_grow(&marks, &instant->mark_room, (size_t)id + 1, sizeof *instant->marks);
    instant->operations = operations;
    instant->marks = marks;
    instant->out_of_memory = instant->out_of_memory || !done;
    return done;
}

/* The lowest rank of this kind that is not before the timer's own last operation. */
static uint32_t rank_after(const struct instant *instant, tw_id id, uint32_t kind)
{
    const struct instant_mark *mark = &instant->marks[id];
    if (mark->number != instant->number + 1)
        return kind;
    return mark->rank + ((mark->rank ^ kind) & 1u);
}

static void instant_add(struct instant *instant, tw_id id, uint32_t kind, int64_t delay,
                        uint64_t slack_ns)
{
    if (!instant_reserve(instant, id))
        return;
    uint32_t rank = rank_after(instant, id, kind);
    instant->marks[id] = (struct instant_mark){instant->number + 1, rank};
    instant->operations[instant->count++] = (struct instant_operation){id, rank, delay, slack_ns};
    if (rank > instant->rank_max)
        instant->rank_max = rank;
}

void instant_start(struct instant *instant, tw_id id, int64_t delay, uint64_t slack_ns)
{
    instant_add(instant, id, 1, delay, slack_ns);
}

void instant_stop(struct instant *instant, tw_id id)
{
    instant_add(instant, id, 0, 0, 0);
}

static void append_operation(struct stream *stream, const struct instant_operation *operation)
{
    if (operation->rank & 1u)
        stream_append_rounded(stream, operation->id, operation->delay, operation->slack_ns);
    else
        stream_append_stop(stream, operation->id);
}

/* place[rank] is where the next operation of that rank goes in the sorted order. */
static bool append_sorted(struct instant *instant)
{
    size_t *place = calloc((size_t)instant->rank_max + 2, sizeof *place);
    uint32_t *order = calloc(instant->count, sizeof *order);
    bool done = place && order;
    if (done) {
        for (size_t i = 0; i < instant->count; i++)
            place[instant->operations[i].rank + 1]++;
        for (uint32_t rank = 0; rank < instant->rank_max; rank++)
            place[rank + 1] += place[rank];
        for (size_t i = 0; i < instant->count; i++)
            order[place[instant->operations[i].rank]++] = (uint32_t)i;
        for (size_t i = 0; i < instant->count; i++)
            append_operation(instant->stream, &instant->operations[order[i]]);
    }
    free(place);
    free(order);
    return done;
}

void instant_end(struct instant *instant)
{
    if (instant->count > 0 && !append_sorted(instant))
        instant->out_of_memory = true;
    instant->count = 0;
    instant->rank_max = 0;
    instant->number++;
}
