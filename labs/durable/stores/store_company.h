/*
 * store_company.h - how long the leader of a group commit waits for others, so that one sync serves them all.
 *
 *     always     producers A B C D put -> sync of A B -> sync of C D -> sync of A B ...     halves that take turns
 *     group      producers A B C D put -> all are waited for -> sync of A B C D ...
 *
 * Producers that put again as soon as they are acknowledged fall into two halves: while one is synced, the other waits.  Under
 * TW_SYNC_GROUP a leader waits until as many calls have joined as the last group and those behind it had, at most half the time
 * of a sync.  Where they do not come, it is a while before a leader waits again.  One caller alone never waits.
 */
#ifndef TWBENCH_STORE_COMPANY_H
#define TWBENCH_STORE_COMPANY_H

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

/* All of it under the lock of those who share a sync. */
struct store_company {
    pthread_cond_t there; /* as many have joined as were expected; on CLOCK_MONOTONIC */
    bool waits;           /* false: nobody ever waits */
    bool waiting;         /* the leader does */
    unsigned joined;      /* calls of the next group */
    unsigned expected;    /* of them before a leader goes */
    unsigned unwaited;    /* leaders that do not wait, as the last one waited in vain */
    uint64_t sync_ns;     /* what the last sync took */
};

/* Nobody is expected.  waits: does a leader wait at all? */
void store_company_init(struct store_company *company, bool waits);
/* Nobody may be in it. */
void store_company_destroy(struct store_company *company);
/* A call is about to wait for a sync. */
void store_company_join(struct store_company *company);
/* The leader's wait, with the lock, which is given up meanwhile.  Answers how many calls go with it. */
unsigned store_company_leave(struct store_company *company, pthread_mutex_t *lock);
/* The leader is back: its group had so many calls, and was synced within that time. */
void store_company_back(struct store_company *company, unsigned went, uint64_t sync_ns);

#endif
