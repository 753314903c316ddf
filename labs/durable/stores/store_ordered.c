/* store_ordered.c - dispatch from a store in the order (due, key): who is handed out, who is being cancelled. */
#include "store_parts.h"

#include <stdlib.h>

static bool is_before(struct store_at left, struct store_at right)
{
    return left.due != right.due ? left.due < right.due : left.key < right.key;
}

static struct store_at after(struct store_at at)
{
    return at.key < UINT64_MAX ? (struct store_at){at.due, at.key + 1}
                               : (struct store_at){at.due + 1, 0};
}

void store_ordered_init(struct store_ordered *ordered)
{
    *ordered = (struct store_ordered){.next = TW_STORE_NEVER};
    pthread_mutex_init(&ordered->lock, NULL);
}

void store_ordered_found(struct store_ordered *ordered, uint64_t pending, uint64_t next)
{
    ordered->next = next;
    atomic_store(&ordered->pending, pending);
}

void store_ordered_destroy(struct store_ordered *ordered)
{
    free(ordered->handed);
    store_set_free(&ordered->is_handed);
    store_set_free(&ordered->cancelling);
    store_payloads_free(&ordered->payloads);
    pthread_mutex_destroy(&ordered->lock);
}

void store_ordered_put(struct store_ordered *ordered, const struct tw_message *messages,
                       size_t count)
{
    pthread_mutex_lock(&ordered->lock);
    for (size_t i = 0; i < count; i++) {
        struct store_at at = {messages[i].due_ms, messages[i].key};
        if (is_before(at, ordered->cursor))
            ordered->cursor = at;
        if (at.due < ordered->next)
            ordered->next = at.due;
    }
    pthread_mutex_unlock(&ordered->lock);
    atomic_fetch_add(&ordered->pending, count);
}

int store_ordered_cancel(struct store_ordered *ordered, uint64_t key)
{
    int answer = TW_STORE_OK;
    pthread_mutex_lock(&ordered->lock);
    if (store_set_find(&ordered->is_handed, key))
        answer = TW_STORE_TOO_LATE;
    else if (!store_set_reserve(&ordered->cancelling, 1))
        answer = TW_STORE_MEMORY;
    else
        store_set_add(&ordered->cancelling, key, 0);
    pthread_mutex_unlock(&ordered->lock);
    return answer;
}

void store_ordered_cancelled(struct store_ordered *ordered, uint64_t key, bool found)
{
    pthread_mutex_lock(&ordered->lock);
    store_set_remove(&ordered->cancelling, key);
    pthread_mutex_unlock(&ordered->lock);
    if (found)
        atomic_fetch_sub(&ordered->pending, 1);
}

bool store_poll_begin(struct store_poll *poll, struct store_at *from)
{
    struct store_ordered *ordered = poll->ordered;
    poll->count = 0;
    store_payloads_reset(&ordered->payloads);
    pthread_mutex_lock(&ordered->lock);
    *from = ordered->cursor;
    if (poll->max > 0 && ordered->next <= poll->now_ms)
        return true;
    pthread_mutex_unlock(&ordered->lock);
    return false;
}

static bool handed_reserve(struct store_ordered *ordered)
{
    if (!store_set_reserve(&ordered->is_handed, 1))
        return false;
    if (ordered->handed_count < ordered->handed_room)
        return true;
    size_t room = ordered->handed_room ? ordered->handed_room * 2 : 64;
    struct store_at *wider = malloc(room * sizeof *wider);
    if (!wider)
        return false;
    for (size_t i = 0; i < ordered->handed_count; i++)
        wider[i] = store_ordered_handed(ordered, i);
    free(ordered->handed);
    ordered->handed = wider;
    ordered->handed_first = 0;
    ordered->handed_room = room;
    return true;
}

enum store_offered store_poll_offer(struct store_poll *poll, struct store_at at, const void *value,
                                    size_t size)
{
    struct store_ordered *ordered = poll->ordered;
    if (at.due > poll->now_ms || poll->count >= poll->max ||
        store_payloads_full(&ordered->payloads)) {
        ordered->next = at.due;
        return STORE_ENOUGH;
    }
    if (store_set_find(&ordered->is_handed, at.key) || store_set_find(&ordered->cancelling, at.key))
        return STORE_MORE;
    if (!store_sealed_fits(value, size, at.key, at.due)) {
        /* Not served; it stays where it is, and is counted once in each open. */
        atomic_fetch_add(&ordered->damaged, 1);
        ordered->cursor = after(at);
        return STORE_MORE;
    }
    const unsigned char *payload = (const unsigned char *)value + STORE_SEAL_BYTES;
    size -= STORE_SEAL_BYTES;
    const void *copy =
        handed_reserve(ordered) ? store_payloads_copy(&ordered->payloads, payload, size) : NULL;
    if (!copy)
        return STORE_NO_MEMORY;
    size_t last = ordered->handed_first + ordered->handed_count++;
    ordered->handed[last & (ordered->handed_room - 1)] = at;
    store_set_add(&ordered->is_handed, at.key, 0);
    ordered->cursor = after(at);
    poll->out[poll->count++] = (struct tw_delivery){at.key, at.due, copy, (uint32_t)size};
    return STORE_MORE;
}

void store_poll_end(struct store_poll *poll, bool exhausted)
{
    if (exhausted)
        poll->ordered->next = TW_STORE_NEVER;
    pthread_mutex_unlock(&poll->ordered->lock);
}

void store_ordered_done(struct store_ordered *ordered, size_t count)
{
    pthread_mutex_lock(&ordered->lock);
    for (size_t i = 0; i < count; i++)
        store_set_remove(&ordered->is_handed, store_ordered_handed(ordered, i).key);
    pthread_mutex_unlock(&ordered->lock);
    ordered->handed_first += count;
    ordered->handed_count -= count;
    atomic_fetch_sub(&ordered->pending, count);
}

uint64_t store_ordered_next(struct store_ordered *ordered)
{
    pthread_mutex_lock(&ordered->lock);
    uint64_t next = ordered->next;
    pthread_mutex_unlock(&ordered->lock);
    return next;
}

uint64_t store_ordered_memory(struct store_ordered *ordered)
{
    pthread_mutex_lock(&ordered->lock);
    uint64_t bytes =
        ordered->handed_room * sizeof *ordered->handed +
        (ordered->is_handed.room + ordered->cancelling.room) * sizeof *ordered->is_handed.pairs +
        store_payloads_memory(&ordered->payloads);
    pthread_mutex_unlock(&ordered->lock);
    return bytes;
}
