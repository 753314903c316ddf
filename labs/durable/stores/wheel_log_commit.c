/* wheel_log_commit.c - appends to the log of a wheel-log and commits in groups. */
#include "wheel_log.h"

#include <errno.h>
#include <limits.h>
#include <linux/futex.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

#define RESERVE_BYTES (UINT64_C(1) << 20)

static bool is_full(int error)
{
    return error == ENOSPC || error == EDQUOT || error == EFBIG;
}

int wl_log_open(struct wl_log *log, uint64_t durable, uint64_t end)
{
    bool lacks = durable < end && log->segments.count > 0;
    if (lacks && log->policy <= TW_SYNC_GROUP) {
        int error = wl_segments_sync(&log->segments, durable);
        if (!error && fsync(log->segments.directory) != 0)
            error = errno;
        if (error)
            return error;
        lacks = false;
    }
    log->filling.bytes = malloc(WL_BUFFER_BYTES);
    log->flushing.bytes = malloc(WL_BUFFER_BYTES);
    log->filling.base = log->flushing.base = end;
    log->filling.least_due = log->flushing.least_due = UINT64_MAX;
    log->end = log->written = log->reserved = end;
    log->durable = lacks ? durable : end;
    log->segments.names_changed = lacks;
    log->last = wl_segments_last(&log->segments);
    atomic_store(&log->segments.readable, end);
    log->synced_ns = store_monotonic_ns();
    return log->filling.bytes && log->flushing.bytes ? 0 : ENOMEM;
}

void wl_log_close(struct wl_log *log)
{
    free(log->filling.bytes);
    free(log->flushing.bytes);
    pthread_mutex_destroy(&log->lock);
    pthread_cond_destroy(&log->settled);
    store_company_destroy(&log->company);
}

/* ---- Sleeping. -------------------------------------------------------------------------------- */

static struct wl_crowd *crowd_of(struct wl_log *log, uint32_t group)
{
    return &log->crowds[group % 2];
}

/* Gives up the lock and sleeps until the crowd is woken, or without a reason. */
static void crowd_sleep(struct wl_log *log, struct wl_crowd *crowd)
{
    uint32_t turn = atomic_load(&crowd->turn);
    crowd->asleep++;
    wl_log_unlock(log);
    syscall(SYS_futex, &crowd->turn, FUTEX_WAIT_PRIVATE, turn, NULL, NULL, 0);
}

/* Lets the crowd go; with the lock.  crowd_wake follows, without it. */
static void crowd_free(struct wl_crowd *crowd)
{
    atomic_fetch_add(&crowd->turn, 1);
    crowd->asleep = 0;
    crowd->freed++;
}

static void crowd_wake(struct wl_crowd *crowd, int most)
{
    syscall(SYS_futex, &crowd->turn, FUTEX_WAKE_PRIVATE, most, NULL, NULL, 0);
}

/* ---- Taking back. ----------------------------------------------------------------------------- */

/* Sets the heads to what they were before the records of the buffer: the first record of a chain there leads
 * to it. */
static void take_back(struct wl_log *log, const struct wl_buffer *buffer, uint64_t from)
{
    for (size_t at = 0; at < buffer->used;) {
        struct wl_entry entry;
        uint64_t position = buffer->base + at;
        if (!wl_entry_read(buffer->bytes + at, &entry, position)) {
            at += WL_FILE_HEADER_BYTES;
            continue;
        }
        uint64_t before = entry.back ? position - entry.back : 0;
        if (wl_chained(&entry) && (entry.back == 0 || before < from))
            wl_head_set(&log->wheel, (entry.kind & WL_COARSE) != 0, entry.due, before);
        if (wl_kind_of(&entry) == WL_PUT) {
            wl_pending_take(&log->pending, 1);
            log->puts--;
        } else if (wl_kind_of(&entry) == WL_CANCEL) {
            wl_pending_add(&log->pending, 1);
        } else if (wl_kind_of(&entry) == WL_DONE) {
            wl_pending_add(&log->pending, entry.body_check);
        }
        at += WL_ENTRY_BYTES + entry.size;
    }
}

/* A write found the disk full: all that is not written goes, and the log ends where it ended before. */
static void log_take_back(struct wl_log *log)
{
    uint64_t from = log->written;
    take_back(log, &log->flushing, from);
    take_back(log, &log->filling, from);
    /* Segments that were begun since go; the last is again the one that was sealed for them. */
    struct wl_segment *last = wl_segments_last(&log->segments);
    while (last && last->base >= from && !log->broken) {
        log->broken = wl_segments_drop_last(&log->segments) != 0;
        last = wl_segments_last(&log->segments);
    }
    if (from <= log->resumed)
        last = NULL;
    if (last) {
        if (wl_segments_cut(&log->segments, from) != 0)
            log->broken = true;
        if (last->ends != UINT64_MAX && last->ends > log->ends)
            log->ends = last->ends;
        last->ends = UINT64_MAX;
    }
    log->last = last;
    log->flushing.used = log->filling.used = 0;
    log->flushing.least_due = log->filling.least_due = UINT64_MAX;
    log->filling.base = log->end = log->reserved = from;
    unsigned failures = atomic_load(&log->failures) + 1;
    log->failed_from[failures % WL_FAILURES] = from;
    atomic_store(&log->failures, failures);
}

bool wl_log_withdraw(struct wl_log *log, const struct wl_ticket *ticket, uint64_t from)
{
    struct wl_buffer *buffer = &log->filling;
    if (atomic_load(&log->failures) != ticket->failures || from < buffer->base || !log->last ||
        log->last->base > from || log->broken)
        return false;
    size_t at = (size_t)(from - buffer->base);
    struct wl_buffer mine = {buffer->bytes + at, from, buffer->used - at, 0};
    take_back(log, &mine, from);
    buffer->used = at;
    log->end = from;
    buffer->least_due = UINT64_MAX;
    for (size_t i = 0; i < buffer->used;) {
        struct wl_entry entry;
        if (!wl_entry_read(buffer->bytes + i, &entry, buffer->base + i)) {
            i += WL_FILE_HEADER_BYTES;
            continue;
        }
        if (wl_kind_of(&entry) == WL_PUT && entry.due < buffer->least_due)
            buffer->least_due = entry.due;
        i += WL_ENTRY_BYTES + entry.size;
    }
    return true;
}

/* ---- Leading. --------------------------------------------------------------------------------- */

static int leader_writes(struct wl_log *log, bool sync, bool *wrote)
{
    struct wl_buffer *buffer = &log->flushing;
    int error = 0;
    if (buffer->used)
        error = wl_segments_write(&log->segments, buffer->base, buffer->bytes, buffer->used);
    *wrote = !error;
    if (!error && sync)
        error = wl_segments_sync(&log->segments, log->durable);
    return error;
}

/* The leader's work is over, as `error` says. */
static void lead_note(struct wl_log *log, bool sync, int error, bool wrote, bool names)
{
    /* Under none they were acknowledged, and are gone: nothing may be promised any more. */
    if (error && !wrote && is_full(error) && log->policy != TW_SYNC_NONE) {
        log->segments.names_changed = log->segments.names_changed || names;
        log_take_back(log);
    } else if (error) {
        log->broken = true;
    } else {
        log->written = log->flushing.base + log->flushing.used;
        if (sync)
            log->durable = log->written;
        atomic_store(&log->segments.readable, wl_log_committed(log));
        log->flushing.used = 0;
        log->flushing.least_due = UINT64_MAX;
    }
}

/* Ends a leader's time: those whom it settled are woken, and then one of those who wait for the next leader. */
static void hand_over(struct wl_log *log)
{
    struct wl_crowd *settled = crowd_of(log, log->group - 1), *next = crowd_of(log, log->group);
    bool wake = settled->asleep > 0;
    if (wake)
        crowd_free(settled);
    log->busy = log->handed = next->asleep > 0;
    if (log->handed)
        atomic_fetch_add(&next->turn, 1);
    pthread_cond_broadcast(&log->settled);
    if (!wake && !log->handed)
        return;
    wl_log_unlock(log);
    if (wake)
        crowd_wake(settled, INT_MAX);
    crowd_wake(next, 1);
    wl_log_lock(log);
}

/* The same after a failure: all are woken, and nobody leads. */
static void hand_over_to_nobody(struct wl_log *log)
{
    log->busy = log->handed = false;
    for (uint32_t i = 0; i < 2; i++) {
        crowd_free(&log->crowds[i]);
        crowd_wake(&log->crowds[i], INT_MAX);
    }
    pthread_cond_broadcast(&log->settled);
}

/* Writes what is in the buffer, and syncs all that was written.  Nobody else is at it. */
static void lead(struct wl_log *log, bool sync)
{
    log->busy = true;
    log->handed = false;
    unsigned joined = store_company_leave(&log->company, &log->lock);
    struct wl_buffer empty = log->flushing;
    log->flushing = log->filling;
    log->filling = empty;
    log->filling.base = log->end;
    log->filling.used = 0;
    log->filling.least_due = UINT64_MAX;
    log->group++;
    bool names = sync && log->segments.names_changed, wrote;
    if (names)
        log->segments.names_changed = false;
    wl_log_unlock(log);
    uint64_t begin_ns = store_monotonic_ns();
    int error = leader_writes(log, sync, &wrote);
    if (!error && names)
        error = wl_sync(&log->segments, log->segments.directory, fsync);
    wl_log_lock(log);
    lead_note(log, sync, error, wrote, names);
    if (!error && sync) {
        log->synced_ns = store_monotonic_ns();
        store_company_back(&log->company, joined, log->synced_ns - begin_ns);
    }
    if (error)
        hand_over_to_nobody(log);
    else
        hand_over(log);
}

/* Was a record that ended there, appended after so many failures, taken back? */
static bool taken_back(const struct wl_log *log, const struct wl_ticket *ticket)
{
    unsigned failures = atomic_load(&log->failures);
    for (unsigned i = ticket->failures + 1; i <= failures; i++)
        if (ticket->end > log->failed_from[i % WL_FAILURES])
            return true;
    return false;
}

#define NOT_YET 1

/* Is all before ticket->end written, or durable?  An answer of store.h, or NOT_YET. */
static int reached(const struct wl_log *log, const struct wl_ticket *ticket, bool sync)
{
    if (taken_back(log, ticket))
        return TW_STORE_FULL;
    if ((sync ? log->durable : log->written) >= ticket->end)
        return TW_STORE_OK;
    return log->broken ? TW_STORE_IO : NOT_YET;
}

/* The same without the lock, where that can be told: a position is used again only after a failure. */
static bool reached_for_sure(struct wl_log *log, const struct wl_ticket *ticket, bool sync)
{
    return sync == (log->policy <= TW_SYNC_GROUP) &&
           atomic_load(&log->segments.readable) >= ticket->end &&
           atomic_load(&log->failures) == ticket->failures;
}

/* Sleeps until a leader has settled the ticket's buffer, or this thread is to lead.  True: the ticket is reached, and
 * the lock is not taken again. */
static bool reach_asleep(struct wl_log *log, const struct wl_ticket *ticket, bool sync)
{
    bool flushing = !log->handed && ticket->end <= log->filling.base;
    struct wl_crowd *crowd = crowd_of(log, flushing ? log->group - 1 : log->group);
    unsigned freed = crowd->freed;
    crowd_sleep(log, crowd);
    if (reached_for_sure(log, ticket, sync))
        return true;
    wl_log_lock(log);
    if (crowd->freed == freed)
        crowd->asleep--;
    return false;
}

/* Waits until all before ticket->end is written, or durable; gives up the lock for good. */
static int log_reach_and_unlock(struct wl_log *log, const struct wl_ticket *ticket, bool sync)
{
    int answer;
    bool woken = false;
    while ((answer = reached(log, ticket, sync)) == NOT_YET) {
        if (!log->busy || (log->handed && woken)) {
            lead(log, sync);
            log->put_led = true;
        } else if (reach_asleep(log, ticket, sync)) {
            return TW_STORE_OK;
        } else {
            woken = true;
        }
    }
    if (answer != TW_STORE_OK && log->handed)
        hand_over_to_nobody(log);
    wl_log_unlock(log);
    return answer;
}

/* The same, and has the lock again. */
static int log_reach(struct wl_log *log, const struct wl_ticket *ticket, bool sync)
{
    int answer = reached(log, ticket, sync);
    if (answer == NOT_YET) {
        answer = log_reach_and_unlock(log, ticket, sync);
        wl_log_lock(log);
    }
    return answer;
}

/* How long a done leaves the disk to a put that may come. */
#define BEHIND_NS 50000

int wl_log_settle_behind(struct wl_log *log, const struct wl_ticket *ticket)
{
    struct timespec pause = {0, BEHIND_NS};
    bool group = log->policy == TW_SYNC_GROUP;
    if (group && log->put_led && !log->busy && !log->broken) {
        wl_log_unlock(log);
        nanosleep(&pause, NULL);
        wl_log_lock(log);
    }
    while (group && log->busy && log->durable < ticket->end && !log->broken)
        pthread_cond_wait(&log->settled, &log->lock);
    bool alone = log->durable < ticket->end;
    int answer = wl_log_settle(log, ticket);
    /* Nobody came: the next one does not wait. */
    if (alone)
        log->put_led = false;
    return answer;
}

int wl_log_flush(struct wl_log *log, bool sync)
{
    struct wl_ticket all = {log->end, log->failures};
    if (log->broken)
        return TW_STORE_BROKEN;
    return log_reach(log, &all, sync || log->policy <= TW_SYNC_GROUP);
}

int wl_log_tend(struct wl_log *log)
{
    if (log->broken)
        return TW_STORE_BROKEN;
    if (log->policy == TW_SYNC_NONE && log->written < log->end)
        return wl_log_flush(log, false);
    if (log->policy == TW_SYNC_INTERVAL && log->durable < log->end &&
        store_monotonic_ns() - log->synced_ns >= log->interval_ns)
        return wl_log_flush(log, true);
    return TW_STORE_OK;
}

int wl_log_settle(struct wl_log *log, const struct wl_ticket *ticket)
{
    if (log->policy == TW_SYNC_NONE)
        return taken_back(log, ticket) ? TW_STORE_FULL : log->broken ? TW_STORE_IO : TW_STORE_OK;
    int answer = log_reach(log, ticket, log->policy <= TW_SYNC_GROUP);
    return answer == TW_STORE_OK && log->policy == TW_SYNC_INTERVAL ? wl_log_tend(log) : answer;
}

int wl_log_settle_and_unlock(struct wl_log *log, const struct wl_ticket *ticket)
{
    if (log->policy <= TW_SYNC_GROUP)
        return log_reach_and_unlock(log, ticket, true);
    int answer = wl_log_settle(log, ticket);
    wl_log_unlock(log);
    return answer;
}

/* ---- Appending. ------------------------------------------------------------------------------- */

struct wl_ticket wl_log_join(const struct wl_log *log)
{
    return (struct wl_ticket){log->end, log->failures};
}

static int answer_of(struct wl_log *log, int error)
{
    if (!error)
        return TW_STORE_OK;
    if (is_full(error))
        return TW_STORE_FULL;
    if (error == ENOMEM)
        return TW_STORE_MEMORY;
    log->broken = true;
    return TW_STORE_IO;
}

static void write_entry(struct wl_log *log, const struct wl_entry *entry)
{
    wl_entry_write(log->filling.bytes + log->filling.used, entry, log->end);
    log->filling.used += WL_ENTRY_BYTES;
    log->end += WL_ENTRY_BYTES;
}

/* Ends the last segment, if there is one, and begins the next: nothing is appended unless its file is there. */
static int rotate(struct wl_log *log, uint64_t size)
{
    struct wl_segments *segments = &log->segments;
    struct wl_segment *last = log->last;
    uint64_t base = log->end + (last ? WL_ENTRY_BYTES : 0);
    if (segments->count && base - segments->list[0]->base > log->most_bytes)
        return TW_STORE_FULL;
    int error = wl_segments_add(segments, base);
    if (error)
        return answer_of(log, error);
    error = wl_segments_reserve(segments, size);
    if (error) {
        int failed = wl_segments_drop_last(segments);
        return answer_of(log, failed ? failed : error);
    }
    log->last = wl_segments_last(segments);
    if (last) {
        last->ends = log->ends;
        last->size = base - last->base;
        /* Its room was promised with that of the records before it. */
        write_entry(log, &(struct wl_entry){.kind = WL_SEAL, .due = log->ends, .key = log->puts});
    }
    log->last->over = base;
    log->last->puts = log->puts;
    wl_header_write(log->filling.bytes + log->filling.used,
                    &(struct wl_file_header){WL_VERSION, WL_FILE_SEGMENT, base, log->wheel.geometry,
                                             base, log->puts});
    log->filling.used += WL_FILE_HEADER_BYTES;
    log->end += WL_FILE_HEADER_BYTES;
    log->reserved = base + size;
    log->ends = 0;
    return TW_STORE_OK;
}

int wl_log_make_room(struct wl_log *log, const struct wl_ticket *ticket, size_t body)
{
    size_t size = WL_ENTRY_BYTES + body, need = size + 2 * WL_ENTRY_BYTES + WL_FILE_HEADER_BYTES;
    if (log->broken)
        return TW_STORE_BROKEN;
    while (log->filling.used + need > WL_BUFFER_BYTES && !log->broken) {
        if (log->busy)
            pthread_cond_wait(&log->settled, &log->lock);
        else
            lead(log, log->policy <= TW_SYNC_GROUP);
    }
    if (log->broken)
        return TW_STORE_IO;
    if (taken_back(log, ticket))
        return TW_STORE_FULL;
    uint64_t base = log->last ? log->last->base : 0;
    uint64_t ahead = log->segment_bytes < RESERVE_BYTES ? log->segment_bytes : RESERVE_BYTES;
    if (!log->last || log->end - base + size > log->segment_bytes) {
        uint64_t first = size + WL_FILE_HEADER_BYTES + WL_ENTRY_BYTES;
        if (!log->last || log->end > base + WL_FILE_HEADER_BYTES)
            return rotate(log, first > ahead ? first : ahead);
    }
    /* With the seal that may follow. */
    if (log->end + size + WL_ENTRY_BYTES > log->reserved) {
        uint64_t needed = log->end + size + WL_ENTRY_BYTES, to = needed + ahead;
        if (to > base + log->segment_bytes + WL_ENTRY_BYTES)
            to = base + log->segment_bytes + WL_ENTRY_BYTES;
        if (to < needed)
            to = needed;
        int error = wl_segments_reserve(&log->segments, to - base);
        if (error)
            return answer_of(log, error);
        log->reserved = to;
    }
    return TW_STORE_OK;
}

/* The entry joins its slot's chain, and the segment and the buffer take note of it. */
static void chain_entry(struct wl_log *log, struct wl_entry *entry)
{
    bool coarse = (entry->kind & WL_COARSE) != 0;
    uint64_t head = wl_head(&log->wheel, coarse, entry->due);
    uint64_t ends = wl_slot_end(&log->wheel, coarse, entry->due);
    entry->back = head ? log->end - head : 0;
    wl_head_set(&log->wheel, coarse, entry->due, log->end);
    if (ends > log->ends)
        log->ends = ends;
    if (wl_kind_of(entry) != WL_PUT)
        return;
    if (entry->due < log->filling.least_due)
        log->filling.least_due = entry->due;
    if (entry->due < log->fresh_due)
        log->fresh_due = entry->due;
}

int wl_log_append(struct wl_log *log, struct wl_ticket *ticket, struct wl_entry *entry,
                  const uint64_t *late, const void *body, uint64_t *position)
{
    if (wl_chained(entry)) {
        if (!wl_head_make(&log->wheel, (entry->kind & WL_COARSE) != 0, entry->due))
            return TW_STORE_RANGE;
        chain_entry(log, entry);
    }
    *position = log->end;
    unsigned char *to = log->filling.bytes + log->filling.used + WL_ENTRY_BYTES;
    if (entry->size) {
        if (late)
            wl_store(to, 8, *late);
        if (entry->size > (late ? 8u : 0u))
            memcpy(to + (late ? 8 : 0), body, entry->size - (late ? 8 : 0));
        if (late)
            entry->body_check = wl_check(to, entry->size, 0);
    }
    write_entry(log, entry);
    log->filling.used += entry->size;
    log->end += entry->size;
    if (wl_kind_of(entry) == WL_PUT) {
        wl_pending_add(&log->pending, 1);
        log->puts++;
    } else if (wl_kind_of(entry) == WL_CANCEL) {
        wl_pending_take(&log->pending, 1);
    } else if (wl_kind_of(entry) == WL_DONE) {
        wl_pending_take(&log->pending, entry->body_check);
    }
    ticket->end = log->end;
    return TW_STORE_OK;
}

/* ---- Looking. --------------------------------------------------------------------------------- */

bool wl_log_peek(const struct wl_log *log, uint64_t position, struct wl_entry *entry)
{
    const struct wl_buffer *buffer = position >= log->filling.base ? &log->filling : &log->flushing;
    return position >= buffer->base && position - buffer->base + WL_ENTRY_BYTES <= buffer->used &&
           wl_entry_read(buffer->bytes + (position - buffer->base), entry, position);
}

uint64_t wl_log_head(const struct wl_log *log, uint64_t due)
{
    uint64_t at = wl_head(&log->wheel, false, due);
    struct wl_entry entry;
    while (at >= wl_log_committed(log) && wl_log_peek(log, at, &entry))
        at = entry.back ? at - entry.back : 0;
    return at;
}

uint64_t wl_log_least_due(const struct wl_log *log)
{
    return log->filling.least_due < log->flushing.least_due ? log->filling.least_due
                                                            : log->flushing.least_due;
}
