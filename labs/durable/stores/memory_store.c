/*
 * memory_store.c - the reference: a heap in memory by due and order of put, one mutex around it; survives nothing.
 *
 *     place    one message: key, due, its copy of the payload; free, waiting, handed out or spent
 *     heap     indices of the places that wait, least (due, sequence) first; each place knows its index there
 *     handed   indices of the places handed out and not yet done, in order of delivery
 *     spent    places that are done; freed by the next poll, because their payloads are valid until then
 *
 * handle = generation << 32 | place, so that a cancel of what was handed out and freed long ago is told from the
 * message that lies there now.
 */
#include "store_parts.h"

#include <pthread.h>
#include <stdlib.h>

extern const struct tw_store_backend tw_store_memory;

#define NOT_IN_HEAP UINT32_MAX

struct place {
    uint64_t key, due_ms, sequence;
    void *payload;
    uint32_t size, generation, heap_at;
};

struct indices {
    uint32_t *at;
    size_t count, room;
};

struct tw_store {
    pthread_mutex_t lock;
    struct place *places;
    size_t place_count, place_room;
    struct indices free, heap, handed, spent;
    uint64_t sequence, payload_bytes;
};

static const struct tw_param memory_store_params[] = {{NULL, NULL, 0, 0, 0}};

/* ---- The heap. ------------------------------------------------------------------------------- */

static bool is_before(const struct tw_store *store, uint32_t a, uint32_t b)
{
    const struct place *left = &store->places[a], *right = &store->places[b];
    return left->due_ms != right->due_ms ? left->due_ms < right->due_ms
                                         : left->sequence < right->sequence;
}

static void heap_set(struct tw_store *store, size_t at, uint32_t place)
{
    store->heap.at[at] = place;
    store->places[place].heap_at = (uint32_t)at;
}

static void heap_climb(struct tw_store *store, size_t at, uint32_t place)
{
    for (; at > 0 && is_before(store, place, store->heap.at[(at - 1) / 2]); at = (at - 1) / 2)
        heap_set(store, at, store->heap.at[(at - 1) / 2]);
    heap_set(store, at, place);
}

static void heap_sink(struct tw_store *store, size_t at, uint32_t place)
{
    const struct indices *heap = &store->heap;
    for (size_t child; (child = 2 * at + 1) < heap->count; at = child) {
        if (child + 1 < heap->count && is_before(store, heap->at[child + 1], heap->at[child]))
            child++;
        if (!is_before(store, heap->at[child], place))
            break;
        heap_set(store, at, heap->at[child]);
    }
    heap_set(store, at, place);
}

static void heap_remove(struct tw_store *store, uint32_t place)
{
    size_t at = store->places[place].heap_at;
    uint32_t last = store->heap.at[--store->heap.count];
    store->places[place].heap_at = NOT_IN_HEAP;
    if (last == place)
        return;
    if (at > 0 && is_before(store, last, store->heap.at[(at - 1) / 2]))
        heap_climb(store, at, last);
    else
        heap_sink(store, at, last);
}

/* ---- Places. --------------------------------------------------------------------------------- */

#define indices_room(list, most) store_room(&(list)->at, &(list)->room, most, sizeof *(list)->at)

/* Room for so many more of everything, so that nothing fails half way. */
static bool reserve(struct tw_store *store, size_t count)
{
    size_t most = store->place_count + count;
    return most < UINT32_MAX &&
           store_room(&store->places, &store->place_room, most, sizeof *store->places) &&
           indices_room(&store->free, most) && indices_room(&store->heap, most) &&
           indices_room(&store->handed, most) && indices_room(&store->spent, most);
}

static uint32_t place_take(struct tw_store *store)
{
    if (store->free.count > 0)
        return store->free.at[--store->free.count];
    store->places[store->place_count] = (struct place){.heap_at = NOT_IN_HEAP};
    return (uint32_t)store->place_count++;
}

static void place_free(struct tw_store *store, uint32_t index)
{
    struct place *place = &store->places[index];
    store->payload_bytes -= place->size;
    free(place->payload);
    place->payload = NULL;
    place->generation++;
    store->free.at[store->free.count++] = index;
}

/* ---- The table. ------------------------------------------------------------------------------ */

static int memory_store_make(struct tw_store *store, const struct tw_store_config *config,
                             struct tw_error *error)
{
    (void)config, (void)error;
    pthread_mutex_init(&store->lock, NULL);
    return TW_STORE_OK;
}

STORE_PLAIN_SEATS(memory_store)

/* The payloads' copies, made before the lock is taken; all or none. */
static void **payloads_copy(const struct tw_message *messages, size_t count)
{
    void **copies = calloc(count, sizeof *copies);
    for (size_t i = 0; copies && i < count; i++) {
        copies[i] = malloc(messages[i].size + 1u);
        if (!copies[i]) {
            while (i > 0)
                free(copies[--i]);
            free(copies);
            return NULL;
        }
        if (messages[i].size > 0)
            memcpy(copies[i], messages[i].payload, messages[i].size);
    }
    return copies;
}

static void message_place(struct tw_store *store, struct tw_message *message, void *payload)
{
    uint32_t index = place_take(store);
    struct place *place = &store->places[index];
    place->key = message->key;
    place->due_ms = message->due_ms;
    place->sequence = store->sequence++;
    place->payload = payload;
    place->size = message->size;
    store->payload_bytes += message->size;
    message->handle = (uint64_t)place->generation << 32 | index;
    heap_climb(store, store->heap.count++, index);
}

static int memory_store_put(struct tw_store_seat *seat, struct tw_message *messages, size_t count)
{
    struct tw_store *store = seat->store;
    for (size_t i = 0; i < count; i++)
        if (messages[i].size > TW_PAYLOAD_MAX)
            return TW_STORE_RANGE;
    void **copies = payloads_copy(messages, count);
    if (!copies)
        return TW_STORE_MEMORY;
    pthread_mutex_lock(&store->lock);
    bool has_room = reserve(store, count);
    for (size_t i = 0; has_room && i < count; i++)
        message_place(store, &messages[i], copies[i]);
    pthread_mutex_unlock(&store->lock);
    for (size_t i = 0; !has_room && i < count; i++)
        free(copies[i]);
    free(copies);
    return has_room ? TW_STORE_OK : TW_STORE_MEMORY;
}

static int memory_store_cancel(struct tw_store_seat *seat, uint64_t key, uint64_t due_ms,
                               uint64_t handle)
{
    struct tw_store *store = seat->store;
    uint32_t index = (uint32_t)handle;
    (void)due_ms;
    pthread_mutex_lock(&store->lock);
    struct place *place = index < store->place_count ? &store->places[index] : NULL;
    bool waits = place && place->generation == handle >> 32 && place->key == key &&
                 place->heap_at != NOT_IN_HEAP;
    if (waits) {
        heap_remove(store, index);
        place_free(store, index);
    }
    pthread_mutex_unlock(&store->lock);
    return waits ? TW_STORE_CANCELLED : TW_STORE_TOO_LATE;
}

static int memory_store_poll(struct tw_store *store, uint64_t now_ms, struct tw_delivery *out,
                             size_t max, size_t *count)
{
    size_t given = 0;
    pthread_mutex_lock(&store->lock);
    for (size_t i = 0; i < store->spent.count; i++)
        place_free(store, store->spent.at[i]);
    store->spent.count = 0;
    while (given < max && store->heap.count > 0) {
        uint32_t index = store->heap.at[0];
        const struct place *place = &store->places[index];
        if (place->due_ms > now_ms)
            break;
        heap_remove(store, index);
        store->handed.at[store->handed.count++] = index;
        out[given++] = (struct tw_delivery){place->key, place->due_ms, place->payload, place->size};
    }
    pthread_mutex_unlock(&store->lock);
    *count = given;
    return TW_STORE_OK;
}

static int memory_store_done(struct tw_store *store, size_t count)
{
    pthread_mutex_lock(&store->lock);
    struct indices *handed = &store->handed;
    if (count > handed->count)
        count = handed->count;
    for (size_t i = 0; i < count; i++)
        store->spent.at[store->spent.count++] = handed->at[i];
    handed->count -= count;
    memmove(handed->at, handed->at + count, handed->count * sizeof *handed->at);
    pthread_mutex_unlock(&store->lock);
    return TW_STORE_OK;
}

static uint64_t memory_store_next(struct tw_store *store)
{
    pthread_mutex_lock(&store->lock);
    uint64_t due = store->heap.count > 0 ? store->places[store->heap.at[0]].due_ms : TW_STORE_NEVER;
    pthread_mutex_unlock(&store->lock);
    return due;
}

STORE_TENDS_NOTHING(memory_store)

static int memory_store_checkpoint(struct tw_store *store)
{
    (void)store;
    return TW_STORE_OK;
}

static int memory_store_close(struct tw_store *store)
{
    for (size_t i = 0; i < store->place_count; i++)
        free(store->places[i].payload);
    free(store->places);
    free(store->free.at);
    free(store->heap.at);
    free(store->handed.at);
    free(store->spent.at);
    pthread_mutex_destroy(&store->lock);
    free(store);
    return TW_STORE_OK;
}

STORE_OPEN(memory_store, tw_store_memory, memory_store_make, memory_store_close)

static void memory_store_stats(struct tw_store *store, struct tw_store_stats *out)
{
    pthread_mutex_lock(&store->lock);
    *out = (struct tw_store_stats){
        .pending = store->heap.count + store->handed.count,
        .memory_bytes =
            sizeof *store + store->place_room * sizeof *store->places +
            (store->free.room + store->heap.room + store->handed.room + store->spent.room) *
                sizeof(uint32_t) +
            store->payload_bytes,
    };
    pthread_mutex_unlock(&store->lock);
}

static void memory_store_describe(struct tw_store *store, struct tw_store_description *out)
{
    (void)store;
    *out = (struct tw_store_description){.resolution_ms = 1, .reach_ms = TW_STORE_NEVER};
}

const struct tw_store_backend tw_store_memory = {
    .name = "memory",
    .summary = "the reference: a heap in memory that survives nothing",
    .after = "",
    .flags = TW_STORE_IN_MEMORY,
    .policies = TW_SYNC_ALL,
    TW_STORE_HOOKS(memory_store),
};
