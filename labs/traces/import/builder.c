/* builder.c - numbers objects, and keeps what is armed in a heap.
 *
 * The heap is binary, with each object's place in the object: no entry outlives its timer, as the
 * agenda's do (measure/workload/agenda.h), and what expires in one growth of the clock does so in order of
 * deadline and then id, which decides who gets which recycled id.
 */
#include "labs/traces/import/import.h"

#include "harness/base/memory.h"

void builder_close(struct builder *builder)
{
    keymap_close(&builder->names);
    distribution_close(&builder->lateness);
    free(builder->ops);
    free(builder->objects);
    free(builder->heap);
    free(builder->free_ids);
}

/* ---- Heap ---------------------------------------------------------------------------------------- */

static bool comes_before(const struct builder *builder, uint32_t left, uint32_t right)
{
    const struct builder_object *a = &builder->objects[left], *b = &builder->objects[right];
    return a->deadline != b->deadline ? a->deadline < b->deadline : a->id < b->id;
}

static void heap_put(struct builder *builder, uint32_t place, uint32_t number)
{
    builder->heap[place] = number;
    builder->objects[number].place = place;
}

/* Moves an object from a place that is free to where it belongs. */
static void heap_settle(struct builder *builder, uint32_t place, uint32_t number)
{
    uint32_t *heap = builder->heap;
    while (place > 0 && comes_before(builder, number, heap[(place - 1) / 2])) {
        heap_put(builder, place, heap[(place - 1) / 2]);
        place = (place - 1) / 2;
    }
    for (;;) {
        uint32_t child = place * 2 + 1;
        if (child + 1 < builder->armed && comes_before(builder, heap[child + 1], heap[child]))
            child++;
        if (child >= builder->armed || !comes_before(builder, heap[child], number))
            break;
        heap_put(builder, place, heap[child]);
        place = child;
    }
    heap_put(builder, place, number);
}

static void heap_remove(struct builder *builder, uint32_t number)
{
    uint32_t place = builder->objects[number].place, last = builder->heap[--builder->armed];
    if (last != number)
        heap_settle(builder, place, last);
}

/* ---- Ids and objects ----------------------------------------------------------------------------- */

static uint32_t id_take(struct builder *builder)
{
    if (builder->free_count > 0)
        return builder->free_ids[--builder->free_count];
    return builder->ids++;
}

/* The object is armed no longer. */
static void object_disarm(struct builder *builder, uint32_t number, enum builder_state state)
{
    struct builder_object *object = &builder->objects[number];
    heap_remove(builder, number);
    object->state = state;
    object->seen = false;
    if (!builder->recycle)
        return;
    memory_room(&builder->free_ids, builder->free_count, &builder->free_room,
                sizeof *builder->free_ids);
    builder->free_ids[builder->free_count++] = object->id;
}

/* The object of that name, made if need be. */
static struct builder_object *object_make(struct builder *builder, uint64_t name, uint32_t *number)
{
    uint32_t known = builder->names.count;
    memory_room(&builder->objects, known, &builder->object_room, sizeof *builder->objects);
    *number = keymap_add(&builder->names, name);
    if (*number == known)
        builder->objects[known] =
            (struct builder_object){.id = KEYMAP_NONE, .state = BUILDER_UNKNOWN};
    return &builder->objects[*number];
}

static struct builder_object *object_find(const struct builder *builder, uint64_t name,
                                          uint32_t *number)
{
    *number = keymap_find(&builder->names, name);
    return *number == KEYMAP_NONE ? NULL : &builder->objects[*number];
}

static enum builder_state state_of(const struct builder_object *object)
{
    if (!object)
        return BUILDER_UNKNOWN;
    return object->seen ? BUILDER_IDLE : object->state;
}

enum builder_state builder_state(const struct builder *builder, uint64_t name)
{
    uint32_t number;
    return state_of(object_find(builder, name, &number));
}

/* ---- Clock --------------------------------------------------------------------------------------- */

static void clock_grow(struct builder *builder, int64_t now)
{
    builder->counts.armed_ticks += (double)builder->armed * (double)(now - builder->now);
    while (builder->armed > 0 && builder->objects[builder->heap[0]].deadline <= now) {
        uint32_t number = builder->heap[0];
        bool seen = builder->objects[number].seen;
        object_disarm(builder, number, seen ? BUILDER_IDLE : BUILDER_DUE);
        builder->counts.expired++;
    }
    builder->now = now;
}

void builder_clock(struct builder *builder, uint64_t time)
{
    if (!builder->has_clock) {
        builder->has_clock = true;
        builder->base = time;
    }
    if (time < builder_time(builder)) {
        builder->counts.clock_back++;
        return;
    }
    uint64_t now = time - builder->base;
    if (now > INT64_MAX)
        now = INT64_MAX;
    if ((int64_t)now > builder->now)
        clock_grow(builder, (int64_t)now);
}

/* ---- Operations ---------------------------------------------------------------------------------- */

static void operation_write(struct builder *builder, uint32_t id, bool is_start, int64_t delay)
{
    struct builder_counts *counts = &builder->counts;
    uint64_t now = (uint64_t)builder->now;
    if (counts->ticks_with_ops == 0 || now != builder->last_op_now) {
        counts->ticks_with_ops++;
        builder->ops_in_tick = 0;
        builder->last_op_now = now;
    }
    if (++builder->ops_in_tick > counts->max_ops_in_tick)
        counts->max_ops_in_tick = builder->ops_in_tick;
    memory_room(&builder->ops, builder->op_count, &builder->op_room, sizeof *builder->ops);
    builder->ops[builder->op_count++] =
        (struct builder_op){.now = now, .delay = delay, .id = id, .is_start = is_start};
}

/* A deadline past the end of time is at its end. */
static int64_t delay_cut(const struct builder *builder, int64_t delay)
{
    return delay > INT64_MAX - builder->now ? INT64_MAX - builder->now : delay;
}

void builder_start(struct builder *builder, uint64_t name, int64_t delay)
{
    uint32_t number;
    struct builder_object *object = object_make(builder, name, &number);
    delay = delay_cut(builder, delay);
    bool is_new = object->state != BUILDER_ARMED;
    if (is_new) {
        memory_room(&builder->heap, builder->armed, &builder->heap_room, sizeof *builder->heap);
        if (builder->recycle || object->id == KEYMAP_NONE)
            object->id = id_take(builder);
        builder->armed++;
        object->place = builder->armed - 1;
        builder->counts.starts_new++;
    } else {
        builder->counts.starts_rearm++;
    }
    object->state = BUILDER_ARMED;
    object->seen = false;
    object->started = builder->now;
    object->deadline = builder->now + delay;
    object->start = builder->op_count;
    heap_settle(builder, object->place, number);
    if (builder->armed > builder->counts.max_armed)
        builder->counts.max_armed = builder->armed;
    operation_write(builder, object->id, true, delay);
}

/* The cancel of an armed timer. */
static void cancel_write(struct builder *builder, uint32_t number)
{
    operation_write(builder, builder->objects[number].id, false, 0);
    object_disarm(builder, number, BUILDER_IDLE);
    builder->counts.cancels++;
}

enum builder_state builder_cancel(struct builder *builder, uint64_t name)
{
    uint32_t number;
    struct builder_object *object = object_find(builder, name, &number);
    enum builder_state state = state_of(object);
    if (state == BUILDER_ARMED) {
        cancel_write(builder, number);
    } else if (state == BUILDER_DUE) {
        object->state = BUILDER_IDLE;
        builder->counts.drop_cancel_late++;
    } else {
        builder->counts.drop_cancel_unknown++;
    }
    return state;
}

/* What the source reports of an armed timer's firing. */
static void fired_armed(struct builder *builder, uint32_t number)
{
    struct builder_object *object = &builder->objects[number];
    if (object->deadline > builder->now) {
        builder->counts.obs_early++;
        cancel_write(builder, number);
    } else {
        builder->counts.obs_same_tick++;
        object->seen = true;
    }
}

enum builder_state builder_fired(struct builder *builder, uint64_t name)
{
    uint32_t number;
    struct builder_object *object = object_find(builder, name, &number);
    enum builder_state state = state_of(object);
    if (state == BUILDER_ARMED) {
        fired_armed(builder, number);
    } else if (state == BUILDER_DUE) {
        object->state = BUILDER_IDLE;
        builder->counts.obs_ok++;
        distribution_add(&builder->lateness, builder->now - object->deadline);
    } else {
        builder->counts.obs_unknown++;
    }
    return state;
}

uint64_t builder_pull_in(struct builder *builder, uint64_t name, uint64_t time)
{
    uint32_t number;
    struct builder_object *object = object_find(builder, name, &number);
    int64_t at = time > builder_time(builder) ? (int64_t)(time - builder->base) : builder->now;
    if (state_of(object) != BUILDER_ARMED || object->deadline <= at)
        return 0;
    uint64_t by = (uint64_t)(object->deadline - at);
    object->deadline = at;
    heap_settle(builder, object->place, number);
    builder->ops[object->start].delay = at - object->started;
    return by;
}
