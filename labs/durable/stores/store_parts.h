/* store_parts.h - what stores are made of: their directory, payloads, sets, orders, and threads that sync. */
#ifndef TWBENCH_STORE_PARTS_H
#define TWBENCH_STORE_PARTS_H

#include "store_open.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The directory of a store that stands on a library or a server: made, locked, recognised, measured.
 *
 *     twbench-store   one line: name, version and lasting settings of the store that made the directory
 *     lock            held by the process that has the store open (flock: ends with the process)
 *     server-lock     held by the private server too, which inherits it; a new open waits until the last one has gone
 *
 * A directory that holds anything else and no such line is somebody else's: it is refused and left as it is. */

struct store_directory {
    int fd;          /* of the directory; -1: not open */
    int lock;        /* closed on exec */
    int server_lock; /* inherited by a server; -1 without server */
    bool is_new;     /* this open made the line */
};

/* Makes the directory if it is not there, takes the lock and reads the line, or writes `line` (without its end).
 * TW_STORE_OK; or _LOCKED, _FORMAT, _IO with *error filled and nothing open. */
int store_directory_open(struct store_directory *directory, const char *path, const char *line,
                         struct tw_error *error);

/* Takes the lock that a server inherits; waits up to 10 s for the server of a process that died.  TW_STORE_OK or
 * _LOCKED. */
int store_directory_lock_server(struct store_directory *directory, struct tw_error *error);

/* Gives the locks and the descriptors back.  The server's lock lasts as long as a server that inherited it. */
void store_directory_close(struct store_directory *directory);

/* Bytes that the file system has allocated to all files below; UINT64_MAX if they cannot be listed.  Reads the
 * directory each time: microseconds for each file. */
uint64_t store_directory_bytes(const struct store_directory *directory);

/* The payloads of one poll, kept until the next, and the seal that shows a damaged one.
 *
 * Blocks never move while a poll adds to them.  A poll ends its run when RUN_BYTES are full, so that memory is bounded
 * whatever the slot holds. */

/* A poll hands out no more than this at once, but always one message. */
#define STORE_RUN_BYTES ((size_t)4 << 20)

/* A piece of memory that payloads are copied into, one behind the other. */
struct store_block {
    struct store_block *next;
    size_t room, used;
    unsigned char bytes[];
};

/* All zero: empty. */
struct store_payloads {
    struct store_block *blocks; /* the last one first */
    size_t bytes;               /* in use */
};

/* The payloads of the last poll end; one block is kept. */
void store_payloads_reset(struct store_payloads *payloads);
/* A copy of the bytes, valid until reset; NULL without memory. */
void *store_payloads_copy(struct store_payloads *payloads, const void *bytes, size_t size);
/* Has the poll handed out as much as it may? */
static inline bool store_payloads_full(const struct store_payloads *payloads)
{
    return payloads->bytes >= STORE_RUN_BYTES;
}
/* Bytes of all blocks, used or not. */
size_t store_payloads_memory(const struct store_payloads *payloads);
/* Ends all payloads and gives the last block back; empty afterwards. */
void store_payloads_free(struct store_payloads *payloads);

/* What a message is kept as: a seal of 32 bits over key, due and payload, and the payload.  A bit that flipped in any of
 * them, or a payload that is there by half, breaks it. */
#define STORE_SEAL_BYTES 4u
uint32_t store_seal(const struct tw_message *message);
void store_sealed_put(void *to, const struct tw_message *message);
/* Is that what such a message was kept as? */
bool store_sealed_fits(const void *kept, size_t size, uint64_t key, uint64_t due_ms);

/* 64 bits in the order in which bytes compare as numbers do, for keys of ordered stores. */
static inline void store_put64(unsigned char *out, uint64_t value)
{
    for (int i = 7; i >= 0; i--, value >>= 8)
        out[i] = (unsigned char)value;
}

/* What store_put64 wrote. */
static inline uint64_t store_get64(const unsigned char *in)
{
    uint64_t value = 0;
    for (int i = 0; i < 8; i++)
        value = value << 8 | in[i];
    return value;
}

/* A set of keys, each with a value of 64 bits: open addressing, at most half full, no tombstones.
 *
 * For one thread at a time.  All operations O(1) on average; 32 bytes a key at most after growth, 0 when empty. */

/* A place of the table. */
struct store_pair {
    uint64_t key, value;
    bool used;
};

/* All zero: empty. */
struct store_set {
    struct store_pair *pairs;
    size_t room, count; /* room: a power of two, or 0 */
};

/* Room for so many more keys; false without memory, and then nothing has changed. */
bool store_set_reserve(struct store_set *set, size_t more);
/* Adds the key, or changes its value.  Needs room that was reserved. */
void store_set_add(struct store_set *set, uint64_t key, uint64_t value);
/* The value of the key; NULL if it is not there.  Valid until the next change. */
const uint64_t *store_set_find(const struct store_set *set, uint64_t key);
/* Whether it was there. */
bool store_set_remove(struct store_set *set, uint64_t key);
/* Empty afterwards, and may be used again. */
void store_set_free(struct store_set *set);

/* Dispatch from a store that keeps messages in the order (due, key): sqlite, lmdb, rocksdb.
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
 * and a pair of the set for each message that is handed out; nothing for those that wait. */

/* The place of a message in the order: due in ms, then key. */
struct store_at {
    uint64_t due, key;
};

/* As the key of an ordered store. */
static inline void store_at_put(unsigned char key[16], struct store_at at)
{
    store_put64(key, at.due);
    store_put64(key + 8, at.key);
}

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
/* A message of the store.  value: as store_sealed_put wrote it. */
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

/* The thread that syncs what was written, once each interval (TW_SYNC_INTERVAL).
 *
 * It sleeps by CLOCK_MONOTONIC and calls `flush` only if something was written since the last time.  The store says
 * so after each write, with an atomic flag: no lock on the way of a put. */

/* Makes durable what was written; what fails is for it to note. */
typedef void store_flush_fn(void *ctx);

/* A thread that calls `flush` each interval_ms if something was written since.  Under `lock`: runs, ends. */
struct store_flusher {
    pthread_mutex_t lock;
    pthread_cond_t wake;
    pthread_t thread;
    bool runs, ends;
    atomic_bool dirty;
    uint32_t interval_ms;
    store_flush_fn *flush;
    void *ctx;
};

/* Starts the thread; false if there is none to be had. */
bool store_flusher_start(struct store_flusher *flusher, uint32_t interval_ms, store_flush_fn *flush,
                         void *ctx);
/* Something was written. */
static inline void store_flusher_note(struct store_flusher *flusher)
{
    atomic_store_explicit(&flusher->dirty, true, memory_order_release);
}
/* Ends the thread, without a last flush; nothing if it never started. */
void store_flusher_end(struct store_flusher *flusher);

/* Puts, cancels and dones of many threads as transactions of a store that has one writer at a time:
 * sqlite and lmdb.
 *
 * Each call becomes a store_call.  The leader begins one transaction, carries out all calls of its
 * group and commits: one sync for all.  If anything fails, the transaction is aborted, all of its calls are refused, and
 * the writer is broken until the store is opened again. */

/* A step that has to be done over in a new transaction, with more room. */
#define STORE_AGAIN 100

/* What the store does; each answers TW_STORE_OK, an error, or STORE_AGAIN.  One thread at a time calls them. */
struct store_steps {
    int (*begin)(void *ctx);
    int (*insert)(void *ctx, const struct tw_message *message);
    int (*remove)(void *ctx, struct store_at at, bool *found);
    int (*commit)(void *ctx);
    void (*abort)(void *ctx);
};

/* One for each open store. */
struct store_writer {
    struct store_group group;
    struct store_ordered ordered;
    atomic_bool broken;
    const struct store_steps *steps;
    void *ctx;
    uint64_t due_max;
};

/* `steps` and `ctx` outlive the writer.  due_max starts as the largest due there is; a store whose keys hold less
 * lowers it. */
void store_writer_init(struct store_writer *writer, const struct store_steps *steps, void *ctx,
                       enum tw_sync_policy policy);
/* No call may be under way. */
void store_writer_destroy(struct store_writer *writer);

/* As the hooks of store.h. */
int store_writer_put(struct store_writer *writer, struct tw_message *messages, size_t count);
int store_writer_cancel(struct store_writer *writer, uint64_t key, uint64_t due_ms);
int store_writer_done(struct store_writer *writer, size_t count);

/* Hooks of stores whose seats are nothing but the store, and of those that do nothing ahead of time. */
#define STORE_PLAIN_SEATS(prefix)                                                                  \
    struct tw_store_seat {                                                                         \
        struct tw_store *store;                                                                    \
    };                                                                                             \
    static struct tw_store_seat *prefix##_enter(struct tw_store *store)                            \
    {                                                                                              \
        struct tw_store_seat *seat = malloc(sizeof *seat);                                         \
        if (seat)                                                                                  \
            seat->store = store;                                                                   \
        return seat;                                                                               \
    }                                                                                              \
    static void prefix##_leave(struct tw_store_seat *seat)                                         \
    {                                                                                              \
        free(seat);                                                                                \
    }
#define STORE_TENDS_NOTHING(prefix)                                                                \
    static int prefix##_tend(struct tw_store *store, uint64_t now_ms, int *more)                   \
    {                                                                                              \
        (void)store, (void)now_ms;                                                                 \
        *more = 0;                                                                                 \
        return TW_STORE_OK;                                                                        \
    }
/* Of those whose messages `ordered` has. */
#define STORE_NEXT_OF(prefix, member)                                                              \
    static uint64_t prefix##_next(struct tw_store *store)                                          \
    {                                                                                              \
        return store_ordered_next(&store->member);                                                 \
    }

/* Of those that have a writer. */
#define STORE_WRITES(prefix)                                                                       \
    static int prefix##_put(struct tw_store_seat *seat, struct tw_message *messages, size_t count) \
    {                                                                                              \
        return store_writer_put(&seat->store->writer, messages, count);                            \
    }                                                                                              \
    static int prefix##_cancel(struct tw_store_seat *seat, uint64_t key, uint64_t due_ms,          \
                               uint64_t handle)                                                    \
    {                                                                                              \
        (void)handle;                                                                              \
        return store_writer_cancel(&seat->store->writer, key, due_ms);                             \
    }                                                                                              \
    static int prefix##_done(struct tw_store *store, size_t count)                                 \
    {                                                                                              \
        return store_writer_done(&store->writer, count);                                           \
    }

#endif
