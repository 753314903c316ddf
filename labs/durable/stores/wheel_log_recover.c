/*
 * wheel_log_recover.c - opens a directory: the newest whole checkpoint, and the log behind it replayed.
 *
 *     1  The files: is this a wheel-log, and of this version?  Nothing is changed before that is known.
 *     2  The heads of the newest whole checkpoint; without one, empty heads and the log from its oldest segment on.  Each
 *        piece of the log that no file holds and that is not over is told, with what it held at most.
 *     3  Replay: each record behind the checkpoint sets its slot's head again.  An entry that leads to another one than
 *        the head at that time shows that the one it leads to was lost: the chain gets a bridge.
 *     4  Behind the last whole record the log is cut: what lies there was never acknowledged, or is damaged and told.
 *        Zeros are neither.  A segment that was ended and lacks its seal gets one.
 *
 * Segments before the checkpoint are not read, but for the seal at the end of each.
 */
#include "wheel_log.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

#define GAPS_MAX 4096u /* beyond, walks search for what is left of their chain */

/* A link that leads nowhere: an entry leads to `lost`, and the one before that was `before`. */
struct gap {
    bool coarse;
    uint64_t due, lost, before;
};

struct recovery {
    struct tw_store *store;
    struct tw_error *error;
    struct wl_state state;
    bool whole;   /* there was a whole checkpoint */
    uint64_t end; /* behind the last whole record */
    bool sealed;  /* the last segment but one has its seal, or was not replayed */
    struct gap *gaps;
    size_t gap_count;
};

static int refuse(struct tw_error *error, int answer, const char *what, const char *why)
{
    snprintf(error->text, sizeof error->text, "%s: %s", what, why);
    return answer;
}

/* ---- 1. What is there? ------------------------------------------------------------------------ */

/* Only our own files, or none? */
static int foreign_files(const struct tw_store *store, const char *path, bool *ours,
                         struct tw_error *error)
{
    int copy = openat(store->directory, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    DIR *listing = copy < 0 ? NULL : fdopendir(copy);
    char foreign[128] = "";
    if (!listing)
        return refuse(error, TW_STORE_IO, path, strerror(errno));
    *ours = false;
    for (const struct dirent *entry; (entry = readdir(listing));) {
        const char *name = entry->d_name;
        if (strcmp(name, ".") == 0 || strcmp(name, "..") == 0 || strcmp(name, "lost+found") == 0)
            continue;
        if (wl_segment_base(name) != UINT64_MAX || strcmp(name, wl_checkpoint_name(0)) == 0 ||
            strcmp(name, wl_checkpoint_name(1)) == 0)
            *ours = true;
        else
            snprintf(foreign, sizeof foreign, "holds '%.64s' and is not a wheel-log", name);
    }
    closedir(listing);
    return foreign[0] && !*ours ? refuse(error, TW_STORE_FORMAT, path, foreign) : TW_STORE_OK;
}

static int other_version(struct tw_error *error, const char *file, unsigned version)
{
    snprintf(error->text, sizeof error->text,
             "%s: format version %u; this program reads version %u", file, version, WL_VERSION);
    return TW_STORE_FORMAT;
}

/* The headers of the segments: their version, and the geometry if no checkpoint has it. */
static int headers_read(struct recovery *recovery)
{
    struct tw_store *store = recovery->store;
    struct wl_segments *segments = &store->log.segments;
    for (size_t i = 0; i < segments->count; i++) {
        unsigned char bytes[WL_FILE_HEADER_BYTES];
        struct wl_file_header header;
        char name[WL_NAME_BYTES];
        size_t got;
        uint64_t base = segments->list[i]->base;
        wl_segment_name(name, base);
        if (wl_segments_read(segments, base, bytes, sizeof bytes, &got) == WL_READ_ERROR)
            return refuse(recovery->error, TW_STORE_IO, name, strerror(errno));
        /* The last one may have been cut off as it began; of any other it is told what is missing. */
        if (got < sizeof bytes || segments->list[i]->size < sizeof bytes)
            continue;
        enum wl_header_state state = wl_header_read(bytes, &header);
        if (state == WL_HEADER_OTHER_VERSION)
            return other_version(recovery->error, name, header.version);
        if (state == WL_HEADER_DAMAGED || header.number != base)
            wl_damage_log(&store->damage, base, "segment: header", 0);
        else if (store->log.wheel.geometry.slots == 0)
            store->log.wheel.geometry = header.geometry;
        if (state == WL_HEADER_GOOD && header.number == base) {
            segments->list[i]->over = header.over;
            segments->list[i]->puts = header.puts;
        }
    }
    return TW_STORE_OK;
}

/* Tells of each piece of the log that is missing.  How many are pending is not known from then on. */
static int missing_tell(struct recovery *recovery)
{
    struct tw_store *store = recovery->store;
    struct wl_segments *segments = &store->log.segments;
    for (size_t i = 0; i < segments->count; i++) {
        struct wl_missing missing;
        char name[WL_NAME_BYTES], text[WL_MISSING_BYTES];
        if (wl_segments_missing(segments, i, &missing) == WL_READ_ERROR)
            return refuse(recovery->error, TW_STORE_IO, "log", strerror(errno));
        if (missing.from == missing.to)
            continue;
        uint64_t offset = wl_missing_file(segments, &missing, name);
        wl_missing_say(&missing, text);
        wl_damage_file(&store->damage, name, offset, text, missing.most);
        recovery->state.pending = UINT64_MAX;
    }
    return TW_STORE_OK;
}

/* Position behind the last byte of the log's files. */
static uint64_t files_end(const struct wl_segments *segments)
{
    if (segments->count == 0)
        return 0;
    const struct wl_segment *last = segments->list[segments->count - 1];
    return last->base + last->size;
}

/* ---- 2. Checkpoints. -------------------------------------------------------------------------- */

static int checkpoints_read(struct recovery *recovery)
{
    struct tw_store *store = recovery->store;
    for (unsigned file = 0; file < 2; file++) {
        struct wl_wheel wheel = {.pages_held = 0};
        struct wl_state state = {0};
        const char *what = "", *name = wl_checkpoint_name(file);
        char text[96];
        uint64_t at = 0;
        switch (wl_checkpoint_read(store->directory, file, &wheel, &state, &what, &at)) {
        case WL_CHECKPOINT_WHOLE:
            store->kept_floor[file] = (struct wl_place){state.floor_due, state.floor_position};
            store->kept_log[file] = state.log;
            if (recovery->whole && state.sequence < recovery->state.sequence) {
                wl_wheel_close(&wheel);
                break;
            }
            wl_wheel_close(&store->log.wheel);
            store->log.wheel = wheel;
            recovery->state = state;
            recovery->whole = true;
            break;
        case WL_CHECKPOINT_ABSENT:
            break;
        case WL_CHECKPOINT_DAMAGED:
            snprintf(text, sizeof text, "%s: not whole; the other checkpoint is used", what);
            wl_damage_file(&store->damage, name, at, text, 0);
            break;
        case WL_CHECKPOINT_OTHER_VERSION:
            return refuse(recovery->error, TW_STORE_FORMAT, name, "another format version");
        case WL_CHECKPOINT_ERROR:
            return refuse(recovery->error, TW_STORE_IO, name, strerror(errno));
        }
    }
    return TW_STORE_OK;
}

/* A setting that the directory was made with: taken from there, refused if another one is asked for. */
static int geometry_agree(const struct tw_store_config *config, const char *name, uint32_t kept,
                          uint64_t *setting, struct tw_error *error)
{
    for (size_t i = 0; i < config->setting_count; i++)
        if (strcmp(config->settings[i].name, name) == 0 && config->settings[i].values[0] != kept) {
            snprintf(error->text, sizeof error->text,
                     "%s: %llu given; the directory was made with %u", name,
                     (unsigned long long)config->settings[i].values[0], kept);
            return TW_STORE_BAD;
        }
    *setting = kept;
    return TW_STORE_OK;
}

static int geometry_settle(struct tw_store *store, const struct tw_store_config *config,
                           struct tw_error *error)
{
    struct wl_geometry *kept = &store->log.wheel.geometry;
    struct wl_settings *settings = &store->settings;
    if (kept->slots == 0 || kept->slot_ms == 0 || kept->hours == 0) {
        *kept = (struct wl_geometry){(uint32_t)settings->slot_ms, (uint32_t)settings->slots,
                                     (uint32_t)settings->hours};
        return TW_STORE_OK;
    }
    int answer = geometry_agree(config, "slot-ms", kept->slot_ms, &settings->slot_ms, error);
    if (answer == TW_STORE_OK)
        answer = geometry_agree(config, "slots", kept->slots, &settings->slots, error);
    if (answer == TW_STORE_OK)
        answer = geometry_agree(config, "hours", kept->hours, &settings->hours, error);
    return answer;
}

/* ---- 3. Replay. ------------------------------------------------------------------------------- */

static void floor_raise(struct recovery *recovery, struct wl_place to)
{
    struct wl_state *state = &recovery->state;
    if (!wl_at_or_before(to, (struct wl_place){state->floor_due, state->floor_position})) {
        state->floor_due = to.due;
        state->floor_position = to.position;
    }
    wl_wheel_free_before(&recovery->store->log.wheel, state->floor_due);
}

/* An entry in a round that had no place yet: it was written when all up to some earlier round was done. */
static void rounds_follow(struct recovery *recovery, bool coarse, uint64_t due)
{
    const struct wl_wheel *wheel = &recovery->store->log.wheel;
    uint64_t rounds = coarse ? WL_COARSE_ROUNDS : WL_FINE_ROUNDS;
    uint64_t round = wl_round(wheel, coarse, due), oldest = wheel->oldest[coarse];
    if (round < oldest || round - oldest < rounds)
        return;
    uint64_t width = wl_hour_ms(wheel) * (coarse ? wheel->geometry.hours : 1);
    floor_raise(recovery, (struct wl_place){(round - rounds + 1) * width, 0});
}

static int replay_chained(struct recovery *recovery, const struct wl_record *record)
{
    struct tw_store *store = recovery->store;
    struct wl_wheel *wheel = &store->log.wheel;
    const struct wl_entry *entry = &record->entry;
    bool coarse = (entry->kind & WL_COARSE) != 0;
    uint64_t hour = wl_hour(wheel, entry->due);
    rounds_follow(recovery, coarse, entry->due);
    if (!coarse && hour > recovery->state.opened)
        recovery->state.opened = hour;
    uint64_t ends = wl_slot_end(wheel, coarse, entry->due);
    if (ends > recovery->state.ends)
        recovery->state.ends = ends;
    bool put = wl_kind_of(entry) == WL_PUT;
    wl_pending_add(&recovery->state.pending, put);
    wl_pending_take(&recovery->state.pending, wl_kind_of(entry) == WL_CANCEL);
    recovery->state.puts += put;
    if (entry->kind & WL_LATE && entry->due > recovery->state.clamped)
        recovery->state.clamped = entry->due;
    if (wl_round(wheel, coarse, entry->due) < wheel->oldest[coarse])
        return TW_STORE_OK;
    if (!wl_head_make(wheel, coarse, entry->due))
        return TW_STORE_MEMORY;
    uint64_t head = wl_head(wheel, coarse, entry->due);
    uint64_t before = entry->back ? record->position - entry->back : 0;
    if (before != head && before > head && recovery->gap_count < GAPS_MAX)
        recovery->gaps[recovery->gap_count++] = (struct gap){coarse, entry->due, before, head};
    wl_head_set(wheel, coarse, entry->due, record->position);
    return TW_STORE_OK;
}

static int replay_record(struct recovery *recovery, const struct wl_record *record)
{
    const struct wl_entry *entry = &record->entry;
    struct wl_state *state = &recovery->state;
    if (wl_chained(entry))
        return replay_chained(recovery, record);
    if (wl_kind_of(entry) == WL_DONE) {
        floor_raise(recovery, (struct wl_place){entry->due, entry->key});
        wl_pending_take(&state->pending, entry->body_check);
    }
    return TW_STORE_OK;
}

/* A record whose body is damaged: its place in the chain is good.  If nothing follows, it was cut off as it was written. */
static int replay_damaged(struct recovery *recovery, const struct wl_record *record, bool is_last)
{
    struct wl_damage *damage = &recovery->store->damage;
    if (is_last) {
        wl_damage_log(damage, record->position, "tail: the last record is not whole", UINT64_MAX);
        return TW_STORE_OK;
    }
    wl_damage_log(damage, record->position, "payload: checksum differs", 1);
    recovery->end = record->to;
    int answer = replay_record(recovery, record);
    wl_pending_take(&recovery->state.pending, 1);
    return answer;
}

/* seal: the gap is where the segment's seal belongs; seal_write mends it. */
static void replay_gap(struct recovery *recovery, const struct wl_record *record, bool tail,
                       bool last, bool seal)
{
    char text[96];
    uint64_t to = tail && (last || seal) ? record->written : record->to;
    if (to == record->position)
        return;
    if (seal) {
        wl_damage_log(&recovery->store->damage, record->position, "seal: not whole; written again",
                      0);
        return;
    }
    snprintf(text, sizeof text, "%s: %llu bytes are no record", tail && last ? "tail" : "entry",
             (unsigned long long)(to - record->position));
    wl_damage_log(&recovery->store->damage, record->position, text, UINT64_MAX);
}

static int replay_segment(struct recovery *recovery, uint64_t from, uint64_t end, bool last,
                          uint64_t *ends)
{
    struct wl_scan scan;
    struct wl_record record;
    int answer = TW_STORE_OK;
    *ends = UINT64_MAX;
    wl_scan_begin(&scan, &recovery->store->log.segments, from, end);
    for (enum wl_found found = WL_FOUND_RECORD;
         answer == TW_STORE_OK && found != WL_FOUND_END && found != WL_FOUND_TAIL;) {
        found = wl_scan_next(&scan, &record);
        switch (found) {
        case WL_FOUND_RECORD:
            answer = replay_record(recovery, &record);
            recovery->end = record.to;
            if (wl_kind_of(&record.entry) == WL_SEAL)
                *ends = record.entry.due;
            break;
        case WL_FOUND_BAD_BODY:
            answer = replay_damaged(recovery, &record, last && wl_scan_is_over(&scan));
            break;
        case WL_FOUND_GAP:
        case WL_FOUND_TAIL:
            replay_gap(recovery, &record, found == WL_FOUND_TAIL, last,
                       !last && found == WL_FOUND_TAIL && record.to == end &&
                           record.to - record.position == WL_ENTRY_BYTES);
            break;
        case WL_FOUND_END:
            break;
        case WL_FOUND_ERROR:
            answer = refuse(recovery->error, TW_STORE_IO, "log", strerror(errno));
        }
    }
    wl_scan_end(&scan);
    return answer;
}

/* Writes the seal that a segment lacks, at `at`, if the segment behind it begins right behind that place. */
static int seal_write(struct recovery *recovery, size_t number, uint64_t at)
{
    struct wl_segments *segments = &recovery->store->log.segments;
    unsigned char bytes[WL_ENTRY_BYTES];
    if (at + WL_ENTRY_BYTES != segments->list[number + 1]->base)
        return TW_STORE_OK;
    struct wl_entry seal = {.kind = WL_SEAL,
                            .due = segments->list[number]->ends,
                            .key = segments->list[number + 1]->puts};
    wl_entry_write(bytes, &seal, at);
    int error = wl_segments_write(segments, at, bytes, sizeof bytes);
    if (!error)
        error = wl_segments_sync(segments, at);
    return error ? refuse(recovery->error, TW_STORE_IO, "log", strerror(error)) : TW_STORE_OK;
}

/* When is a segment over that was ended before the checkpoint?  Its seal says it; without one, its records. */
static int seal_read(struct recovery *recovery, size_t number)
{
    struct wl_segments *segments = &recovery->store->log.segments;
    struct wl_segment *segment = segments->list[number];
    const struct wl_wheel *wheel = &recovery->store->log.wheel;
    struct wl_entry seal;
    enum wl_read read = wl_segments_seal(segments, segment, &seal);
    segment->ends = seal.due;
    if (read != WL_READ_ABSENT)
        return read == WL_READ_OK ? TW_STORE_OK
                                  : refuse(recovery->error, TW_STORE_IO, "log", strerror(errno));
    struct wl_scan scan;
    struct wl_record record;
    uint64_t ends = 0, from = segment->base + WL_FILE_HEADER_BYTES, at = from;
    wl_scan_begin(&scan, segments, from, segment->base + segment->size);
    for (enum wl_found found; (found = wl_scan_next(&scan, &record)) != WL_FOUND_END;) {
        if (found == WL_FOUND_ERROR)
            break;
        if (found > WL_FOUND_BAD_BODY || !wl_chained(&record.entry))
            continue;
        uint64_t end = wl_slot_end(wheel, (record.entry.kind & WL_COARSE) != 0, record.entry.due);
        ends = end > ends ? end : ends;
        at = record.to;
    }
    wl_scan_end(&scan);
    segment->ends = ends;
    /* Of one that ends early it was told what is missing. */
    if (segment->base + segment->size == segments->list[number + 1]->base)
        wl_damage_log(&recovery->store->damage, at, "seal: not whole; written again", 0);
    return seal_write(recovery, number, at);
}

static int replay(struct recovery *recovery)
{
    struct wl_segments *segments = &recovery->store->log.segments;
    struct wl_state *state = &recovery->state;
    int answer = TW_STORE_OK;
    recovery->end = state->log;
    for (size_t i = 0; answer == TW_STORE_OK && i < segments->count; i++) {
        struct wl_segment *segment = segments->list[i];
        bool last = i + 1 == segments->count;
        uint64_t end = segment->base + segment->size;
        if (!last && end > segments->list[i + 1]->base)
            end = segments->list[i + 1]->base;
        if (!last && segments->list[i + 1]->base <= state->log) {
            answer = seal_read(recovery, i);
            continue;
        }
        uint64_t from = segment->base + WL_FILE_HEADER_BYTES, ends = UINT64_MAX;
        if (from < state->log)
            from = state->log;
        else
            state->ends = 0;
        if (recovery->end < from && from <= end)
            recovery->end = from;
        if (state->puts < segment->puts)
            state->puts = segment->puts;
        /* Nothing is in a segment that was just being made. */
        bool ends_log = last || (i + 2 == segments->count &&
                                 segments->list[i + 1]->size < WL_FILE_HEADER_BYTES);
        if (from < end)
            answer = replay_segment(recovery, from, end, ends_log, &ends);
        if (last)
            continue;
        recovery->sealed = ends != UINT64_MAX;
        segment->ends = recovery->sealed ? ends : state->ends;
        if (answer == TW_STORE_OK && !recovery->sealed && !ends_log)
            answer = seal_write(recovery, i, recovery->end);
    }
    return answer;
}

/* ---- 4. Going on. ----------------------------------------------------------------------------- */

/* Cuts the tail.  A log that ends before its checkpoint goes on behind it: positions are never used twice. */
static int log_go_on(struct recovery *recovery)
{
    struct tw_store *store = recovery->store;
    struct wl_segments *segments = &store->log.segments;
    uint64_t end = files_end(segments);
    bool missing = recovery->whole && end < recovery->state.log;
    if (missing)
        wl_damage_log(&store->damage, end, "log: ends before the checkpoint", UINT64_MAX);
    /* A last segment that has no whole header is made again. */
    const struct wl_segment *last = wl_segments_last(segments);
    int error = 0;
    if (last && last->size < WL_FILE_HEADER_BYTES) {
        uint64_t base = last->base;
        error = wl_segments_drop_last(segments);
        last = wl_segments_last(segments);
        /* Room ahead stays in no segment but the last. */
        if (!error && last && recovery->end > last->base && recovery->end < last->base + last->size)
            error = wl_segments_cut(segments, recovery->end);
        /* One that lacks its seal goes on; behind a seal the next record begins a segment. */
        missing = missing || !last || recovery->sealed || recovery->end <= last->base;
        if (missing)
            recovery->end = base > recovery->end ? base : recovery->end;
        else
            recovery->state.ends = last->ends;
    } else if (last && !missing) {
        error = wl_segments_cut(segments, recovery->end);
    }
    if (!error)
        error = wl_log_open(&store->log, recovery->whole ? recovery->state.log : 0, recovery->end);
    if (error == ENOMEM)
        return TW_STORE_MEMORY;
    if (error)
        return refuse(recovery->error, TW_STORE_IO, "log", strerror(error));
    store->log.ends = recovery->state.ends;
    if (missing || segments->count == 0) {
        /* What is there stays as it is; the next record begins a segment. */
        store->log.last = NULL;
        store->log.resumed = recovery->end;
    }
    return TW_STORE_OK;
}

/* The chains that lost an entry get a bridge over the gap. */
static int bridges_write(struct recovery *recovery)
{
    struct wl_log *log = &recovery->store->log;
    int answer = TW_STORE_OK;
    wl_log_lock(log);
    struct wl_ticket ticket = wl_log_join(log);
    for (size_t i = 0; answer == TW_STORE_OK && i < recovery->gap_count; i++) {
        const struct gap *gap = &recovery->gaps[i];
        unsigned char body[8];
        uint64_t position;
        wl_store(body, 8, gap->before);
        struct wl_entry entry = {.kind = WL_BRIDGE | (gap->coarse ? WL_COARSE : 0u),
                                 .size = sizeof body,
                                 .body_check = wl_check(body, sizeof body, 0),
                                 .due = gap->due,
                                 .key = gap->lost};
        if (wl_round(&log->wheel, gap->coarse, gap->due) < log->wheel.oldest[gap->coarse])
            continue;
        answer = wl_log_make_room(log, &ticket, sizeof body);
        if (answer == TW_STORE_OK)
            answer = wl_log_append(log, &ticket, &entry, NULL, body, &position);
    }
    if (answer == TW_STORE_OK)
        answer = wl_log_flush(log, true);
    wl_log_unlock(log);
    return answer;
}

static int store_begin(struct recovery *recovery, const struct tw_store_config *config)
{
    struct tw_store *store = recovery->store;
    struct wl_log *log = &store->log;
    struct wl_state *state = &recovery->state;
    log->policy = config->sync;
    log->interval_ns = (uint64_t)config->interval_ms * 1000000;
    log->segment_bytes = store->settings.segment_kib * 1024;
    log->most_bytes = WL_LOG_MAX / 2;
    log->pending = store->recovered = state->pending;
    log->puts = state->puts;
    store->floor = store->handed = (struct wl_place){state->floor_due, state->floor_position};
    store->frontier = state->floor_due;
    store->clamped = state->clamped > config->now_ms ? state->clamped : config->now_ms;
    if (store->clamped < store->frontier)
        store->clamped = store->frontier;
    store->opened = state->opened;
    store->sequence = state->sequence;
    store->checkpoint_log = state->log;
    store->live.tick = state->floor_due / store->settings.slot_ms;
    store->current.hour = wl_hour(&log->wheel, state->floor_due);
    if (store->opened < store->current.hour)
        store->opened = store->current.hour;
    int answer = log_go_on(recovery);
    if (answer == TW_STORE_OK && recovery->gap_count)
        answer = bridges_write(recovery);
    /* Without a checkpoint, everything is replayed the next time. */
    if (answer == TW_STORE_OK && !recovery->whole)
        answer = wl_checkpoint(store);
    return answer;
}

int wl_recover(struct tw_store *store, const struct tw_store_config *config, struct tw_error *error)
{
    struct recovery recovery = {.store = store, .error = error, .sealed = true};
    struct wl_segments *segments = &store->log.segments;
    bool ours;
    store->damage =
        (struct wl_damage){.tell = config->damage, .ctx = config->damage_ctx, .segments = segments};
    int answer = foreign_files(store, config->directory, &ours, error);
    if (answer != TW_STORE_OK)
        return answer;
    int failed = wl_segments_open(segments, store->directory);
    if (failed)
        return refuse(error, failed == ENOMEM ? TW_STORE_MEMORY : TW_STORE_IO, config->directory,
                      strerror(failed));
    atomic_store(&segments->readable, UINT64_MAX);
    answer = checkpoints_read(&recovery);
    if (answer == TW_STORE_OK)
        answer = headers_read(&recovery);
    if (answer == TW_STORE_OK)
        answer = missing_tell(&recovery);
    if (answer == TW_STORE_OK)
        answer = geometry_settle(store, config, error);
    recovery.gaps = malloc(GAPS_MAX * sizeof *recovery.gaps);
    store->arena = malloc(WL_ARENA_BYTES);
    if (answer == TW_STORE_OK && (!recovery.gaps || !store->arena))
        answer = refuse(error, TW_STORE_MEMORY, config->directory, "no memory");
    store->reopened = recovery.whole || segments->count > 0;
    if (answer == TW_STORE_OK && !store->reopened) {
        /* A new store: nothing before now. */
        recovery.state.floor_due = config->now_ms;
        wl_wheel_free_before(&store->log.wheel, config->now_ms);
        failed = store_sync_parent(store->directory);
        if (failed)
            answer = refuse(error, TW_STORE_IO, config->directory, strerror(failed));
    }
    /* A checkpoint of before does not say how many were put: this is the most. */
    if (recovery.whole && recovery.state.puts == 0)
        recovery.state.puts = recovery.state.log / WL_ENTRY_BYTES;
    if (answer == TW_STORE_OK)
        answer = replay(&recovery);
    /* Closed for long with nothing pending: as a new one, or a due from now on would be out of reach. */
    if (answer == TW_STORE_OK && recovery.state.pending == 0 &&
        config->now_ms > recovery.state.floor_due + TW_DELAY_MAX_MS)
        floor_raise(&recovery, (struct wl_place){config->now_ms, 0});
    error->text[0] = answer == TW_STORE_OK ? '\0' : error->text[0];
    if (answer == TW_STORE_OK)
        answer = store_begin(&recovery, config);
    if (answer != TW_STORE_OK && !error->text[0])
        refuse(error, answer, config->directory,
               answer == TW_STORE_FULL ? "no room on the disk" : "could not be opened");
    free(recovery.gaps);
    store->damaged = store->damage.count;
    return answer;
}
