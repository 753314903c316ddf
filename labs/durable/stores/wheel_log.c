/*
 * wheel_log.c - the delay-message store of the documents: two wheels over a log, heads in memory, chains on disk.
 *
 *     seconds   0 1 2 3 ...... 3599        hours   0 1 2 ....... 239          memory: 8 bytes a slot
 *               |     |                            |
 *     - - - - - | - - | - - - - - - - - - - - - - -|- - - - - - - - - - - -   disk: the log
 *      [e][e]  [e]<--[e]   [e]<----[e]<-----------[e]     ...append->
 *           \____________________/
 *                a chain leads back
 *
 * A put appends one record, entry and payload, and makes it the head of its slot.  Nothing is ever written twice: not
 * when an hour is spread over its seconds (that is done in memory, in bounded pieces, ahead of time), and not
 * when a slot is worked off (the place up to which all is done is one record of 30 bytes for each done).
 *
 * Departures from the documents
 *     - rounds are rows of heads, not counters in entries;
 *     - a slot's messages are handed out by their due in milliseconds, not all at the slot's end: the queue sorts anyway;
 *     - the payload lies behind its entry, so that one write and one sync make both durable.
 */
#include "wheel_log.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

extern const struct tw_store_backend tw_store_wheel_log;

static const struct tw_param wl_params[] = {
    {"slot-ms", "width of a slot of the seconds' wheel, ms (1000)", 1, 3600000, 1},
    {"slots", "slots of the seconds' wheel, an hour by default (3600)", 2, WL_SLOTS_MAX, 1},
    {"hours", "slots of the hours' wheel (240)", 8, WL_HOURS_MAX, 1},
    {"segment-kib", "a log file that is this large gets no more, KiB (65536)", 1, 1048576, 1},
    {"checkpoint-kib", "log between two checkpoints, which recovery replays, KiB (16384)", 1,
     1048576, 1},
    {"preload-s", "how long before its turn an hour is loaded, s; 0: not before (600)", 0, 3600, 1},
    {"position", "1: done is durable as a position in the slot; 0: only by checkpoints (1)", 0, 1,
     1},
    {NULL, NULL, 0, 0, 0}};

/* ---- Seats. ----------------------------------------------------------------------------------- */

static struct tw_store_seat *wl_enter(struct tw_store *store)
{
    struct tw_store_seat *seat = calloc(1, sizeof *seat);
    if (!seat)
        return NULL;
    seat->store = store;
    wl_log_lock(&store->log);
    seat->next = store->seats;
    store->seats = seat;
    wl_log_unlock(&store->log);
    return seat;
}

static void wl_leave(struct tw_store_seat *seat)
{
    struct tw_store *store = seat->store;
    wl_log_lock(&store->log);
    struct tw_store_seat **link = &store->seats;
    while (*link != seat)
        link = &(*link)->next;
    *link = seat->next;
    wl_log_unlock(&store->log);
    wl_window_close(&seat->window);
    free(seat->checks);
    free(seat);
}

/* ---- Put. ------------------------------------------------------------------------------------- */

/* The checks of the payloads, before the lock is taken. */
static int put_check(struct tw_store_seat *seat, const struct tw_message *messages, size_t count)
{
    if (!store_room(&seat->checks, &seat->check_room, count, sizeof *seat->checks))
        return TW_STORE_MEMORY;
    for (size_t i = 0; i < count; i++) {
        if (messages[i].size > TW_PAYLOAD_MAX || messages[i].due_ms > WL_DUE_MAX)
            return TW_STORE_RANGE;
        seat->checks[i] = wl_check(messages[i].payload, messages[i].size, 0);
    }
    return TW_STORE_OK;
}

/* The entry that the message gets now.  A due that is over becomes the frontier. */
static struct wl_entry put_entry(const struct tw_store *store, const struct tw_message *message,
                                 uint32_t check)
{
    bool late = message->due_ms < store->frontier;
    uint64_t due = late ? store->frontier : message->due_ms;
    bool coarse = wl_hour(&store->log.wheel, due) > store->opened;
    return (struct wl_entry){
        .kind = WL_PUT | (late ? WL_LATE : 0u) | (coarse ? WL_COARSE : 0u),
        .size = message->size + (late ? 8u : 0u),
        .body_check = check,
        .due = due,
        .key = message->key,
    };
}

static int put_append(struct tw_store_seat *seat, struct wl_ticket *ticket,
                      struct tw_message *messages, size_t count)
{
    struct tw_store *store = seat->store;
    struct wl_log *log = &store->log;
    /* A message that is out of reach refuses all, before any is there. */
    for (size_t i = 0; i < count; i++) {
        struct wl_entry entry = put_entry(store, &messages[i], 0);
        if (!wl_head_make(&log->wheel, (entry.kind & WL_COARSE) != 0, entry.due))
            return TW_STORE_RANGE;
    }
    uint64_t from = 0;
    for (size_t i = 0; i < count; i++) {
        int answer = wl_log_make_room(log, ticket, messages[i].size + 8);
        if (i == 0)
            from = log->end;
        if (answer == TW_STORE_OK) {
            struct wl_entry entry = put_entry(store, &messages[i], seat->checks[i]);
            answer = wl_log_append(log, ticket, &entry,
                                   entry.kind & WL_LATE ? &messages[i].due_ms : NULL,
                                   messages[i].payload, &messages[i].handle);
        }
        if (answer != TW_STORE_OK) {
            if (i)
                wl_log_withdraw(log, ticket, from);
            return answer;
        }
    }
    return TW_STORE_OK;
}

static int wl_put(struct tw_store_seat *seat, struct tw_message *messages, size_t count)
{
    struct wl_log *log = &seat->store->log;
    int answer = put_check(seat, messages, count);
    if (answer != TW_STORE_OK)
        return answer;
    wl_log_lock(log);
    struct wl_ticket ticket = wl_log_join(log);
    answer = log->broken ? TW_STORE_BROKEN : put_append(seat, &ticket, messages, count);
    if (answer == TW_STORE_OK) {
        store_company_join(&log->company);
        return wl_log_settle_and_unlock(log, &ticket);
    }
    wl_log_unlock(log);
    return answer;
}

/* ---- Cancel. ---------------------------------------------------------------------------------- */

/* The due that the message has in the order of all, which is another than its own if it was put late.  In a store that was
 * opened again another message may stand in the place of one that was lost.  With the lock, which it gives up to read. */
static int cancel_due(struct tw_store_seat *seat, uint64_t key, uint64_t handle, uint64_t *due)
{
    struct wl_log *log = &seat->store->log;
    struct wl_entry entry;
    const unsigned char *bytes;
    bool late = *due <= seat->store->clamped;
    if (!late && !seat->store->reopened)
        return TW_STORE_OK;
    if (!wl_log_peek(log, handle, &entry)) {
        wl_log_unlock(log);
        enum wl_read read =
            wl_window_at(&seat->window, &log->segments, handle, WL_ENTRY_BYTES, &bytes);
        bool good = read == WL_READ_OK && wl_entry_read(bytes, &entry, handle);
        wl_log_lock(log);
        if (read == WL_READ_ERROR)
            log->broken = true;
        if (read == WL_READ_ERROR)
            return TW_STORE_IO;
        /* Its segment is over and gone, or it is damaged and is not handed out any more. */
        if (!good)
            return TW_STORE_TOO_LATE;
    }
    if (wl_kind_of(&entry) != WL_PUT || entry.key != key || (!late && entry.due != *due))
        return seat->store->reopened ? TW_STORE_TOO_LATE : TW_STORE_BAD;
    *due = entry.due;
    return TW_STORE_OK;
}

/* Room in the list for every cancel that may be under way. */
static bool late_make_room(struct tw_store *store)
{
    size_t need = store->late_count;
    for (const struct tw_store_seat *seat = store->seats; seat; seat = seat->next)
        need++;
    return store_room(&store->late, &store->late_room, need, sizeof *store->late);
}

/* Appends the cancel and waits for it; with the lock. */
static int cancel_append(struct tw_store_seat *seat, struct wl_place place)
{
    struct tw_store *store = seat->store;
    struct wl_log *log = &store->log;
    struct wl_ticket ticket = wl_log_join(log);
    int answer = wl_log_make_room(log, &ticket, 0);
    if (answer != TW_STORE_OK)
        return answer;
    bool coarse = wl_hour(&log->wheel, place.due) > store->opened;
    struct wl_entry entry = {
        .kind = WL_CANCEL | (coarse ? WL_COARSE : 0u), .due = place.due, .key = place.position};
    uint64_t position;
    /* While the lock was given up it may have been handed out. */
    if (wl_at_or_before(place, store->handed))
        return TW_STORE_TOO_LATE;
    if (!late_make_room(store))
        return TW_STORE_MEMORY;
    seat->cancelling = place;
    answer = wl_log_append(log, &ticket, &entry, NULL, NULL, &position);
    if (answer == TW_STORE_OK) {
        store_company_join(&log->company);
        answer = wl_log_settle(log, &ticket);
    }
    seat->cancelling.position = 0;
    /* A poll may have its message in hand. */
    if (answer == TW_STORE_OK && place.due <= store->bound)
        store->late[store->late_count++] = place;
    pthread_cond_broadcast(&log->settled);
    /* Its slot was over when the lock was had again: a poll has it. */
    if (answer == TW_STORE_RANGE)
        return TW_STORE_TOO_LATE;
    return answer == TW_STORE_OK ? TW_STORE_CANCELLED : answer;
}

static int wl_cancel(struct tw_store_seat *seat, uint64_t key, uint64_t due_ms, uint64_t handle)
{
    struct tw_store *store = seat->store;
    struct wl_log *log = &store->log;
    struct wl_place place = {due_ms, handle};
    wl_log_lock(log);
    int answer = log->broken ? TW_STORE_BROKEN : cancel_due(seat, key, handle, &place.due);
    if (answer == TW_STORE_OK)
        answer = cancel_append(seat, place);
    wl_log_unlock(log);
    return answer;
}

/* ---- Ahead of time. --------------------------------------------------------------------------- */

static int wl_tend(struct tw_store *store, uint64_t now_ms, int *more)
{
    bool again = false;
    wl_log_lock(&store->log);
    int answer = wl_log_tend(&store->log);
    wl_log_unlock(&store->log);
    if (answer == TW_STORE_OK)
        answer = wl_preload(store, now_ms, &again);
    if (answer == TW_STORE_OK && !again)
        answer = wl_keep(store, &again);
    *more = again;
    return answer;
}

/* ---- Open and close. -------------------------------------------------------------------------- */

static void store_free(struct tw_store *store)
{
    wl_drain_close(store);
    wl_wheel_close(&store->log.wheel);
    wl_log_close(&store->log);
    wl_segments_close(&store->log.segments);
    if (store->directory >= 0)
        close(store->directory);
    free(store);
}

static int wl_close(struct tw_store *store)
{
    int answer = wl_checkpoint(store);
    /* Gives back the room that was promised ahead. */
    if (answer == TW_STORE_OK && store->log.last &&
        wl_segments_cut(&store->log.segments, store->log.end) != 0)
        answer = TW_STORE_IO;
    store_free(store);
    return answer;
}

static struct wl_settings settings_of(const struct tw_store_config *config)
{
    return (struct wl_settings){
        .slot_ms = store_setting(config, "slot-ms", 1000),
        .slots = store_setting(config, "slots", 3600),
        .hours = store_setting(config, "hours", 240),
        .segment_kib = store_setting(config, "segment-kib", 65536),
        .checkpoint_kib = store_setting(config, "checkpoint-kib", 16384),
        .preload_s = store_setting(config, "preload-s", 600),
        .position = store_setting(config, "position", 1),
    };
}

static int directory_open(struct tw_store *store, const char *path, struct tw_error *error)
{
    if (mkdir(path, 0755) != 0 && errno != EEXIST) {
        snprintf(error->text, sizeof error->text, "%s: %s", path, strerror(errno));
        return errno == ENOSPC ? TW_STORE_FULL : TW_STORE_IO;
    }
    store->directory = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (store->directory < 0) {
        snprintf(error->text, sizeof error->text, "%s: %s", path, strerror(errno));
        return TW_STORE_IO;
    }
    if (flock(store->directory, LOCK_EX | LOCK_NB) != 0) {
        snprintf(error->text, sizeof error->text, "%s: another process has it open", path);
        return TW_STORE_LOCKED;
    }
    return TW_STORE_OK;
}

static int wl_make(struct tw_store *store, const struct tw_store_config *config,
                   struct tw_error *error)
{
    store->settings = settings_of(config);
    store->directory = store->current.queue.file = store->next.queue.file = -1;
    store->live.tick = store->ahead.tick = UINT64_MAX;
    pthread_mutex_init(&store->log.lock, NULL);
    pthread_cond_init(&store->log.settled, NULL);
    store_company_init(&store->log.company, config->sync == TW_SYNC_GROUP);
    const struct wl_settings *settings = &store->settings;
    if (settings->slot_ms * settings->slots > WL_HOUR_MS_MAX) {
        snprintf(error->text, sizeof error->text,
                 "slots: %llu slots of %llu ms given; expected at most %llu ms in all",
                 (unsigned long long)settings->slots, (unsigned long long)settings->slot_ms,
                 (unsigned long long)WL_HOUR_MS_MAX);
        return TW_STORE_BAD;
    }
    int answer = directory_open(store, config->directory, error);
    if (answer == TW_STORE_OK)
        answer = wl_recover(store, config, error);
    return answer;
}

STORE_OPEN(wl, tw_store_wheel_log, wl_make, store_free)

/* ---- What it is. ------------------------------------------------------------------------------ */

static uint64_t disk_bytes(const struct tw_store *store)
{
    uint64_t blocks = 0;
    char name[WL_NAME_BYTES];
    struct wl_segments *segments = (struct wl_segments *)(uintptr_t)&store->log.segments;
    struct stat status;
    pthread_mutex_lock(&segments->lock);
    for (size_t i = 0; i < segments->count; i++) {
        wl_segment_name(name, segments->list[i]->base);
        if (fstatat(store->directory, name, &status, 0) == 0)
            blocks += (uint64_t)status.st_blocks;
    }
    pthread_mutex_unlock(&segments->lock);
    for (unsigned file = 0; file < 2; file++)
        if (fstatat(store->directory, wl_checkpoint_name(file), &status, 0) == 0)
            blocks += (uint64_t)status.st_blocks;
    return blocks * 512;
}

static void wl_stats(struct tw_store *store, struct tw_store_stats *out)
{
    struct wl_log *log = &store->log;
    wl_log_lock(log);
    *out = (struct tw_store_stats){
        .pending = log->pending,
        .disk_bytes = disk_bytes(store),
        .memory_bytes =
            sizeof *store + 2 * WL_BUFFER_BYTES + WL_ARENA_BYTES +
            log->wheel.pages_held * sizeof(struct wl_page) +
            log->segments.count * sizeof(struct wl_segment) +
            wl_queue_bytes(&store->current.queue) + wl_queue_bytes(&store->next.queue) +
            store->window.room +
            (store->undone_room + store->batch_room + store->late_room) * sizeof(struct wl_place),
        .written_bytes = atomic_load(&log->segments.written_bytes),
        .syncs = atomic_load(&log->segments.syncs),
        .checkpoints = store->checkpoints,
        .preloaded = store->preloaded,
        .loaded_late = store->loaded_late,
        .reclaimed_bytes = atomic_load(&log->segments.reclaimed_bytes),
    };
    wl_log_unlock(log);
}

/* From any time of a round, with the fine wheel as far behind as it may be. */
static uint64_t reach_ms(const struct wl_settings *settings)
{
    uint64_t hours = (WL_COARSE_ROUNDS - 2) * settings->hours - WL_FINE_ROUNDS;
    return hours * settings->slots * settings->slot_ms;
}

static void wl_describe(struct tw_store *store, struct tw_store_description *out)
{
    const struct wl_settings *settings = &store->settings;
    *out = (struct tw_store_description){
        .resolution_ms = 1,
        .reach_ms = reach_ms(settings),
        .recovered = store->recovered,
        .damaged = store->damaged,
    };
    const uint64_t values[] = {settings->slot_ms,     settings->slots,          settings->hours,
                               settings->segment_kib, settings->checkpoint_kib, settings->preload_s,
                               settings->position};
    out->setting_count = sizeof values / sizeof values[0];
    for (size_t i = 0; i < out->setting_count; i++)
        out->settings[i] =
            (struct tw_setting){.name = wl_params[i].name, .count = 1, .values = {values[i]}};
}

const struct tw_store_backend tw_store_wheel_log = {
    .name = "wheel-log",
    .summary = "two wheels over a log: heads in memory, chains of 30-byte entries on disk",
    .after = "the delay-message store of the documents (S18), with checksums and two checkpoints",
    .flags = TW_STORE_EXACT | TW_STORE_FINDS_DAMAGE,
    .policies = TW_SYNC_ALL,
    TW_STORE_HOOKS(wl),
};
