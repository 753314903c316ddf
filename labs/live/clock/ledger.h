/*
 * ledger.h - keeps the account of every timer of a run: accepted = ran + stopped + returned, each exactly once.
 *
 * Each id of the load has an account.  A start that was accepted adds a hash of the timer's name, and each of
 * the three ends subtracts it.  At the end it is 0 exactly when every name ended once: a timer that fires
 * twice, or fires and is also stopped, leaves a remainder, and so does one that is lost.  The counts say how
 * many, the account says which.
 */
#ifndef TWBENCH_LEDGER_H
#define TWBENCH_LEDGER_H

#include "labs/live/clock/clock_data.h"

#include <stdatomic.h>

struct performance;

struct account {
    struct performance *performance;
    _Atomic uint64_t timer;   /* the last one accepted, for stop; 0: none */
    _Atomic uint64_t balance; /* sum of hashes: accepted less ended */
    bool is_periodic;         /* a run is no end of it; set before its start, by the same thread */
};

/* A cache line: what different threads write lies so far apart. */
#define LEDGER_APART 64

/* What one thread did, producer or not; it alone writes here. */
struct book {
    struct clock_ledger ledger;
    struct clock_times times;
    uint64_t operations;
    uint64_t tasks;       /* run by this thread */
    uint64_t last_ran_ns; /* when its last task began */
    char apart[LEDGER_APART];
};

static inline uint64_t ledger_hash(tw_timer timer)
{
    uint64_t h = (timer + UINT64_C(0x9e3779b97f4a7c15)) * UINT64_C(0xbf58476d1ce4e5b9);
    h = (h ^ (h >> 32)) * UINT64_C(0x94d049bb133111eb);
    return h ^ (h >> 29);
}

static inline void ledger_accept(struct account *account, tw_timer timer)
{
    atomic_fetch_add_explicit(&account->balance, ledger_hash(timer), memory_order_relaxed);
    atomic_store_explicit(&account->timer, timer, memory_order_relaxed);
}

static inline void ledger_end(struct account *account, tw_timer timer)
{
    atomic_fetch_sub_explicit(&account->balance, ledger_hash(timer), memory_order_relaxed);
}

/* Adds counts to counts, histograms to histograms; for the books of several threads or runs. */
void ledger_add(struct clock_ledger *into, const struct clock_ledger *from);
void ledger_add_times(struct clock_times *into, const struct clock_times *from);

/* Sets end and reason when the ledger does not add up, a timer was early, or an account has a remainder. */
void ledger_judge(const struct account *accounts, size_t count, struct clock_report *report);

#endif
