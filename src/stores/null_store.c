/*
 * null_store.c - a store that acknowledges and forgets: what the harness itself costs.
 *
 * Every call is answered and nothing is kept, so the figures of a run with it are those of the loop that drives the
 * others.  It breaks the contract on purpose (nothing is ever handed out) and says so with TW_STORE_KEEPS_NOTHING.
 */
#include "store_opening.h"

#include <stdlib.h>

extern const struct tw_store_backend tw_store_null;

struct tw_store {
    char unused;
};

struct tw_store_seat {
    char unused;
};

static const struct tw_param null_store_params[] = {{NULL, NULL, 0, 0, 0}};

static int null_store_open(struct tw_store **out, const struct tw_store_config *config,
                           struct tw_error *error)
{
    int answer = store_check(&tw_store_null, config, error);
    if (answer != TW_STORE_OK)
        return answer;
    struct tw_store *store = malloc(sizeof *store);
    if (!store)
        return store_no_memory(error);
    *out = store;
    return TW_STORE_OK;
}

static struct tw_store_seat *null_store_enter(struct tw_store *store)
{
    (void)store;
    return malloc(sizeof(struct tw_store_seat));
}

static void null_store_leave(struct tw_store_seat *seat)
{
    free(seat);
}

static int null_store_put(struct tw_store_seat *seat, struct tw_message *messages, size_t count)
{
    (void)seat;
    for (size_t i = 0; i < count; i++)
        messages[i].handle = 0;
    return TW_STORE_OK;
}

static int null_store_cancel(struct tw_store_seat *seat, uint64_t key, uint64_t due_ms,
                             uint64_t handle)
{
    (void)seat, (void)key, (void)due_ms, (void)handle;
    return TW_STORE_CANCELLED;
}

static int null_store_poll(struct tw_store *store, uint64_t now_ms, struct tw_delivery *out,
                           size_t max, size_t *count)
{
    (void)store, (void)now_ms, (void)out, (void)max;
    *count = 0;
    return TW_STORE_OK;
}

static int null_store_done(struct tw_store *store, size_t count)
{
    (void)store, (void)count;
    return TW_STORE_OK;
}

static uint64_t null_store_next(struct tw_store *store)
{
    (void)store;
    return TW_STORE_NEVER;
}

static int null_store_tend(struct tw_store *store, uint64_t now_ms, int *more)
{
    (void)store, (void)now_ms;
    *more = 0;
    return TW_STORE_OK;
}

static int null_store_checkpoint(struct tw_store *store)
{
    (void)store;
    return TW_STORE_OK;
}

static int null_store_close(struct tw_store *store)
{
    free(store);
    return TW_STORE_OK;
}

static void null_store_stats(struct tw_store *store, struct tw_store_stats *out)
{
    *out = (struct tw_store_stats){.memory_bytes = sizeof *store};
}

static void null_store_describe(struct tw_store *store, struct tw_store_description *out)
{
    (void)store;
    *out = (struct tw_store_description){.resolution_ms = 1, .reach_ms = TW_STORE_NEVER};
}

const struct tw_store_backend tw_store_null = {
    .abi_version = TW_STORE_ABI_VERSION,
    .name = "null",
    .summary = "acknowledges and forgets: the harness's own cost",
    .after = "",
    .flags = TW_STORE_KEEPS_NOTHING,
    .policies =
        1u << TW_SYNC_ALWAYS | 1u << TW_SYNC_GROUP | 1u << TW_SYNC_INTERVAL | 1u << TW_SYNC_NONE,
    .params = null_store_params,
    .open = null_store_open,
    .enter = null_store_enter,
    .leave = null_store_leave,
    .put = null_store_put,
    .cancel = null_store_cancel,
    .poll = null_store_poll,
    .done = null_store_done,
    .next = null_store_next,
    .tend = null_store_tend,
    .checkpoint = null_store_checkpoint,
    .close = null_store_close,
    .stats = null_store_stats,
    .describe = null_store_describe,
};
