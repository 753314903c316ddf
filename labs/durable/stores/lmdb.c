/*
 * lmdb.c - LMDB: a tree of pages in one file, in the order (due, key), one transaction for each group of calls.
 *
 *     put, cancel, done --group--> leader: one transaction --> new copies of the pages touched --> data.mdb
 *     poll ------------------------> a snapshot of the tree, beside the writer
 *
 * There is no log.  A commit writes each changed page to a free place, with its way up to the root, syncs, and then
 * writes the root's place into one of two pages in turn.  So nothing is to be recovered: open reads the newer root.
 *
 * Acknowledged rests on
 *   always, group    two syncs a commit: the pages, then the page that names the root
 *   interval, none   MDB_NOMETASYNC: the pages are synced before the root's page is written, the root's page is not.  A loss
 *                    of power may take back the last commit, no more.  For interval a thread syncs that too
 *   `nosync`=1       MDB_NOSYNC for interval and none, as many use it: no sync at all in a commit.  A killed process
 *                    still loses nothing, but a loss of power may leave a root whose pages never came: all is lost.
 *                    It does not keep the contract of store.h, and is there to be compared
 *
 * LMDB has no checksums.  A bit that flips in a message is seen by its seal; one in an inner page is not looked for.
 */
#include "store_parts.h"

#include <errno.h>
#include <fcntl.h>
#include <lmdb.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <unistd.h>

extern const struct tw_store_backend tw_store_lmdb;

#define MAP_MIB   64
#define FILE_NAME "data.mdb"
#define FILE_NEW  "making.mdb"

struct tw_store {
    struct store_directory directory;
    struct store_writer writer;
    struct store_flusher flusher;
    pthread_mutex_t
        syncing; /* of two that sync the file the system tells one alone that it failed */
    MDB_env *environment;
    MDB_dbi messages;
    MDB_txn *writing; /* the leader's */
    MDB_txn *reading; /* the dispatcher's; reset between polls */
    MDB_cursor *cursor;
    size_t map_bytes;
    uint64_t recovered, map_mib, nosync;
    atomic_uint_least64_t written_bytes, syncs;
    unsigned syncs_a_commit;
    bool map_is_full; /* the leader's */
};

static const struct tw_param lmdb_params[] = {
    {"map-mib", "size of the map at open in MiB; it doubles when it is full (default: 64)", 1,
     1u << 20, 1},
    {"nosync", "1: MDB_NOSYNC for interval and none; a loss of power may destroy all (default: 0)",
     0, 1, 1},
    {NULL, NULL, 0, 0, 0},
};

static int answer_of(int result)
{
    switch (result) {
    case MDB_SUCCESS:
        return TW_STORE_OK;
    case MDB_MAP_FULL:
        return STORE_AGAIN;
    case ENOSPC:
    case EDQUOT:
        return TW_STORE_FULL;
    case ENOMEM:
        return TW_STORE_MEMORY;
    default:
        return TW_STORE_IO;
    }
}

/* ---- The steps of a transaction, for the leader. ---------------------------------------------- */

/* The map may change only while nobody reads: the dispatcher reads under the lock. */
static int map_grow(struct tw_store *store)
{
    pthread_mutex_lock(&store->writer.ordered.lock);
    int result = mdb_env_set_mapsize(store->environment, store->map_bytes * 2);
    if (result == MDB_SUCCESS)
        store->map_bytes *= 2;
    pthread_mutex_unlock(&store->writer.ordered.lock);
    store->map_is_full = false;
    return result == MDB_SUCCESS ? TW_STORE_OK : TW_STORE_FULL;
}

/* A step that found the map full ends the transaction; the group begins again with a larger one. */
static int step_answer(struct tw_store *store, int result)
{
    store->map_is_full = result == MDB_MAP_FULL;
    return answer_of(result);
}

static int lmdb_begin(void *ctx)
{
    struct tw_store *store = ctx;
    int answer = store->map_is_full ? map_grow(store) : TW_STORE_OK;
    if (answer != TW_STORE_OK)
        return answer;
    return answer_of(mdb_txn_begin(store->environment, NULL, 0, &store->writing));
}

static void lmdb_abort(void *ctx)
{
    struct tw_store *store = ctx;
    mdb_txn_abort(store->writing);
    store->writing = NULL;
}

static int lmdb_insert(void *ctx, const struct tw_message *message)
{
    struct tw_store *store = ctx;
    unsigned char bytes[16];
    store_at_put(bytes, (struct store_at){message->due_ms, message->key});
    MDB_val key = {sizeof bytes, bytes}, value = {STORE_SEAL_BYTES + message->size, NULL};
    int result = mdb_put(store->writing, store->messages, &key, &value, MDB_RESERVE);
    if (result != MDB_SUCCESS)
        return step_answer(store, result);
    store_sealed_put(value.mv_data, message);
    return TW_STORE_OK;
}

static int lmdb_remove(void *ctx, struct store_at at, bool *found)
{
    struct tw_store *store = ctx;
    unsigned char bytes[16];
    store_at_put(bytes, at);
    MDB_val key = {sizeof bytes, bytes};
    int result = mdb_del(store->writing, store->messages, &key, NULL);
    *found = result == MDB_SUCCESS;
    return result == MDB_NOTFOUND ? TW_STORE_OK : step_answer(store, result);
}

/* Bytes that the system has accounted to this thread, in whole pages as they became dirty. */
static uint64_t thread_written(void)
{
    struct rusage usage;
    return getrusage(RUSAGE_THREAD, &usage) == 0 ? (uint64_t)usage.ru_oublock * 512 : 0;
}

static int lmdb_commit(void *ctx)
{
    struct tw_store *store = ctx;
    uint64_t before = thread_written();
    int result = MDB_PANIC;
    pthread_mutex_lock(&store->syncing);
    if (!atomic_load(&store->writer.broken)) {
        result = mdb_txn_commit(store->writing);
        store->writing = NULL;
        atomic_store(&store->writer.broken, result != MDB_SUCCESS && result != MDB_MAP_FULL);
    } else {
        lmdb_abort(store);
    }
    pthread_mutex_unlock(&store->syncing);
    atomic_fetch_add(&store->written_bytes, thread_written() - before);
    atomic_fetch_add(&store->syncs, store->syncs_a_commit);
    if (result == MDB_SUCCESS && store->flusher.runs)
        store_flusher_note(&store->flusher);
    return step_answer(store, result);
}

static int lmdb_sync(struct tw_store *store)
{
    pthread_mutex_lock(&store->syncing);
    int answer = TW_STORE_BROKEN;
    if (!atomic_load(&store->writer.broken)) {
        answer = answer_of(mdb_env_sync(store->environment, 1));
        atomic_store(&store->writer.broken, answer != TW_STORE_OK);
        atomic_fetch_add(&store->syncs, 1);
    }
    pthread_mutex_unlock(&store->syncing);
    return answer;
}

static void lmdb_flush(void *ctx)
{
    lmdb_sync(ctx);
}

/* ---- Opening and closing. --------------------------------------------------------------------- */

static void lmdb_free(struct tw_store *store)
{
    store_flusher_end(&store->flusher);
    if (store->cursor)
        mdb_cursor_close(store->cursor);
    if (store->reading)
        mdb_txn_abort(store->reading);
    if (store->environment)
        mdb_env_close(store->environment);
    pthread_mutex_destroy(&store->syncing);
    store_writer_destroy(&store->writer);
    store_directory_close(&store->directory);
    free(store);
}

/* What waits, and its first due; the dispatcher's snapshot is made here and renewed by each poll. */
static int messages_find(struct tw_store *store)
{
    MDB_stat stat;
    MDB_val key, value;
    int result = mdb_txn_begin(store->environment, NULL, 0, &store->writing);
    if (result != MDB_SUCCESS)
        return result;
    result = mdb_dbi_open(store->writing, "messages", MDB_CREATE, &store->messages);
    if (result != MDB_SUCCESS) {
        lmdb_abort(store);
        return result;
    }
    result = mdb_txn_commit(store->writing);
    store->writing = NULL;
    if (result == MDB_SUCCESS)
        result = mdb_txn_begin(store->environment, NULL, MDB_RDONLY, &store->reading);
    if (result == MDB_SUCCESS)
        result = mdb_stat(store->reading, store->messages, &stat);
    if (result == MDB_SUCCESS)
        result = mdb_cursor_open(store->reading, store->messages, &store->cursor);
    if (result != MDB_SUCCESS)
        return result;
    store->recovered = stat.ms_entries;
    result = mdb_cursor_get(store->cursor, &key, &value, MDB_FIRST);
    uint64_t first = result == MDB_SUCCESS ? store_get64(key.mv_data) : TW_STORE_NEVER;
    mdb_txn_reset(store->reading);
    store_ordered_found(&store->writer.ordered, store->recovered, first);
    return result == MDB_NOTFOUND ? MDB_SUCCESS : result;
}

/* An empty file under another name. */
static int file_begin(const struct tw_store *store)
{
    char path[48];
    MDB_env *environment;
    snprintf(path, sizeof path, "/proc/self/fd/%d/" FILE_NEW, store->directory.fd);
    int result = mdb_env_create(&environment);
    if (result != MDB_SUCCESS)
        return result;
    result = mdb_env_open(environment, path, MDB_NOSUBDIR | MDB_NOTLS, 0644);
    mdb_env_close(environment);
    return result;
}

static int file_sync(int directory)
{
    int fd = openat(directory, FILE_NEW, O_RDWR | O_CLOEXEC);
    int result = fd >= 0 && fsync(fd) == 0 ? MDB_SUCCESS : errno;
    if (fd >= 0)
        close(fd);
    return result;
}

/* LMDB writes the two pages that name the root without a sync: power lost then leaves a file that it refuses.  So the file
 * gets its name when it is whole. */
static int file_make(const struct tw_store *store)
{
    int directory = store->directory.fd;
    if (faccessat(directory, FILE_NAME, F_OK, 0) == 0)
        return MDB_SUCCESS;
    if (errno != ENOENT)
        return errno;
    unlinkat(directory, FILE_NEW, 0);
    int result = file_begin(store);
    if (result == MDB_SUCCESS)
        result = file_sync(directory);
    unlinkat(directory, FILE_NEW "-lock", 0);
    if (result == MDB_SUCCESS &&
        (renameat(directory, FILE_NEW, directory, FILE_NAME) != 0 || fsync(directory) != 0))
        result = errno;
    return result;
}

static int lmdb_start(struct tw_store *store, const struct tw_store_config *config,
                      struct tw_error *error)
{
    unsigned flags = MDB_NOTLS | MDB_NORDAHEAD;
    char path[32];
    MDB_envinfo info;
    snprintf(path, sizeof path, "/proc/self/fd/%d", store->directory.fd);
    if (config->sync >= TW_SYNC_INTERVAL)
        flags |= store->nosync ? MDB_NOSYNC : MDB_NOMETASYNC;
    store->syncs_a_commit = !(flags & (MDB_NOSYNC | MDB_NOMETASYNC)) ? 2 : !(flags & MDB_NOSYNC);
    int result = file_make(store);
    if (result == MDB_SUCCESS)
        result = mdb_env_create(&store->environment);
    if (result == MDB_SUCCESS)
        result = mdb_env_set_mapsize(store->environment, (size_t)store->map_mib << 20);
    if (result == MDB_SUCCESS)
        result = mdb_env_set_maxdbs(store->environment, 1);
    if (result == MDB_SUCCESS)
        result = mdb_env_open(store->environment, path, flags, 0644);
    if (result == MDB_SUCCESS)
        result = messages_find(store);
    if (result == MDB_SUCCESS && config->sync == TW_SYNC_INTERVAL &&
        !store_flusher_start(&store->flusher, config->interval_ms, lmdb_flush, store))
        result = EAGAIN;
    if (result != MDB_SUCCESS) {
        snprintf(error->text, sizeof error->text, "data.mdb: %s", mdb_strerror(result));
        int answer = answer_of(result);
        return answer == STORE_AGAIN ? TW_STORE_FULL : answer;
    }
    mdb_env_info(store->environment, &info);
    store->map_bytes = info.me_mapsize;
    return TW_STORE_OK;
}

static const struct store_steps lmdb_steps = {
    .begin = lmdb_begin,
    .insert = lmdb_insert,
    .remove = lmdb_remove,
    .commit = lmdb_commit,
    .abort = lmdb_abort,
};

static int lmdb_make(struct tw_store *store, const struct tw_store_config *config,
                     struct tw_error *error)
{
    store->map_mib = store_setting(config, "map-mib", MAP_MIB);
    store->nosync = store_setting(config, "nosync", 0);
    pthread_mutex_init(&store->syncing, NULL);
    store_writer_init(&store->writer, &lmdb_steps, store, config->sync);
    int answer = store_directory_open(&store->directory, config->directory, "lmdb 1", error);
    if (answer == TW_STORE_OK)
        answer = lmdb_start(store, config, error);
    return answer;
}

STORE_OPEN(lmdb, tw_store_lmdb, lmdb_make, lmdb_free)

static int lmdb_checkpoint(struct tw_store *store)
{
    return lmdb_sync(store);
}

static int lmdb_close(struct tw_store *store)
{
    int answer = lmdb_checkpoint(store);
    lmdb_free(store);
    return answer;
}

/* ---- The other hooks. ------------------------------------------------------------------------- */

STORE_PLAIN_SEATS(lmdb)
STORE_WRITES(lmdb)

/* The cursor's messages from `from`, until one is not taken.  MDB_NOTFOUND: there are no more. */
static int messages_offer(struct tw_store *store, struct store_poll *poll, struct store_at from,
                          enum store_offered *offered)
{
    unsigned char bytes[16];
    store_at_put(bytes, from);
    MDB_val key = {sizeof bytes, bytes}, value;
    *offered = STORE_MORE;
    int result = mdb_txn_renew(store->reading);
    if (result != MDB_SUCCESS)
        return result;
    result = mdb_cursor_renew(store->reading, store->cursor);
    if (result == MDB_SUCCESS)
        result = mdb_cursor_get(store->cursor, &key, &value, MDB_SET_RANGE);
    while (result == MDB_SUCCESS) {
        const unsigned char *name = key.mv_data;
        struct store_at at = {store_get64(name), store_get64(name + 8)};
        *offered = store_poll_offer(poll, at, value.mv_data, value.mv_size);
        if (*offered != STORE_MORE)
            break;
        result = mdb_cursor_get(store->cursor, &key, &value, MDB_NEXT);
    }
    mdb_txn_reset(store->reading);
    return result;
}

static int lmdb_poll(struct tw_store *store, uint64_t now_ms, struct tw_delivery *out, size_t max,
                     size_t *count)
{
    struct store_poll poll = {&store->writer.ordered, now_ms, out, max, 0};
    struct store_at from;
    enum store_offered offered;
    *count = 0;
    if (atomic_load(&store->writer.broken))
        return TW_STORE_BROKEN;
    if (!store_poll_begin(&poll, &from))
        return TW_STORE_OK;
    int result = messages_offer(store, &poll, from, &offered);
    store_poll_end(&poll, result == MDB_NOTFOUND);
    *count = poll.count;
    if (poll.count > 0 || result == MDB_NOTFOUND)
        return TW_STORE_OK;
    return offered == STORE_NO_MEMORY ? TW_STORE_MEMORY : answer_of(result);
}

STORE_NEXT_OF(lmdb, writer.ordered)
STORE_TENDS_NOTHING(lmdb)

static void lmdb_stats(struct tw_store *store, struct tw_store_stats *out)
{
    *out = (struct tw_store_stats){
        .pending = atomic_load(&store->writer.ordered.pending),
        .disk_bytes = store_directory_bytes(&store->directory),
        .memory_bytes = sizeof *store + store_ordered_memory(&store->writer.ordered),
        .written_bytes = atomic_load(&store->written_bytes),
        .syncs = atomic_load(&store->syncs),
        .reclaimed_bytes = UINT64_MAX,
    };
}

static void lmdb_describe(struct tw_store *store, struct tw_store_description *out)
{
    *out = (struct tw_store_description){
        .resolution_ms = 1,
        .reach_ms = TW_STORE_NEVER,
        .recovered = store->recovered,
        .setting_count = 2,
        .settings = {{"map-mib", 1, {store->map_mib}}, {"nosync", 1, {store->nosync}}},
    };
    snprintf(out->version, sizeof out->version, "LMDB %d.%d.%d", MDB_VERSION_MAJOR,
             MDB_VERSION_MINOR, MDB_VERSION_PATCH);
}

const struct tw_store_backend tw_store_lmdb = {
    .name = "lmdb",
    .summary = "LMDB: a tree of pages without a log, one transaction for each group of calls",
    .after = "LMDB (H. Chu)",
    .flags = TW_STORE_EXACT,
    .policies = TW_SYNC_ALL,
    TW_STORE_HOOKS(lmdb),
};
