/*
 * wheel_log_commit.h - the end of the log: appends records to a buffer, and commits them for all who wait at once.
 *
 *     put A --+                        +--> write, fdatasync (one thread, the leader; no lock)
 *     put B --+--> filling     flushing
 *     done  --+      |____swap____|
 *
 * GROUP COMMIT.  Whoever has appended and finds nobody at it becomes the leader: it takes the buffer as it is, writes and syncs
 * it without the lock.  Those that come meanwhile fill the other buffer, and one of them is chosen to lead next.  They sleep
 * on a word of their buffer (a futex), so a settled put wakes once and needs no lock to learn that it is settled.
 *
 * Producers that put again as soon as they are acknowledged would so fall into two halves that sync in turns.  Two things
 * bring them together.  Those that a leader settled are woken before the next leader is, so that what they put next is
 * mostly there when it takes the buffer: nobody waits for that, and it is all that TW_SYNC_ALWAYS does.  Under
 * TW_SYNC_GROUP the leader waits for company (store_company.h), too.  A window (setting window-us) makes it wait that long in
 * any case.
 *
 * ROOM AHEAD.  The file system promises room 1 MiB ahead of the log, and the file has that size at once.  So the sync of a
 * record that lies in a block that was synced before is one write of the disk.  The first sync of a block has the file system
 * note that the block holds something, which is a second one.
 *
 * ZEROS AHEAD (setting zeros-kib) save that, too.  Whoever leads past the last zero writes the next piece of them behind its
 * records, and the same sync covers both.  They lie within the room that is promised, so that they take none from a put,
 * and a disk that has no room for them is no error.  Each byte of the log is then written twice.
 *
 * POSITIONS   committed <= written <= end.  `committed` is what may be read, and what a put waits for: under always and group what is
 * synced, under interval and none what is written.
 *
 * FAILURE.  As room was promised, a full disk refuses a put before anything of it is there.  If a write finds the disk
 * full all the same, what was not committed is taken back: the heads, the end, the file; its calls answer TW_STORE_FULL
 * and the store goes on.  After any other error, or a sync that failed, nothing may be believed: the store is broken until
 * it is opened again.
 */
#ifndef TWBENCH_WHEEL_LOG_COMMIT_H
#define TWBENCH_WHEEL_LOG_COMMIT_H

#include "store.h"
#include "store_company.h"
#include "wheel_log_heads.h"
#include "wheel_log_segments.h"

#define WL_BUFFER_BYTES (2u * 1024 * 1024)
#define WL_FAILURES     64u

/* Records that are not written yet. */
struct wl_buffer {
    unsigned char *bytes;
    uint64_t base; /* position of its first byte */
    size_t used;
    uint64_t least_due; /* of the messages in it; UINT64_MAX: none */
};

/* Those who sleep until a buffer is settled. */
struct wl_crowd {
    _Atomic uint32_t turn;  /* they sleep while it stays the same */
    unsigned asleep, freed; /* how many do; how often all were let go; under the lock */
};

/* The log from its oldest byte to its end, with the heads that lead into it. */
struct wl_log {
    pthread_mutex_t lock;   /* of all here, of the heads, and of what the store keeps with them */
    pthread_cond_t settled; /* the leader is through, or a cancel is decided */
    struct wl_segments segments;
    struct wl_segment *last; /* which is never deleted; NULL before the first */
    struct wl_wheel wheel;
    struct wl_buffer filling, flushing;
    uint64_t end, written, durable;
    uint64_t resumed;       /* the log goes on here in a new segment; 0: in the last one */
    uint64_t segment_bytes; /* a segment that has this many gets no more records */
    uint64_t most_bytes;    /* from the oldest byte to the newest */
    uint64_t reserved;      /* position up to which there is room */
    uint64_t zeros_bytes;   /* so many are written ahead of the end at a time */
    uint64_t ends;          /* of the last segment */
    uint64_t pending;
    uint64_t fresh_due; /* least due of the messages put since the poll under way began */
    enum tw_sync_policy policy;
    uint64_t interval_ns, synced_ns, window_ns;
    bool busy, broken;
    bool handed;    /* busy for one of the filling buffer's crowd, which is woken to lead */
    uint32_t group; /* number of the buffer that is filling */
    struct wl_crowd crowds[2];    /* by group % 2: of the filling buffer, and of the flushing one */
    bool put_led;                 /* the last leader was a put: another may be about to come */
    struct store_company company; /* of calls: puts and cancels */
    _Atomic unsigned failures;    /* times that what was not committed was taken back */
    uint64_t failed_from[WL_FAILURES]; /* by failures % WL_FAILURES: from this position on */
};

/* A call's records: it is told by these whether they are committed. */
struct wl_ticket {
    uint64_t end;
    unsigned failures;
};

/* 0 or an errno.  Lock, condition and segments are there already; the log goes on at `end`. */
int wl_log_open(struct wl_log *log, uint64_t end);
/* Frees buffers, lock and conditions.  Writes nothing: flush first.  The segments are closed by wl_segments_close. */
void wl_log_close(struct wl_log *log);

/* Up to where records are as safe as the policy says.  With the lock. */
static inline uint64_t wl_log_committed(const struct wl_log *log)
{
    return log->policy <= TW_SYNC_GROUP ? log->durable : log->written;
}

/* ---- All below: with the lock. ---------------------------------------------------------------- */

/* The lock is not recursive. */
void wl_log_lock(struct wl_log *log);
void wl_log_unlock(struct wl_log *log);

/* Begins the records of a call. */
struct wl_ticket wl_log_join(const struct wl_log *log);
/* Makes room in buffer and file for a record with that much body.  Gives up the lock while the buffer is full: what the
 * record says of hours and of the frontier is to be found out afterwards.  TW_STORE_OK, _FULL, _MEMORY, _IO, _BROKEN. */
int wl_log_make_room(struct wl_log *log, const struct wl_ticket *ticket, size_t body);
/* Appends a record whose room was made, and keeps the lock.  A chained one gets its `back` and becomes its slot's head.
 * late: the first 8 bytes of the body, or NULL.  *position: where it begins.  TW_STORE_OK, or _RANGE: its round has no
 * room. */
int wl_log_append(struct wl_log *log, struct wl_ticket *ticket, struct wl_entry *entry,
                  const uint64_t *late, const void *body, uint64_t *position);
/* Takes back the records of a call that is refused, from position `from` on, as long as the lock was not given up since
 * and no segment was begun; false: they stay, and what becomes of them is not known. */
bool wl_log_withdraw(struct wl_log *log, const struct wl_ticket *ticket, uint64_t from);
/* Waits until the ticket's records are as safe as the policy says.  Gives up the lock meanwhile. */
int wl_log_settle(struct wl_log *log, const struct wl_ticket *ticket);
/* The same, and gives up the lock for good. */
int wl_log_settle_and_unlock(struct wl_log *log, const struct wl_ticket *ticket);
/* The same for a done, which under TW_SYNC_GROUP lets a put go first that may be about to come, and shares its sync: a
 * producer that has just been acknowledged would otherwise find the disk taken by the done. */
int wl_log_settle_behind(struct wl_log *log, const struct wl_ticket *ticket);
/* Commits all that was appended; with sync makes it durable under every policy. */
int wl_log_flush(struct wl_log *log, bool sync);
/* What time asks for under interval and none: a write, a sync whose time has come. */
int wl_log_tend(struct wl_log *log);
/* Reads an entry that is not committed yet from the buffers; false: it is not there. */
bool wl_log_peek(const struct wl_log *log, uint64_t position, struct wl_entry *entry);
/* The newest committed entry of due's slot of the fine wheel; 0: none. */
uint64_t wl_log_head(const struct wl_log *log, uint64_t due);
/* The least due of what is not committed. */
uint64_t wl_log_least_due(const struct wl_log *log);

#endif
