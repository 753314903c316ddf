/*
 * store_ordered.h - dispatch from a store that keeps messages in the order (due, key): sqlite, lmdb, rocksdb.
 *
 * What is handed out stays in the store until it is done, so a crash brings it back.  Memory holds what says that it is
 * handed out:
 *
 *     handed       (due, key) of what was handed out and is not done, in order of delivery
 *     is_handed    the same keys, to look one up
 *     cancelling   keys whose deletion is under way: poll passes over them
 *     cursor       where the next poll begins to read: nothing before it waits.  A put before it moves it back
 *     next         no message that waits is due before it
 *
 * A message ends in one way only.  poll holds the lock while it reads a snapshot and hands out; a cancel enters its
 * key under the lock before it deletes, and takes it out under the lock when the deletion is durable.  So a poll
 * that still sees the message sees the key too, and a poll that came first has it among the handed.
 *
 * A poll that is cut off by max or by the bound of its payloads costs what it hands out, not what waits.  16 bytes
 * and a pair of the set for each message that is handed out; nothing for those that wait.
 */
#ifndef TWBENCH_STORE_ORDERED_H
#define TWBENCH_STORE_ORDERED_H

#include "store.h"
#include "store_payloads.h"
#include "store_set.h"

#include <pthread.h>
#include <stdatomic.h>

/* The place of a message in the order: due in ms, then key. */
struct store_at {
    uint64_t due, key;
};

/* What is handed out or being cancelled, and where the next poll begins. */
struct store_ordered {
    pthread_mutex_t lock;
    struct store_at *handed; /* a ring; the dispatcher's */
    size_t handed_first, handed_count, handed_room;
    struct store_set is_handed, cancelling; /* under the lock */
    struct store_at cursor;                 /* under the lock */
    uint64_t next;                          /* under the lock */
    struct store_payloads payloads;         /* the dispatcher's */
    atomic_uint_least64_t pending, damaged;
};

/* Nothing waits and nothing is handed out. */
void store_ordered_init(struct store_ordered *ordered);
/* What open found waiting, and the due of the first of it or TW_STORE_NEVER. */
void store_ordered_found(struct store_ordered *ordered, uint64_t pending, uint64_t next);
/* Frees what is remembered; the messages are the store's. */
void store_ordered_destroy(struct store_ordered *ordered);

/* After the messages are in the store, before put returns. */
void store_ordered_put(struct store_ordered *ordered, const struct tw_message *messages,
                       size_t count);

/* Before the deletion: TW_STORE_OK, or _TOO_LATE and nothing is to be done, or _MEMORY. */
int store_ordered_cancel(struct store_ordered *ordered, uint64_t key);
/* After it, whatever came of it; `found` if the message was there. */
void store_ordered_cancelled(struct store_ordered *ordered, uint64_t key, bool found);

/* One poll of the dispatcher: begin (takes the lock), then each message at the cursor or after it, in order, until the
 * answer is not MORE, then end (gives the lock back). */
enum store_offered { STORE_MORE, STORE_ENOUGH, STORE_NO_MEMORY };
struct store_poll {
    struct store_ordered *ordered;
    uint64_t now_ms;
    struct tw_delivery *out;
    size_t max, count;
};
/* Where to begin to read, and false if nothing is due: then there is nothing to end. */
bool store_poll_begin(struct store_poll *poll, struct store_at *from);
/* A message of the store.  value: its seal of 4 bytes, then the payload. */
enum store_offered store_poll_offer(struct store_poll *poll, struct store_at at, const void *value,
                                    size_t size);
/* exhausted: no message follows those that were offered. */
void store_poll_end(struct store_poll *poll, bool exhausted);

/* The index-th of those handed out and not done; less than handed_count. */
static inline struct store_at store_ordered_handed(const struct store_ordered *ordered,
                                                   size_t index)
{
    return ordered->handed[(ordered->handed_first + index) & (ordered->handed_room - 1)];
}
/* The first count of them are gone from the store. */
void store_ordered_done(struct store_ordered *ordered, size_t count);

/* No message that waits is due before it, in ms; TW_STORE_NEVER: none waits.  Any thread. */
uint64_t store_ordered_next(struct store_ordered *ordered);
/* Bytes held for what is handed out or being cancelled, payloads included. */
uint64_t store_ordered_memory(struct store_ordered *ordered);

#endif
