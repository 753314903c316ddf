/*
 * rocksdb.c - RocksDB: a log-structured tree in the order (due, key), with its own group commit in the log.
 *
 *     put, cancel, done -> WriteBatch -> RocksDB's write queue: its leader writes and syncs one log for all that wait
 *                                     -> table in memory -> sorted files of level 0 -> compacted into lower levels
 *     poll ------------> an iterator from the cursor, over a snapshot
 *
 * Column family "messages": key (due, key) big-endian, value = seal and payload.  Default column family: how many waited when
 * it was closed; the note is taken away while it is open.  After a crash nobody counts how many wait; the next close does.
 *
 * Acknowledged rests on
 *   always, group    WriteOptions.sync: the log is synced before the write returns.  Writes under way together share it
 *   interval         the log is written without a sync; a thread calls FlushWAL(sync)
 *   none             without the thread
 *   A log is cut at its first record that is not whole (point-in-time recovery), in silence.  Its list of files, the
 *   MANIFEST, is not: when sectors of its last record arrived and others did not, open answers IO, and the messages
 *   stay where they are.  rocksdb_repair_db makes another list, but reads logs again whose tables are there, so that a
 *   put may come twice and outlive its SingleDelete: this store does not call it
 */
#include "store_parts.h"

#include <fcntl.h>
#include <rocksdb/c.h>
#include <stdio.h>
#include <stdlib.h>

extern const struct tw_store_backend tw_store_rocksdb;

enum { PENDING, MESSAGES, FAMILIES };
#define MEMORY_MIB  64
#define PENDING_KEY "pending"

struct tw_store {
    struct store_directory directory;
    struct store_ordered ordered;
    struct store_flusher flusher;
    rocksdb_t *db;
    rocksdb_options_t *options[FAMILIES];
    rocksdb_column_family_handle_t *families[FAMILIES];
    rocksdb_writeoptions_t *writing;
    rocksdb_block_based_table_options_t *tables;
    rocksdb_cache_t *cache;
    atomic_bool broken;
    uint64_t recovered, memory_mib;
    bool is_counted; /* how many wait is known */
};

struct tw_store_seat {
    struct tw_store *store;
    rocksdb_writebatch_t *batch;
    rocksdb_readoptions_t *reading;
};

static const struct tw_param rocks_params[] = {
    {"memory-mib", "size of a table in memory in MiB; up to four of them (default: 64)", 1, 4096,
     1},
    {NULL, NULL, 0, 0, 0},
};

/* What an error means; frees its text.  RocksDB says which kind only in words. */
static int answer_of(char *failed)
{
    if (!failed)
        return TW_STORE_OK;
    int answer = strstr(failed, "No space") ? TW_STORE_FULL : TW_STORE_IO;
    rocksdb_free(failed);
    return answer;
}

/* ---- Writing. --------------------------------------------------------------------------------- */

static void batch_remove(struct tw_store *store, rocksdb_writebatch_t *batch, struct store_at at)
{
    unsigned char key[16];
    store_at_put(key, at);
    rocksdb_writebatch_singledelete_cf(batch, store->families[MESSAGES], (const char *)key,
                                       sizeof key);
}

static void batch_insert(struct tw_store *store, rocksdb_writebatch_t *batch,
                         const struct tw_message *message)
{
    unsigned char key[16];
    uint32_t seal = store_seal(message);
    store_at_put(key, (struct store_at){message->due_ms, message->key});
    const char *names[] = {(const char *)key};
    const char *values[] = {(const char *)&seal, message->size > 0 ? message->payload : ""};
    rocksdb_writebatch_putv_cf(batch, store->families[MESSAGES], 1, names, (size_t[]){sizeof key},
                               2, values, (size_t[]){sizeof seal, message->size});
}

static int batch_write(struct tw_store *store, rocksdb_writebatch_t *batch)
{
    char *failed = NULL;
    if (atomic_load(&store->broken))
        return TW_STORE_BROKEN;
    rocksdb_write(store->db, store->writing, batch, &failed);
    int answer = answer_of(failed);
    if (answer != TW_STORE_OK)
        atomic_store(&store->broken, true);
    else if (store->flusher.runs)
        store_flusher_note(&store->flusher);
    return answer;
}

static void log_flush(void *ctx)
{
    struct tw_store *store = ctx;
    char *failed = NULL;
    rocksdb_flush_wal(store->db, 1, &failed);
    if (answer_of(failed) != TW_STORE_OK)
        atomic_store(&store->broken, true);
}

/* ---- Opening and closing. --------------------------------------------------------------------- */

static int options_set(struct tw_store *store)
{
    store->cache = rocksdb_cache_create_lru((size_t)32 << 20);
    store->tables = rocksdb_block_based_options_create();
    rocksdb_block_based_options_set_block_cache(store->tables, store->cache);
    for (size_t i = 0; i < FAMILIES; i++) {
        rocksdb_options_t *options = store->options[i] = rocksdb_options_create();
        rocksdb_options_set_create_if_missing(options, 1);
        rocksdb_options_set_create_missing_column_families(options, 1);
        rocksdb_options_set_compression(options, rocksdb_no_compression);
        rocksdb_options_set_level_compaction_dynamic_level_bytes(options, 1);
        rocksdb_options_set_block_based_table_factory(options, store->tables);
    }
    rocksdb_options_t *messages = store->options[MESSAGES], *own = store->options[PENDING];
    rocksdb_options_set_write_buffer_size(messages, (size_t)store->memory_mib << 20);
    rocksdb_options_set_max_write_buffer_number(messages, 4);
    rocksdb_options_set_write_buffer_size(own, (size_t)1 << 20);
    /* What follows is of the database, and taken from the first. */
    rocksdb_options_set_max_total_wal_size(own, 4 * store->memory_mib << 20);
    rocksdb_options_set_max_background_jobs(own, 2);
    rocksdb_options_set_enable_pipelined_write(own, 1);
    /* Not tolerate_corrupted_tail_records: that refuses a log whose last records arrived by sectors. */
    rocksdb_options_set_wal_recovery_mode(own, rocksdb_point_in_time_recovery);
    rocksdb_options_set_max_open_files(own, 256);
    rocksdb_options_set_keep_log_file_num(own, 1);
    rocksdb_options_set_info_log_level(own, 2);
    rocksdb_options_enable_statistics(own);
    /* After a failed write RocksDB resumes by itself, in the same log where no table in memory holds anything.  It would acknowledge
     * what stands there behind the hole, and recovery ends at a hole. */
    char *failed = NULL;
    store->options[PENDING] = rocksdb_options_create();
    rocksdb_get_options_from_string(own, "max_bgerror_resume_count=0", store->options[PENDING],
                                    &failed);
    rocksdb_options_destroy(own);
    return answer_of(failed);
}

/* The due of the first that waits, or TW_STORE_NEVER; *count, unless it is NULL: how many there are, a step for each. */
static int messages_scan(struct tw_store *store, uint64_t *first, uint64_t *count)
{
    char *failed = NULL;
    size_t size;
    rocksdb_readoptions_t *reading = rocksdb_readoptions_create();
    rocksdb_iterator_t *iterator =
        rocksdb_create_iterator_cf(store->db, reading, store->families[MESSAGES]);
    rocksdb_iter_seek_to_first(iterator);
    *first = TW_STORE_NEVER;
    if (rocksdb_iter_valid(iterator))
        *first = store_get64((const unsigned char *)rocksdb_iter_key(iterator, &size));
    for (; count && rocksdb_iter_valid(iterator); rocksdb_iter_next(iterator))
        (*count)++;
    rocksdb_iter_get_error(iterator, &failed);
    rocksdb_iter_destroy(iterator);
    rocksdb_readoptions_destroy(reading);
    return answer_of(failed);
}

/* How many wait is what the last close noted. */
static int messages_find(struct tw_store *store)
{
    char *failed = NULL;
    size_t size = 0;
    uint64_t first, pending = 0;
    int answer = messages_scan(store, &first, NULL);
    if (answer != TW_STORE_OK)
        return answer;
    rocksdb_readoptions_t *reading = rocksdb_readoptions_create();
    char *note = rocksdb_get_cf(store->db, reading, store->families[PENDING], PENDING_KEY,
                                strlen(PENDING_KEY), &size, &failed);
    rocksdb_readoptions_destroy(reading);
    store->is_counted = first == TW_STORE_NEVER || (note && size == 8);
    if (first != TW_STORE_NEVER && store->is_counted)
        pending = store_get64((const unsigned char *)note);
    if (note && !failed)
        rocksdb_delete_cf(store->db, store->writing, store->families[PENDING], PENDING_KEY,
                          strlen(PENDING_KEY), &failed);
    rocksdb_free(note);
    store->recovered = store->is_counted ? pending : UINT64_MAX;
    store_ordered_found(&store->ordered, pending, first);
    return answer_of(failed);
}

static int messages_note(struct tw_store *store)
{
    char *failed = NULL;
    unsigned char note[8];
    uint64_t first, pending = atomic_load(&store->ordered.pending);
    int answer = TW_STORE_OK;
    if (!store->is_counted) {
        pending = 0;
        answer = messages_scan(store, &first, &pending);
    }
    store_put64(note, pending);
    if (answer == TW_STORE_OK)
        rocksdb_put_cf(store->db, store->writing, store->families[PENDING], PENDING_KEY,
                       strlen(PENDING_KEY), (const char *)note, sizeof note, &failed);
    return answer == TW_STORE_OK ? answer_of(failed) : answer;
}

static void rocksdb_free_store(struct tw_store *store)
{
    store_flusher_end(&store->flusher);
    for (size_t i = 0; i < FAMILIES; i++)
        if (store->families[i])
            rocksdb_column_family_handle_destroy(store->families[i]);
    if (store->db)
        rocksdb_close(store->db);
    for (size_t i = 0; i < FAMILIES; i++)
        rocksdb_options_destroy(store->options[i]);
    rocksdb_block_based_options_destroy(store->tables);
    rocksdb_cache_destroy(store->cache);
    rocksdb_writeoptions_destroy(store->writing);
    store_ordered_destroy(&store->ordered);
    store_directory_close(&store->directory);
    free(store);
}

static int rocksdb_start(struct tw_store *store, const struct tw_store_config *config,
                         struct tw_error *error)
{
    static const char *const names[FAMILIES] = {"default", "messages"};
    char path[48], *failed = NULL;
    snprintf(path, sizeof path, "/proc/self/fd/%d/db", store->directory.fd);
    store->db = rocksdb_open_column_families(store->options[PENDING], path, FAMILIES, names,
                                             (const rocksdb_options_t *const *)store->options,
                                             store->families, &failed);
    if (!store->db) {
        snprintf(error->text, sizeof error->text, "db: %.200s", failed ? failed : "no database");
        int answer = answer_of(failed);
        return answer == TW_STORE_OK ? TW_STORE_IO : answer;
    }
    int answer = messages_find(store);
    if (answer != TW_STORE_OK)
        snprintf(error->text, sizeof error->text, "db: what waits cannot be read");
    else if (config->sync == TW_SYNC_INTERVAL &&
             !store_flusher_start(&store->flusher, config->interval_ms, log_flush, store)) {
        snprintf(error->text, sizeof error->text, "db: no thread to sync the log");
        answer = TW_STORE_MEMORY;
    }
    return answer;
}

static int rocks_make(struct tw_store *store, const struct tw_store_config *config,
                      struct tw_error *error)
{
    store->memory_mib = store_setting(config, "memory-mib", MEMORY_MIB);
    store_ordered_init(&store->ordered);
    int answer = options_set(store);
    if (answer != TW_STORE_OK)
        snprintf(error->text, sizeof error->text, "db: max_bgerror_resume_count is not taken");
    store->writing = rocksdb_writeoptions_create();
    rocksdb_writeoptions_set_sync(store->writing, config->sync <= TW_SYNC_GROUP);
    if (answer == TW_STORE_OK)
        answer = store_directory_open(&store->directory, config->directory, "rocksdb 1", error);
    if (answer == TW_STORE_OK)
        answer = rocksdb_start(store, config, error);
    return answer;
}

STORE_OPEN(rocks, tw_store_rocksdb, rocks_make, rocksdb_free_store)

/* What is in memory goes into a file, so that no log is left to replay. */
static int rocks_checkpoint(struct tw_store *store)
{
    char *failed = NULL;
    if (atomic_load(&store->broken))
        return TW_STORE_BROKEN;
    /* Beside writes that sync, a sync of ours that fails would take what they have written with it, and theirs answers well. */
    if (!rocksdb_writeoptions_get_sync(store->writing))
        rocksdb_flush_wal(store->db, 1, &failed);
    rocksdb_flushoptions_t *options = rocksdb_flushoptions_create();
    for (size_t i = 0; !failed && i < FAMILIES; i++)
        rocksdb_flush_cf(store->db, options, store->families[i], &failed);
    rocksdb_flushoptions_destroy(options);
    int answer = answer_of(failed);
    if (answer != TW_STORE_OK)
        atomic_store(&store->broken, true);
    return answer;
}

static int rocks_close(struct tw_store *store)
{
    int answer = atomic_load(&store->broken) ? TW_STORE_BROKEN : messages_note(store);
    if (answer == TW_STORE_OK)
        answer = rocks_checkpoint(store);
    rocksdb_free_store(store);
    return answer;
}

/* ---- The other hooks. ------------------------------------------------------------------------- */

static struct tw_store_seat *rocks_enter(struct tw_store *store)
{
    struct tw_store_seat *seat = malloc(sizeof *seat);
    if (!seat)
        return NULL;
    *seat =
        (struct tw_store_seat){store, rocksdb_writebatch_create(), rocksdb_readoptions_create()};
    return seat;
}

static void rocks_leave(struct tw_store_seat *seat)
{
    rocksdb_writebatch_destroy(seat->batch);
    rocksdb_readoptions_destroy(seat->reading);
    free(seat);
}

static int rocks_put(struct tw_store_seat *seat, struct tw_message *messages, size_t count)
{
    struct tw_store *store = seat->store;
    for (size_t i = 0; i < count; i++)
        if (messages[i].size > TW_PAYLOAD_MAX)
            return TW_STORE_RANGE;
    rocksdb_writebatch_clear(seat->batch);
    for (size_t i = 0; i < count; i++) {
        messages[i].handle = 0;
        batch_insert(store, seat->batch, &messages[i]);
    }
    int answer = batch_write(store, seat->batch);
    if (answer == TW_STORE_OK)
        store_ordered_put(&store->ordered, messages, count);
    return answer;
}

/* RocksDB deletes without saying whether anything was there: the message is looked up first.  Nobody else deletes it
 * meanwhile, because its key is among those being cancelled. */
static int message_cancel(struct tw_store_seat *seat, struct store_at at, bool *found)
{
    struct tw_store *store = seat->store;
    unsigned char key[16];
    char *failed = NULL;
    store_at_put(key, at);
    rocksdb_pinnableslice_t *value =
        rocksdb_get_pinned_cf(store->db, seat->reading, store->families[MESSAGES],
                              (const char *)key, sizeof key, &failed);
    *found = value != NULL;
    rocksdb_pinnableslice_destroy(value);
    if (failed || !*found)
        return answer_of(failed);
    rocksdb_writebatch_clear(seat->batch);
    batch_remove(store, seat->batch, at);
    return batch_write(store, seat->batch);
}

static int rocks_cancel(struct tw_store_seat *seat, uint64_t key, uint64_t due_ms, uint64_t handle)
{
    struct store_ordered *ordered = &seat->store->ordered;
    bool found = false;
    (void)handle;
    if (atomic_load(&seat->store->broken))
        return TW_STORE_BROKEN;
    int answer = store_ordered_cancel(ordered, key);
    if (answer != TW_STORE_OK)
        return answer;
    answer = message_cancel(seat, (struct store_at){due_ms, key}, &found);
    store_ordered_cancelled(ordered, key, answer == TW_STORE_OK && found);
    if (answer != TW_STORE_OK)
        return answer;
    return found ? TW_STORE_CANCELLED : TW_STORE_TOO_LATE;
}

/* The messages from `from`, until one is not taken; *exhausted if there are no more. */
static int messages_offer(struct tw_store *store, struct store_poll *poll, struct store_at from,
                          bool *exhausted)
{
    unsigned char key[16];
    size_t size, value_size;
    char *failed = NULL;
    enum store_offered offered = STORE_MORE;
    store_at_put(key, from);
    rocksdb_readoptions_t *reading = rocksdb_readoptions_create();
    rocksdb_readoptions_set_iterate_lower_bound(reading, (const char *)key, sizeof key);
    rocksdb_readoptions_set_fill_cache(reading, 0);
    rocksdb_iterator_t *iterator =
        rocksdb_create_iterator_cf(store->db, reading, store->families[MESSAGES]);
    rocksdb_iter_seek(iterator, (const char *)key, sizeof key);
    for (; offered == STORE_MORE && rocksdb_iter_valid(iterator); rocksdb_iter_next(iterator)) {
        const unsigned char *name = (const unsigned char *)rocksdb_iter_key(iterator, &size);
        struct store_at at = {store_get64(name), store_get64(name + 8)};
        const char *value = rocksdb_iter_value(iterator, &value_size);
        offered = store_poll_offer(poll, at, value, value_size);
    }
    rocksdb_iter_get_error(iterator, &failed);
    *exhausted = offered == STORE_MORE && !failed;
    rocksdb_iter_destroy(iterator);
    rocksdb_readoptions_destroy(reading);
    int answer = answer_of(failed);
    return offered == STORE_NO_MEMORY ? TW_STORE_MEMORY : answer;
}

static int rocks_poll(struct tw_store *store, uint64_t now_ms, struct tw_delivery *out, size_t max,
                      size_t *count)
{
    struct store_poll poll = {&store->ordered, now_ms, out, max, 0};
    struct store_at from;
    bool exhausted;
    *count = 0;
    if (atomic_load(&store->broken))
        return TW_STORE_BROKEN;
    if (!store_poll_begin(&poll, &from))
        return TW_STORE_OK;
    int answer = messages_offer(store, &poll, from, &exhausted);
    store_poll_end(&poll, exhausted);
    *count = poll.count;
    return poll.count > 0 ? TW_STORE_OK : answer;
}

static int rocks_done(struct tw_store *store, size_t count)
{
    struct store_ordered *ordered = &store->ordered;
    if (count > ordered->handed_count)
        count = ordered->handed_count;
    rocksdb_writebatch_t *batch = rocksdb_writebatch_create();
    for (size_t i = 0; i < count; i++)
        batch_remove(store, batch, store_ordered_handed(ordered, i));
    int answer = batch_write(store, batch);
    rocksdb_writebatch_destroy(batch);
    if (answer == TW_STORE_OK)
        store_ordered_done(ordered, count);
    return answer;
}

STORE_NEXT_OF(rocks, ordered)
STORE_TENDS_NOTHING(rocks)

/* One count of the statistics' text: "rocksdb.wal.bytes COUNT : 4711". */
static uint64_t ticker(const char *statistics, const char *name)
{
    const char *line = statistics ? strstr(statistics, name) : NULL;
    const char *count = line ? strstr(line, "COUNT : ") : NULL;
    return count ? strtoull(count + strlen("COUNT : "), NULL, 10) : 0;
}

static uint64_t property(const struct tw_store *store, const char *name)
{
    uint64_t value = 0;
    rocksdb_property_int_cf(store->db, store->families[MESSAGES], name, &value);
    return value;
}

static void rocks_stats(struct tw_store *store, struct tw_store_stats *out)
{
    char *statistics = rocksdb_options_statistics_get_string(store->options[PENDING]);
    *out = (struct tw_store_stats){
        .pending = store->is_counted ? atomic_load(&store->ordered.pending) : UINT64_MAX,
        .disk_bytes = store_directory_bytes(&store->directory),
        .memory_bytes = property(store, "rocksdb.cur-size-all-mem-tables") +
                        property(store, "rocksdb.estimate-table-readers-mem") +
                        property(store, "rocksdb.block-cache-usage") +
                        store_ordered_memory(&store->ordered),
        .written_bytes = ticker(statistics, "rocksdb.wal.bytes ") +
                         ticker(statistics, "rocksdb.flush.write.bytes ") +
                         ticker(statistics, "rocksdb.compact.write.bytes "),
        .syncs = ticker(statistics, "rocksdb.wal.synced "),
        .checkpoints = UINT64_MAX,
        .reclaimed_bytes = UINT64_MAX,
    };
    free(statistics);
}

/* The library says its version nowhere but in its log. */
static void version_find(const struct tw_store *store, char *out, size_t size)
{
    char line[200], number[32] = "";
    int fd = openat(store->directory.fd, "db/LOG", O_RDONLY | O_CLOEXEC);
    FILE *log = fd >= 0 ? fdopen(fd, "r") : NULL;
    for (int lines = 0; log && !number[0] && lines < 10; lines++) {
        const char *found =
            fgets(line, sizeof line, log) ? strstr(line, "RocksDB version: ") : NULL;
        if (found && sscanf(found, "RocksDB version: %31s", number) != 1)
            number[0] = '\0';
    }
    if (log)
        fclose(log);
    snprintf(out, size, "RocksDB %s", number);
}

static void rocks_describe(struct tw_store *store, struct tw_store_description *out)
{
    *out = (struct tw_store_description){
        .resolution_ms = 1,
        .reach_ms = TW_STORE_NEVER,
        .recovered = store->recovered,
        .setting_count = 1,
        .settings = {{"memory-mib", 1, {store->memory_mib}}},
    };
    version_find(store, out->version, sizeof out->version);
}

const struct tw_store_backend tw_store_rocksdb = {
    .name = "rocksdb",
    .summary = "RocksDB: a log-structured tree in the order of due, with its own group commit",
    .after = "RocksDB (Meta)",
    .flags = TW_STORE_EXACT,
    .policies = TW_SYNC_ALL,
    TW_STORE_HOOKS(rocks),
};
