/*
 * null_store.c - a store that acknowledges and forgets: what the harness itself costs, and what the disk does.
 *
 * Every call is answered and nothing is kept, so the figures of a run with it are those of the loop that drives the
 * others.  It breaks the contract on purpose (nothing is ever handed out) and says so with TW_STORE_KEEPS_NOTHING.
 *
 * With disk=1 the calls of each group are written over blocks that were synced before, 30 bytes and the payload each, and one
 * sync answers them all (under always and group; the other policies sync nothing).  No store has to do less for an
 * acknowledgement, so a store's figures beside these tell how much of them is the disk's.
 */
#include "store_parts.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#define ENTRY_BYTES 30u
#define FILE_BYTES  (1024u * 1024)

extern const struct tw_store_backend tw_store_null;

struct tw_store {
    int file;             /* -1: without a disk */
    unsigned char *bytes; /* what is written: FILE_BYTES of them */
    size_t at;            /* the next group is written there */
    struct store_group group;
    uint64_t written, syncs; /* under the leadership of the group */
};

/* A call is only so many bytes. */
struct null_call {
    struct store_call call; /* first: the group knows only this */
    size_t bytes;
};

static const struct tw_param null_store_params[] = {
    {"disk", "1: under always and group the calls of a group share a write and a sync (0)", 0, 1,
     1},
    {NULL, NULL, 0, 0, 0}};

/* ---- The disk. -------------------------------------------------------------------------------- */

/* TW_STORE_OK, or TW_STORE_IO. */
static int disk_write(struct tw_store *store, size_t bytes)
{
    while (bytes > 0) {
        size_t size = bytes < FILE_BYTES - store->at ? bytes : FILE_BYTES - store->at;
        ssize_t wrote = pwrite(store->file, store->bytes, size, (off_t)store->at);
        if (wrote < 0 && errno == EINTR)
            continue;
        if (wrote <= 0)
            return TW_STORE_IO;
        store->written += (uint64_t)wrote;
        store->at = (store->at + (size_t)wrote) % FILE_BYTES;
        bytes -= (size_t)wrote;
    }
    store->syncs++;
    return fdatasync(store->file) == 0 ? TW_STORE_OK : TW_STORE_IO;
}

static void disk_commit(void *ctx, struct store_call *calls)
{
    size_t bytes = 0;
    for (struct store_call *call = calls; call; call = call->next)
        bytes += ((struct null_call *)(void *)call)->bytes;
    int answer = disk_write(ctx, bytes);
    for (struct store_call *call = calls; call; call = call->next)
        call->answer = answer;
}

static int disk_call(struct tw_store *store, size_t bytes)
{
    struct null_call call = {.bytes = bytes};
    return store->file < 0 ? TW_STORE_OK
                           : store_group_call(&store->group, &call.call, disk_commit, store);
}

static int disk_open(struct tw_store *store, const char *directory, struct tw_error *error)
{
    char path[4096];
    store->bytes = calloc(1, FILE_BYTES);
    if (!store->bytes)
        return store_no_memory(error);
    snprintf(path, sizeof path, "%s/blocks", directory);
    if (mkdir(directory, 0755) == 0 || errno == EEXIST)
        store->file = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0644);
    if (store->file < 0 || disk_write(store, FILE_BYTES) != TW_STORE_OK) {
        int reason = errno;
        snprintf(error->text, sizeof error->text, "%s/blocks: %s", directory, strerror(reason));
        return reason == ENOSPC ? TW_STORE_FULL : TW_STORE_IO;
    }
    store->written = store->syncs = 0;
    return TW_STORE_OK;
}

/* ---- The table. ------------------------------------------------------------------------------- */

static int null_store_close(struct tw_store *store)
{
    if (store->file >= 0)
        close(store->file);
    store_group_destroy(&store->group);
    free(store->bytes);
    free(store);
    return TW_STORE_OK;
}

static int null_store_make(struct tw_store *store, const struct tw_store_config *config,
                           struct tw_error *error)
{
    store->file = -1;
    store_group_init(&store->group, config->sync == TW_SYNC_GROUP);
    if (store_setting(config, "disk", 0) && config->sync <= TW_SYNC_GROUP)
        return disk_open(store, config->directory, error);
    return TW_STORE_OK;
}

STORE_OPEN(null_store, tw_store_null, null_store_make, null_store_close)

STORE_PLAIN_SEATS(null_store)

static int null_store_put(struct tw_store_seat *seat, struct tw_message *messages, size_t count)
{
    size_t bytes = 0;
    for (size_t i = 0; i < count; i++) {
        messages[i].handle = 0;
        bytes += ENTRY_BYTES + messages[i].size;
    }
    return disk_call(seat->store, bytes);
}

static int null_store_cancel(struct tw_store_seat *seat, uint64_t key, uint64_t due_ms,
                             uint64_t handle)
{
    (void)key, (void)due_ms, (void)handle;
    int answer = disk_call(seat->store, ENTRY_BYTES);
    return answer == TW_STORE_OK ? TW_STORE_CANCELLED : answer;
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

STORE_TENDS_NOTHING(null_store)

static int null_store_checkpoint(struct tw_store *store)
{
    (void)store;
    return TW_STORE_OK;
}

static void null_store_stats(struct tw_store *store, struct tw_store_stats *out)
{
    *out = (struct tw_store_stats){.memory_bytes = sizeof *store + (store->bytes ? FILE_BYTES : 0),
                                   .written_bytes = store->written,
                                   .syncs = store->syncs};
}

static void null_store_describe(struct tw_store *store, struct tw_store_description *out)
{
    *out = (struct tw_store_description){.resolution_ms = 1, .reach_ms = TW_STORE_NEVER};
    out->setting_count = 1;
    out->settings[0] = (struct tw_setting){"disk", 1, {store->file >= 0}};
}

const struct tw_store_backend tw_store_null = {
    .name = "null",
    .summary = "acknowledges and forgets: the harness's own cost",
    .after = "",
    .flags = TW_STORE_KEEPS_NOTHING,
    .policies = TW_SYNC_ALL,
    TW_STORE_HOOKS(null_store),
};
