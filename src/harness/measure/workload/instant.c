/* instant.c - orders the operations of one tick. */
#include "harness/measure/workload/instant.h"

#include "harness/base/memory.h"

struct instant_mark {
    uint64_t number; /* of the instant + 1 in which the id last had an operation; 0: never */
    uint32_t rank;
};

void instant_free(struct instant *instant)
{
    free(instant->operations);
    free(instant->marks);
}

static void instant_reserve(struct instant *instant, tw_id id)
{
    size_t known = instant->mark_room, wanted = (size_t)id + 1;
    memory_room(&instant->operations, instant->count, &instant->room, sizeof *instant->operations);
    if (wanted <= known)
        return;
    instant->mark_room = known * 2 > wanted ? known * 2 : wanted + 64;
    instant->marks = memory_grow(instant->marks, instant->mark_room, sizeof *instant->marks);
    memset(instant->marks + known, 0, (instant->mark_room - known) * sizeof *instant->marks);
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
    instant_reserve(instant, id);
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
static void append_sorted(struct instant *instant)
{
    size_t *place = memory_take((size_t)instant->rank_max + 2, sizeof *place);
    uint32_t *order = memory_take(instant->count, sizeof *order);
    for (size_t i = 0; i < instant->count; i++)
        place[instant->operations[i].rank + 1]++;
    for (uint32_t rank = 0; rank < instant->rank_max; rank++)
        place[rank + 1] += place[rank];
    for (size_t i = 0; i < instant->count; i++)
        order[place[instant->operations[i].rank]++] = (uint32_t)i;
    for (size_t i = 0; i < instant->count; i++)
        append_operation(instant->stream, &instant->operations[order[i]]);
    free(place);
    free(order);
}

void instant_end(struct instant *instant)
{
    if (instant->count > 0)
        append_sorted(instant);
    instant->count = 0;
    instant->rank_max = 0;
    instant->number++;
}
