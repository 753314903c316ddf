/*
 * sqlite.c - SQLite with a write-ahead log: one table in the order (due, key), one transaction for each group of calls.
 *
 *     put, cancel, done --group--> leader: BEGIN, statements, COMMIT --> messages.db-wal --tend--> messages.db
 *     poll ------------------------> a connection of its own, which reads a snapshot beside the writer
 *
 * Acknowledged rests on
 *   always, group   synchronous=FULL: COMMIT syncs the log.  A torn last frame fails its checksum and is not there
 *   interval        synchronous=NORMAL, which does not sync at COMMIT; a thread syncs the log each interval
 *   none            the same without the thread.  Not synchronous=OFF: that may leave a damaged file after a loss of
 *                   power, where this loses whole transactions from the end
 *   A checkpoint syncs the log before it copies and the file after it, under every policy.
 *
 * One thread commits while another copies the log into the file, and each syncs the log.  A sync that fails takes with it what
 * the other has written, and the other's own sync answers well then: pages that failed are clean to the system.  So all syncs of
 * the log, the interval's too, come one after the other, and behind one that failed all fail (log_watch).
 *
 * A bit that flips in the file is seen by the seal of a message, or as a malformed page.  The message is not served.
 */
#include "store_parts.h"

#include <fcntl.h>
#include <sqlite3.h>
#include <stddef.h>
#include <stdlib.h>
#include <unistd.h>

extern const struct tw_store_backend tw_store_sqlite;

#define CHECKPOINT_PAGES 1000 /* as SQLite's own (wal_autocheckpoint) */
#define PAGE_BYTES       4096u
#define FRAME_BYTES      (PAGE_BYTES + 24u)

enum statement { BEGIN, INSERT, REMOVE, COMMIT, ROLLBACK, STATEMENTS };

/* Stands before the system's files of SQLite, so that no sync of the log answers well behind one that failed. */
struct log_watch {
    sqlite3_vfs files, *system;
    sqlite3_io_methods methods; /* of the log; its xSync is sync_watched */
    int (*sync)(sqlite3_file *file, int flags);
    pthread_mutex_t lock;
    bool has_failed;
    char name[32]; /* under which SQLite knows it */
};

struct tw_store {
    struct store_directory directory;
    struct store_writer writer;
    struct log_watch watch;
    struct store_flusher flusher;
    sqlite3 *written, *read; /* connections: of the leader, of the dispatcher */
    sqlite3_stmt *statements[STATEMENTS], *select;
    unsigned char *value; /* seal and payload of one message; the leader's */
    int log;              /* for syncs that no commit does; -1 */
    uint64_t recovered, checkpoint_pages;
    bool is_counted;      /* how many wait is known; after a crash only a scan of all would tell */
    atomic_int log_pages; /* in the log, when the last transaction committed */
    atomic_uint_least64_t written_bytes, syncs, checkpoints;
    bool syncs_commits;
};

static const struct tw_param sqlite_params[] = {
    {"checkpoint-pages", "pages of 4 KiB in the log before they are copied (default: 1000)", 16,
     1u << 20, 1},
    {NULL, NULL, 0, 0, 0},
};

/* Keys are unsigned, SQLite's numbers are not: the same order, moved by half. */
static sqlite3_int64 number_of_key(uint64_t key)
{
    return (sqlite3_int64)(key ^ UINT64_C(1) << 63);
}

static int answer_of(int result)
{
    switch (result & 0xff) {
    case SQLITE_OK:
    case SQLITE_DONE:
    case SQLITE_ROW:
        return TW_STORE_OK;
    case SQLITE_FULL:
        return TW_STORE_FULL;
    case SQLITE_NOMEM:
        return TW_STORE_MEMORY;
    default:
        return TW_STORE_IO;
    }
}

/* ---- The steps of a transaction, for the leader. ---------------------------------------------- */

static int run(struct tw_store *store, enum statement which)
{
    sqlite3_stmt *statement = store->statements[which];
    int result = sqlite3_step(statement);
    sqlite3_reset(statement);
    return answer_of(result);
}

static int sqlite_begin(void *ctx)
{
    return run(ctx, BEGIN);
}

static void sqlite_abort(void *ctx)
{
    struct tw_store *store = ctx;
    if (!sqlite3_get_autocommit(store->written))
        run(store, ROLLBACK);
}

static int sqlite_insert(void *ctx, const struct tw_message *message)
{
    struct tw_store *store = ctx;
    sqlite3_stmt *insert = store->statements[INSERT];
    store_sealed_put(store->value, message);
    sqlite3_bind_int64(insert, 1, (sqlite3_int64)message->due_ms);
    sqlite3_bind_int64(insert, 2, number_of_key(message->key));
    sqlite3_bind_blob(insert, 3, store->value, (int)(STORE_SEAL_BYTES + message->size),
                      SQLITE_STATIC);
    return run(store, INSERT);
}

static int sqlite_remove(void *ctx, struct store_at at, bool *found)
{
    struct tw_store *store = ctx;
    sqlite3_bind_int64(store->statements[REMOVE], 1, (sqlite3_int64)at.due);
    sqlite3_bind_int64(store->statements[REMOVE], 2, number_of_key(at.key));
    int answer = run(store, REMOVE);
    *found = answer == TW_STORE_OK && sqlite3_changes(store->written) > 0;
    return answer;
}

/* Copies the log into the file as far as no reader needs it; the log begins anew when all of it is copied. */
static int log_copy(struct tw_store *store, sqlite3 *connection, int mode)
{
    int pages = 0, copied = 0;
    int result = sqlite3_wal_checkpoint_v2(connection, NULL, mode, &pages, &copied);
    if (result == SQLITE_BUSY || result == SQLITE_LOCKED)
        return TW_STORE_OK;
    if (result != SQLITE_OK)
        return answer_of(result);
    atomic_fetch_add(&store->syncs, 2);
    atomic_fetch_add(&store->written_bytes, (uint64_t)(copied > 0 ? copied : 0) * PAGE_BYTES);
    return TW_STORE_OK;
}

static int sqlite_commit(void *ctx)
{
    struct tw_store *store = ctx;
    int pages = 0, most;
    int answer = run(store, COMMIT);
    if (answer != TW_STORE_OK) {
        sqlite_abort(store);
        return answer;
    }
    sqlite3_db_status(store->written, SQLITE_DBSTATUS_CACHE_WRITE, &pages, &most, 1);
    atomic_fetch_add(&store->written_bytes, (uint64_t)pages * FRAME_BYTES);
    if (store->syncs_commits)
        atomic_fetch_add(&store->syncs, 1);
    else
        store_flusher_note(&store->flusher);
    if ((uint64_t)atomic_load(&store->log_pages) >= store->checkpoint_pages)
        return log_copy(store, store->written, SQLITE_CHECKPOINT_PASSIVE);
    return TW_STORE_OK;
}

static const struct store_steps sqlite_steps = {
    .begin = sqlite_begin,
    .insert = sqlite_insert,
    .remove = sqlite_remove,
    .commit = sqlite_commit,
    .abort = sqlite_abort,
};

/* SQLite calls it after each commit.  A log with fewer pages than before was begun anew, over the old one. */
static int log_grew(void *ctx, sqlite3 *connection, const char *name, int pages)
{
    struct tw_store *store = ctx;
    (void)connection, (void)name;
    if (pages < atomic_exchange(&store->log_pages, pages))
        atomic_fetch_add(&store->checkpoints, 1);
    return SQLITE_OK;
}

static void log_sync(void *ctx)
{
    struct tw_store *store = ctx;
    pthread_mutex_lock(&store->watch.lock);
    if (!store->watch.has_failed && fdatasync(store->log) != 0)
        store->watch.has_failed = true;
    if (store->watch.has_failed)
        atomic_store(&store->writer.broken, true);
    pthread_mutex_unlock(&store->watch.lock);
    atomic_fetch_add(&store->syncs, 1);
}

/* ---- Syncs of the log. ------------------------------------------------------------------------ */

static int sync_watched(sqlite3_file *file, int flags)
{
    /* The methods of the file are those in the watch. */
    struct log_watch *watch = (struct log_watch *)(void *)((char *)(uintptr_t)file->pMethods -
                                                           offsetof(struct log_watch, methods));
    pthread_mutex_lock(&watch->lock);
    int result = watch->has_failed ? SQLITE_IOERR_FSYNC : watch->sync(file, flags);
    watch->has_failed = result != SQLITE_OK;
    pthread_mutex_unlock(&watch->lock);
    return result;
}

/* Each connection opens the log for itself. */
static int open_watched(sqlite3_vfs *files, const char *name, sqlite3_file *file, int flags,
                        int *flags_out)
{
    struct log_watch *watch = files->pAppData;
    int result = watch->system->xOpen(watch->system, name, file, flags, flags_out);
    if (result != SQLITE_OK || !file->pMethods || !(flags & SQLITE_OPEN_WAL))
        return result;
    pthread_mutex_lock(&watch->lock);
    if (!watch->sync) {
        watch->sync = file->pMethods->xSync;
        watch->methods = *file->pMethods;
        watch->methods.xSync = sync_watched;
    }
    file->pMethods = &watch->methods;
    pthread_mutex_unlock(&watch->lock);
    return result;
}

/* SQLITE_OK, or that there is no memory.  log_watch_end follows in any case. */
static int log_watch_begin(struct log_watch *watch)
{
    pthread_mutex_init(&watch->lock, NULL);
    watch->system = sqlite3_vfs_find(NULL);
    if (!watch->system)
        return SQLITE_NOMEM;
    snprintf(watch->name, sizeof watch->name, "twbench-%p", (void *)watch);
    watch->files = *watch->system;
    watch->files.pNext = NULL;
    watch->files.zName = watch->name;
    watch->files.pAppData = watch;
    watch->files.xOpen = open_watched;
    return sqlite3_vfs_register(&watch->files, 0);
}

/* No connection may be open. */
static void log_watch_end(struct log_watch *watch)
{
    sqlite3_vfs_unregister(&watch->files);
    pthread_mutex_destroy(&watch->lock);
}

/* ---- Opening and closing. --------------------------------------------------------------------- */

static int open_error(struct tw_store *store, sqlite3 *connection, struct tw_error *error)
{
    int answer = answer_of(connection ? sqlite3_errcode(connection) : SQLITE_NOMEM);
    snprintf(error->text, sizeof error->text, "messages.db: %s",
             connection ? sqlite3_errmsg(connection) : "no memory");
    (void)store;
    return answer == TW_STORE_OK ? TW_STORE_IO : answer;
}

static int connection_open(struct tw_store *store, sqlite3 **connection, const char *path,
                           struct tw_error *error)
{
    char pragmas[320];
    int flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_NOMUTEX;
    snprintf(pragmas, sizeof pragmas,
             "PRAGMA page_size=%u; PRAGMA journal_mode=WAL; PRAGMA synchronous=%s;"
             "PRAGMA wal_autocheckpoint=0; PRAGMA cache_size=-16384; PRAGMA temp_store=MEMORY;"
             "PRAGMA cell_size_check=ON",
             PAGE_BYTES, store->syncs_commits ? "FULL" : "NORMAL");
    if (sqlite3_open_v2(path, connection, flags, store->watch.name) != SQLITE_OK ||
        sqlite3_busy_timeout(*connection, 10000) != SQLITE_OK ||
        sqlite3_exec(*connection, pragmas, NULL, NULL, NULL) != SQLITE_OK)
        return open_error(store, *connection, error);
    return TW_STORE_OK;
}

static int statements_prepare(struct tw_store *store, struct tw_error *error)
{
    static const char *const texts[STATEMENTS] = {
        [BEGIN] = "BEGIN IMMEDIATE",
        [INSERT] = "INSERT INTO messages (due, key, value) VALUES (?1, ?2, ?3)",
        [REMOVE] = "DELETE FROM messages WHERE due = ?1 AND key = ?2",
        [COMMIT] = "COMMIT",
        [ROLLBACK] = "ROLLBACK",
    };
    for (size_t i = 0; i < STATEMENTS; i++)
        if (sqlite3_prepare_v3(store->written, texts[i], -1, SQLITE_PREPARE_PERSISTENT,
                               &store->statements[i], NULL) != SQLITE_OK)
            return open_error(store, store->written, error);
    if (sqlite3_prepare_v3(store->read,
                           "SELECT due, key, value FROM messages WHERE (due, key) >= (?1, ?2)"
                           " ORDER BY due, key",
                           -1, SQLITE_PREPARE_PERSISTENT, &store->select, NULL) != SQLITE_OK)
        return open_error(store, store->read, error);
    return TW_STORE_OK;
}

/* One number that a query gives; `otherwise` if it is NULL or there is no row. */
static int64_t number_of(sqlite3 *connection, const char *query, int64_t otherwise)
{
    sqlite3_stmt *statement = NULL;
    int64_t number = otherwise;
    if (sqlite3_prepare_v2(connection, query, -1, &statement, NULL) == SQLITE_OK &&
        sqlite3_step(statement) == SQLITE_ROW && sqlite3_column_type(statement, 0) != SQLITE_NULL)
        number = sqlite3_column_int64(statement, 0);
    sqlite3_finalize(statement);
    return number;
}

static int64_t messages_count(struct tw_store *store)
{
    return number_of(store->written, "SELECT count(*) FROM messages", -1);
}

/* How many wait is what the last close noted.  The note is taken away while it is open. */
static int messages_find(struct tw_store *store, struct tw_error *error)
{
    if (sqlite3_exec(store->written,
                     "CREATE TABLE IF NOT EXISTS messages (due INTEGER, key INTEGER, value BLOB,"
                     " PRIMARY KEY (due, key)) WITHOUT ROWID;"
                     "CREATE TABLE IF NOT EXISTS closed (pending INTEGER)",
                     NULL, NULL, NULL) != SQLITE_OK)
        return open_error(store, store->written, error);
    int64_t pending = number_of(store->written, "SELECT pending FROM closed", -1);
    int64_t first = number_of(store->written, "SELECT ifnull(min(due), -2) FROM messages", -1);
    if (first == -1 ||
        sqlite3_exec(store->written, "DELETE FROM closed", NULL, NULL, NULL) != SQLITE_OK)
        return open_error(store, store->written, error);
    if (first < 0)
        pending = 0;
    store->is_counted = pending >= 0;
    store->recovered = store->is_counted ? (uint64_t)pending : UINT64_MAX;
    store_ordered_found(&store->writer.ordered, store->is_counted ? store->recovered : 0,
                        first < 0 ? TW_STORE_NEVER : (uint64_t)first);
    return TW_STORE_OK;
}

/* The last connection to go copies the log into the file and removes it.  Not after a sync that failed: pages of the file
 * that never came to the disk are whole in the log alone. */
static void keep_log(struct tw_store *store)
{
    if (store->written)
        sqlite3_db_config(store->written, SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1, NULL);
    if (store->read)
        sqlite3_db_config(store->read, SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1, NULL);
}

static void sqlite_free(struct tw_store *store)
{
    store_flusher_end(&store->flusher);
    for (size_t i = 0; i < STATEMENTS; i++)
        sqlite3_finalize(store->statements[i]);
    sqlite3_finalize(store->select);
    sqlite3_close(store->read);
    sqlite3_close(store->written);
    log_watch_end(&store->watch);
    if (store->log >= 0)
        close(store->log);
    store_writer_destroy(&store->writer);
    store_directory_close(&store->directory);
    free(store->value);
    free(store);
}

static int sqlite_start(struct tw_store *store, const struct tw_store_config *config,
                        struct tw_error *error)
{
    char path[32];
    /* The directory may have moved, and its name be longer than SQLite takes. */
    snprintf(path, sizeof path, "/proc/self/fd/%d", store->directory.fd);
    char file[48];
    snprintf(file, sizeof file, "%s/messages.db", path);
    int answer = connection_open(store, &store->written, file, error);
    if (answer == TW_STORE_OK)
        answer = connection_open(store, &store->read, file, error);
    if (answer == TW_STORE_OK)
        answer = messages_find(store, error);
    if (answer == TW_STORE_OK)
        answer = statements_prepare(store, error);
    if (answer != TW_STORE_OK)
        return answer;
    int pages, most;
    sqlite3_db_status(store->written, SQLITE_DBSTATUS_CACHE_WRITE, &pages, &most, 1);
    sqlite3_wal_hook(store->written, log_grew, store);
    if (store->syncs_commits)
        return TW_STORE_OK;
    store->log = openat(store->directory.fd, "messages.db-wal", O_RDWR | O_CLOEXEC);
    if (store->log < 0 ||
        (config->sync == TW_SYNC_INTERVAL &&
         !store_flusher_start(&store->flusher, config->interval_ms, log_sync, store))) {
        snprintf(error->text, sizeof error->text,
                 "messages.db-wal: the thread that syncs it failed");
        return TW_STORE_IO;
    }
    return TW_STORE_OK;
}

static int sqlite_make(struct tw_store *store, const struct tw_store_config *config,
                       struct tw_error *error)
{
    store->value = malloc(STORE_SEAL_BYTES + TW_PAYLOAD_MAX);
    store->log = -1;
    store->checkpoint_pages = store_setting(config, "checkpoint-pages", CHECKPOINT_PAGES);
    store->syncs_commits = config->sync <= TW_SYNC_GROUP;
    store_writer_init(&store->writer, &sqlite_steps, store, config->sync);
    int watched = log_watch_begin(&store->watch);
    store->writer.due_max = INT64_MAX;
    int answer = store->value
                     ? store_directory_open(&store->directory, config->directory, "sqlite 1", error)
                     : store_no_memory(error);
    if (answer == TW_STORE_OK && watched != SQLITE_OK)
        answer = open_error(store, NULL, error);
    if (answer == TW_STORE_OK)
        answer = sqlite_start(store, config, error);
    return answer;
}

STORE_OPEN(sqlite, tw_store_sqlite, sqlite_make, sqlite_free)

static int sqlite_checkpoint(struct tw_store *store)
{
    /* A copy that another connection's transaction holds up answers that all is well, and syncs nothing. */
    if (store->log >= 0)
        log_sync(store);
    if (atomic_load(&store->writer.broken))
        return TW_STORE_BROKEN;
    int answer = log_copy(store, store->read, SQLITE_CHECKPOINT_PASSIVE);
    if (answer != TW_STORE_OK)
        atomic_store(&store->writer.broken, true);
    return answer;
}

static int sqlite_close(struct tw_store *store)
{
    int answer = atomic_load(&store->writer.broken) ? TW_STORE_BROKEN : TW_STORE_OK;
    if (answer == TW_STORE_OK) {
        char note[80];
        int64_t pending =
            store->is_counted ? (int64_t)atomic_load(&store->writer.ordered.pending) : -1;
        if (pending < 0) /* not known, or more ended than there were */
            pending = messages_count(store);
        snprintf(note, sizeof note, "INSERT INTO closed VALUES (%lld)", (long long)pending);
        if (pending < 0 || sqlite3_exec(store->written, note, NULL, NULL, NULL) != SQLITE_OK)
            answer = TW_STORE_IO;
        sqlite3_reset(store->select);
        if (answer == TW_STORE_OK)
            answer = log_copy(store, store->written, SQLITE_CHECKPOINT_TRUNCATE);
    }
    if (answer != TW_STORE_OK)
        keep_log(store);
    sqlite_free(store);
    return answer;
}

/* ---- The other hooks. ------------------------------------------------------------------------- */

STORE_PLAIN_SEATS(sqlite)
STORE_WRITES(sqlite)

static int sqlite_poll(struct tw_store *store, uint64_t now_ms, struct tw_delivery *out, size_t max,
                       size_t *count)
{
    struct store_poll poll = {&store->writer.ordered, now_ms, out, max, 0};
    struct store_at from;
    *count = 0;
    if (atomic_load(&store->writer.broken))
        return TW_STORE_BROKEN;
    if (!store_poll_begin(&poll, &from))
        return TW_STORE_OK;
    sqlite3_stmt *select = store->select;
    enum store_offered offered = STORE_MORE;
    int result = SQLITE_ROW;
    sqlite3_bind_int64(select, 1, (sqlite3_int64)from.due);
    sqlite3_bind_int64(select, 2, number_of_key(from.key));
    while (offered == STORE_MORE && (result = sqlite3_step(select)) == SQLITE_ROW) {
        struct store_at at = {(uint64_t)sqlite3_column_int64(select, 0),
                              (uint64_t)sqlite3_column_int64(select, 1) ^ UINT64_C(1) << 63};
        const void *value = sqlite3_column_blob(select, 2);
        offered = store_poll_offer(&poll, at, value, (size_t)sqlite3_column_bytes(select, 2));
    }
    sqlite3_reset(select);
    store_poll_end(&poll, result == SQLITE_DONE);
    *count = poll.count;
    if (offered == STORE_NO_MEMORY)
        return poll.count > 0 ? TW_STORE_OK : TW_STORE_MEMORY;
    return poll.count > 0 ? TW_STORE_OK : answer_of(result);
}

STORE_NEXT_OF(sqlite, writer.ordered)

/* The leader copies the log. */
STORE_TENDS_NOTHING(sqlite)

static void sqlite_stats(struct tw_store *store, struct tw_store_stats *out)
{
    int written = 0, read = 0, most;
    sqlite3_db_status(store->written, SQLITE_DBSTATUS_CACHE_USED, &written, &most, 0);
    sqlite3_db_status(store->read, SQLITE_DBSTATUS_CACHE_USED, &read, &most, 0);
    *out = (struct tw_store_stats){
        .pending = store->is_counted ? atomic_load(&store->writer.ordered.pending) : UINT64_MAX,
        .disk_bytes = store_directory_bytes(&store->directory),
        .memory_bytes = (uint64_t)written + (uint64_t)read +
                        store_ordered_memory(&store->writer.ordered) + TW_PAYLOAD_MAX,
        .written_bytes = atomic_load(&store->written_bytes),
        .syncs = atomic_load(&store->syncs),
        .checkpoints = atomic_load(&store->checkpoints),
        .reclaimed_bytes = UINT64_MAX,
    };
}

static void sqlite_describe(struct tw_store *store, struct tw_store_description *out)
{
    *out = (struct tw_store_description){
        .resolution_ms = 1,
        .reach_ms = TW_STORE_NEVER,
        .recovered = store->recovered,
        .setting_count = 1,
        .settings = {{"checkpoint-pages", 1, {store->checkpoint_pages}}},
    };
    snprintf(out->version, sizeof out->version, "SQLite %s", sqlite3_libversion());
}

const struct tw_store_backend tw_store_sqlite = {
    .name = "sqlite",
    .summary = "SQLite: a table in the order of due, one transaction for each group of calls",
    .after = "SQLite (D. R. Hipp)",
    .flags = TW_STORE_EXACT,
    .policies = TW_SYNC_ALL,
    TW_STORE_HOOKS(sqlite),
};
