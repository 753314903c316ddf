/*
 * store_flusher.h - the thread that syncs what was written, once each interval (TW_SYNC_INTERVAL).
 *
 * It sleeps by CLOCK_MONOTONIC and calls `flush` only if something was written since the last time.  The store says
 * so after each write, with an atomic flag: no lock on the way of a put.
 */
#ifndef TWBENCH_STORE_FLUSHER_H
#define TWBENCH_STORE_FLUSHER_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

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

#endif
