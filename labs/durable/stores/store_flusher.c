/* store_flusher.c - a thread that syncs once each interval, if there is something to sync. */
#include "store_parts.h"

static void *flusher_run(void *ctx)
{
    struct store_flusher *flusher = ctx;
    uint64_t until_ns = store_monotonic_ns();
    pthread_mutex_lock(&flusher->lock);
    while (!flusher->ends) {
        uint64_t now_ns = store_monotonic_ns();
        if (now_ns < until_ns) {
            struct timespec until = store_timespec(until_ns);
            pthread_cond_timedwait(&flusher->wake, &flusher->lock, &until);
            continue;
        }
        /* From the start of this flush, so that a slow one does not lengthen the interval. */
        until_ns = now_ns + flusher->interval_ms * UINT64_C(1000000);
        if (!atomic_exchange_explicit(&flusher->dirty, false, memory_order_acquire))
            continue;
        pthread_mutex_unlock(&flusher->lock);
        flusher->flush(flusher->ctx);
        pthread_mutex_lock(&flusher->lock);
    }
    pthread_mutex_unlock(&flusher->lock);
    return NULL;
}

bool store_flusher_start(struct store_flusher *flusher, uint32_t interval_ms, store_flush_fn *flush,
                         void *ctx)
{
    pthread_condattr_t monotonic;
    flusher->interval_ms = interval_ms;
    flusher->flush = flush;
    flusher->ctx = ctx;
    pthread_mutex_init(&flusher->lock, NULL);
    pthread_condattr_init(&monotonic);
    pthread_condattr_setclock(&monotonic, CLOCK_MONOTONIC);
    pthread_cond_init(&flusher->wake, &monotonic);
    pthread_condattr_destroy(&monotonic);
    flusher->runs = pthread_create(&flusher->thread, NULL, flusher_run, flusher) == 0;
    return flusher->runs;
}

void store_flusher_end(struct store_flusher *flusher)
{
    if (!flusher->runs)
        return;
    pthread_mutex_lock(&flusher->lock);
    flusher->ends = true;
    pthread_cond_signal(&flusher->wake);
    pthread_mutex_unlock(&flusher->lock);
    pthread_join(flusher->thread, NULL);
    pthread_cond_destroy(&flusher->wake);
    pthread_mutex_destroy(&flusher->lock);
    flusher->runs = false;
}
