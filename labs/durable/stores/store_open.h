/* store_open.h - what every store has: the checks of open, and calls that share a sync. */
#ifndef TWBENCH_STORE_OPEN_H
#define TWBENCH_STORE_OPEN_H

#include "store.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define NS_PER_S UINT64_C(1000000000)

/* CLOCK_MONOTONIC in nanoseconds. */
static inline uint64_t store_monotonic_ns(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * NS_PER_S + (uint64_t)now.tv_nsec;
}

static inline struct timespec store_timespec(uint64_t ns)
{
    return (struct timespec){(time_t)(ns / NS_PER_S), (long)(ns % NS_PER_S)};
}

/* Room in an array for so many elements of that size: false without memory, and then nothing has changed. */
static inline bool store_room(void *array, size_t *room, size_t needed, size_t size)
{
    void *elements;
    if (needed <= *room)
        return true;
    memcpy(&elements, array, sizeof elements);
    elements = realloc(elements, 2 * needed * size);
    if (!elements)
        return false;
    memcpy(array, &elements, sizeof elements);
    *room = 2 * needed;
    return true;
}

/* What every open of a store checks first, so that their refusals read alike. */

/* TW_STORE_OK, or TW_STORE_BAD with *error filled: a setting that the store does not have, has too many values or is
 * out of its limits; a policy that it cannot keep; an interval of 0; a directory that is not absolute; no seats. */
static inline int store_check(const struct tw_store_backend *store,
                              const struct tw_store_config *config, struct tw_error *error)
{
    static const char *const policies[] = {"always", "group", "interval", "none"};
    const struct tw_config settings = {
        .capacity = 1, .settings = config->settings, .setting_count = config->setting_count};
    if (params_check(store->params, &settings, error) != TW_OK)
        return TW_STORE_BAD;
    if ((unsigned)config->sync > TW_SYNC_NONE || !(store->policies & 1u << config->sync))
        snprintf(error->text, sizeof error->text, "sync: %s cannot keep the policy %s", store->name,
                 (unsigned)config->sync > TW_SYNC_NONE ? "given" : policies[config->sync]);
    else if (config->sync == TW_SYNC_INTERVAL && config->interval_ms == 0)
        snprintf(error->text, sizeof error->text, "interval: 0 ms given; expected 1 or more");
    else if (!config->directory || config->directory[0] != '/')
        snprintf(error->text, sizeof error->text,
                 "directory: '%s' given; expected an absolute path",
                 config->directory ? config->directory : "");
    else if (config->seats == 0)
        snprintf(error->text, sizeof error->text, "seats: 0 given; expected 1 or more");
    else
        return TW_STORE_OK;
    return TW_STORE_BAD;
}

/* The value of a setting of one value; `otherwise` if it was not given. */
static inline uint64_t store_setting(const struct tw_store_config *config, const char *name,
                                     uint64_t otherwise)
{
    for (size_t i = 0; i < config->setting_count; i++)
        if (strcmp(config->settings[i].name, name) == 0)
            return config->settings[i].values[0];
    return otherwise;
}

/* The name of an open directory is to last, too: syncs the one above, or the file system where that may not be read.  0 or errno. */
static inline int store_sync_parent(int directory)
{
    int parent = openat(directory, "..", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    int error = (parent >= 0 ? fsync(parent) : syncfs(directory)) == 0 ? 0 : errno;
    if (parent >= 0)
        close(parent);
    return error;
}

/* The answer of an open that could not get its memory. */
static inline int store_no_memory(struct tw_error *error)
{
    snprintf(error->text, sizeof error->text, "no memory");
    return TW_STORE_MEMORY;
}

/* The hook open: `make` fills a store of zeros, and `end` frees what that leaves when it answers an error. */
#define STORE_OPEN(prefix, table, make, end)                                                       \
    static int prefix##_open(struct tw_store **out, const struct tw_store_config *config,          \
                             struct tw_error *error)                                               \
    {                                                                                              \
        int answer = store_check(&table, config, error);                                           \
        struct tw_store *store = answer == TW_STORE_OK ? calloc(1, sizeof *store) : NULL;          \
        if (!store)                                                                                \
            return answer == TW_STORE_OK ? store_no_memory(error) : answer;                        \
        answer = make(store, config, error);                                                       \
        if (answer == TW_STORE_OK)                                                                 \
            *out = store;                                                                          \
        else                                                                                       \
            end(store);                                                                            \
        return answer;                                                                             \
    }

/* How long the leader of a group commit waits for others, so that one sync serves them all.
 *
 *     always     producers A B C D put -> sync of A B -> sync of C D -> sync of A B ...     halves that take turns
 *     group      producers A B C D put -> all are waited for -> sync of A B C D ...
 *
 * Producers that put again as soon as they are acknowledged fall into two halves: while one is synced, the other waits.  Under
 * TW_SYNC_GROUP a leader waits until as many calls have joined as the last group and those behind it had, at most half the time
 * of a sync.  Where they do not come, it is a while before a leader waits again.  One caller alone never waits. */

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

/* Group commit: calls of many threads share one transaction and one sync.
 *
 *     a call comes -> nobody leads: this thread leads, with all that wait -> commit -> wakes those it settled
 *                  -> somebody leads: it waits, and goes with the next group
 *
 * While one group is synced the next one gathers.  Under TW_SYNC_GROUP the leader waits for company; under
 * TW_SYNC_ALWAYS nothing is delayed so that others may join (store.h, SHARING).  A hand-over costs one wake-up of a thread. */

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
