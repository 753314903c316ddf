/* store_company.c - waits for those that are about to put again, and learns whether they come. */
#include "store_open.h"

#define MOST_NS  500000u /* longest wait */
#define LEAST_NS 20000u  /* less is over before a thread has slept and woken */
#define UNWAITED 2u      /* leaders that do not wait, after one that waited in vain */

void store_company_init(struct store_company *company, bool waits)
{
    pthread_condattr_t attributes;
    *company = (struct store_company){.waits = waits};
    pthread_condattr_init(&attributes);
    pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
    pthread_cond_init(&company->there, &attributes);
    pthread_condattr_destroy(&attributes);
}

void store_company_destroy(struct store_company *company)
{
    pthread_cond_destroy(&company->there);
}

void store_company_join(struct store_company *company)
{
    company->joined++;
    if (company->waiting && company->joined == company->expected)
        pthread_cond_signal(&company->there);
}

static void wait_for_them(struct store_company *company, pthread_mutex_t *lock)
{
    uint64_t most_ns = company->sync_ns / 2 < MOST_NS ? company->sync_ns / 2 : MOST_NS;
    if (most_ns < LEAST_NS)
        return;
    if (company->unwaited > 0) {
        company->unwaited--;
        return;
    }
    struct timespec until = store_timespec(store_monotonic_ns() + most_ns);
    company->waiting = true;
    while (company->joined < company->expected && company->unwaited == 0)
        if (pthread_cond_timedwait(&company->there, lock, &until) != 0)
            company->unwaited = UNWAITED;
    company->waiting = false;
}

unsigned store_company_leave(struct store_company *company, pthread_mutex_t *lock)
{
    if (company->waits && company->joined < company->expected)
        wait_for_them(company, lock);
    unsigned went = company->joined;
    company->joined = 0;
    return went;
}

void store_company_back(struct store_company *company, unsigned went, uint64_t sync_ns)
{
    company->sync_ns = sync_ns;
    company->expected = went + company->joined;
}

/* ---- Group commit: who finds nobody leading commits for all that wait. ---- */

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
    uint64_t begin_ns = store_monotonic_ns();
    commit(ctx, calls);
    pthread_mutex_lock(&group->lock);
    store_company_back(&group->company, went, store_monotonic_ns() - begin_ns);
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
