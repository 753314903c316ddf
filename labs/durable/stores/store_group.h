/*
 * store_group.h - group commit: calls of many threads share one transaction and one sync.
 *
 *     a call comes -> nobody leads: this thread leads, with all that wait -> commit -> wakes those it settled
 *                  -> somebody leads: it waits, and goes with the next group
 *
 * While one group is synced the next one gathers.  Under TW_SYNC_GROUP the leader waits for company (store_company.h); under
 * TW_SYNC_ALWAYS nothing is delayed so that others may join (store.h, SHARING).  A hand-over costs one wake-up of a thread.
 */
#ifndef TWBENCH_STORE_GROUP_H
#define TWBENCH_STORE_GROUP_H

#include "store_company.h"

/* One call, on the stack of the thread that makes it; a store puts its own operation behind it. */
struct store_call {
    struct store_call *next;
    pthread_cond_t wake;
    int answer; /* set by commit */
    bool settled;
};

/* The calls that wait for a leader, and whether there is one. */
struct store_group {
    pthread_mutex_t lock;
    struct store_call *first, *last; /* those that wait */
    struct store_company company;
    bool led;
};

/* Carries out the calls, in their order, and sets the answer of each.  One thread at a time is in it. */
typedef void store_commit_fn(void *ctx, struct store_call *calls);

/* Empty, without a leader.  company: the leader waits for it. */
void store_group_init(struct store_group *group, bool company);
/* No call may be under way. */
void store_group_destroy(struct store_group *group);

/* Returns the call's answer when it is settled. */
int store_group_call(struct store_group *group, struct store_call *call, store_commit_fn *commit,
                     void *ctx);

#endif
