/*
 * store_writer.h - puts, cancels and dones of many threads as transactions of a store that has one writer at a time:
 * sqlite and lmdb.
 *
 * Each call becomes a store_call (store_group.h).  The leader begins one transaction, carries out all calls of its
 * group and commits: one sync for all.  If anything fails, the transaction is aborted, all of its calls are refused, and
 * the writer is broken until the store is opened again.
 */
#ifndef TWBENCH_STORE_WRITER_H
#define TWBENCH_STORE_WRITER_H

#include "store_group.h"
#include "store_ordered.h"

/* A step that has to be done over in a new transaction, with more room. */
#define STORE_AGAIN 100

/* What the store does; each answers TW_STORE_OK, an error, or STORE_AGAIN.  One thread at a time calls them. */
struct store_steps {
    int (*begin)(void *ctx);
    /* seal: 4 bytes that go before the payload. */
    int (*insert)(void *ctx, const struct tw_message *message, uint32_t seal);
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
int store_writer_put(struct store_writer *writer, const struct tw_message *messages, size_t count);
int store_writer_cancel(struct store_writer *writer, uint64_t key, uint64_t due_ms);
int store_writer_done(struct store_writer *writer, size_t count);

#endif
