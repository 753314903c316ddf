/* store_company.c - waits for those that are about to put again, and learns whether they come. */
#include "store_company.h"

#include <time.h>

#define NS_PER_S UINT64_C(1000000000)
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
    struct timespec until;
    if (most_ns < LEAST_NS)
        return;
    if (company->unwaited > 0) {
        company->unwaited--;
        return;
    }
    clock_gettime(CLOCK_MONOTONIC, &until);
    uint64_t until_ns = (uint64_t)until.tv_sec * NS_PER_S + (uint64_t)until.tv_nsec + most_ns;
    until = (struct timespec){(time_t)(until_ns / NS_PER_S), (long)(until_ns % NS_PER_S)};
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
