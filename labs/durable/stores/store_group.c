/* store_group.c - group commit: who finds nobody leading commits for all that wait. */
#include "store_group.h"

#include <stddef.h>
#include <time.h>

static uint64_t monotonic_ns(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * UINT64_C(1000000000) + (uint64_t)now.tv_nsec;
}

void store_group_init(struct store_group *group, bool company)
{
    *group = (struct store_group){.first = NULL};
    pthread_mutex_init(&group->lock, NULL);
    store_company_init(&group->company, company);
}

void store_group_destroy(struct store_group *group)
{
    store_company_destroy(&group->company);
    pthread_mutex_destroy(&group->lock);
}

/* Commits all that wait, the leader's own call with them; under the lock before and after. */
static void group_lead(struct store_group *group, store_commit_fn *commit, void *ctx)
{
    group->led = true;
    unsigned went = store_company_leave(&group->company, &group->lock);
    struct store_call *calls = group->first;
    group->first = group->last = NULL;
    pthread_mutex_unlock(&group->lock);
    uint64_t begin_ns = monotonic_ns();
    commit(ctx, calls);
    pthread_mutex_lock(&group->lock);
    store_company_back(&group->company, went, monotonic_ns() - begin_ns);
    for (struct store_call *call = calls, *next; call; call = next) {
        next = call->next;
        call->settled = true;
        pthread_cond_signal(&call->wake);
    }
    group->led = false;
    if (group->first)
        pthread_cond_signal(&group->first->wake);
}

int store_group_call(struct store_group *group, struct store_call *call, store_commit_fn *commit,
                     void *ctx)
{
    call->next = NULL;
    call->settled = false;
    pthread_cond_init(&call->wake, NULL);
    pthread_mutex_lock(&group->lock);
    if (group->last)
        group->last->next = call;
    else
        group->first = call;
    group->last = call;
    store_company_join(&group->company);
    while (!call->settled) {
        if (!group->led && group->first == call)
            group_lead(group, commit, ctx);
        else
            pthread_cond_wait(&call->wake, &group->lock);
    }
    pthread_mutex_unlock(&group->lock);
    pthread_cond_destroy(&call->wake);
    return call->answer;
}
