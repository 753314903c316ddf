/* wheel_log.h - the parts of the store wheel-log. */
#ifndef TWBENCH_WHEEL_LOG_H
#define TWBENCH_WHEEL_LOG_H

#include "store_open.h"

#include <pthread.h>
#include <stdatomic.h>

/* The bytes of a wheel-log directory: entries, headers of files, pages of heads.
 *
 * labs/durable/docs/WHEEL-LOG-FORMAT.md has each of them.
 *
 * CHECKS are the low 32 bits of XXH3, seeded with the position: bytes that lie in the wrong place never pass for a record.
 *
 * All numbers are little-endian on every machine: they are stored byte by byte. */

#define WL_VERSION           1u
#define WL_ENTRY_BYTES       30u
#define WL_FILE_HEADER_BYTES 64u
/* The byte of an entry that has its kind: never zero. */
#define WL_KIND_AT 15u

/* Largest back, and with it the largest distance between the oldest byte of a log and its end. */
#define WL_BACK_MAX ((UINT64_C(1) << 42) - 1)
/* Largest due: 8900 years. */
#define WL_DUE_MAX ((UINT64_C(1) << 48) - 1)
/* Largest body: the largest payload and the 8 bytes of WL_LATE. */
#define WL_BODY_MAX (65536u + 8u)

/* What a record is; labs/durable/docs/WHEEL-LOG-FORMAT.md has the layout. */
enum wl_kind {
    WL_PUT = 1,    /* body: the payload */
    WL_CANCEL = 2, /* key: position of the message; due: its due */
    WL_DONE = 3,   /* all up to (due, key) are done; in no chain */
    WL_SEAL =
        4, /* last of a segment; due: the end of the latest slot that has an entry in it; key: messages put up to here; in no chain */
    WL_BRIDGE =
        5, /* the chain that led to position key, which is lost, goes on at the position in the body */
    WL_KIND_MASK = 7,
    WL_COARSE = 8, /* flag: in a chain of the hours' wheel */
    WL_LATE =
        16 /* flag, put: was put with a due in the past, which the first 8 bytes of the body hold */
};

/* A record without its body. */
struct wl_entry {
    uint32_t body_check; /* or a count */
    uint32_t size;       /* of the body */
    uint64_t back;       /* distance to the entry before it in the chain, 0: it is the first */
    uint64_t due;
    uint64_t key;
    unsigned kind; /* of enum wl_kind, with flags */
};

/* Which of the two kinds of file a header is of. */
enum wl_file_kind { WL_FILE_SEGMENT = 1, WL_FILE_CHECKPOINT = 2 };

/* The first 64 bytes of every file.  Magic, version and check keep their places in all versions. */
struct wl_file_header {
    uint32_t version;
    uint32_t kind;   /* of enum wl_file_kind */
    uint64_t number; /* position of the segment's first byte; sequence number of the checkpoint */
    struct wl_geometry {
        uint32_t slot_ms, slots, hours;
    } geometry;
    uint64_t over; /* segment: the log from here to `number` is over; 0: all before, or not known */
    uint64_t puts; /* segment: messages put before it */
};

/* What wl_header_read found. */
enum wl_header_state { WL_HEADER_GOOD, WL_HEADER_DAMAGED, WL_HEADER_OTHER_VERSION };

/* An integer of 1 to 8 bytes, the lowest first. */
uint64_t wl_load(const unsigned char *from, unsigned bytes);
void wl_store(unsigned char *to, unsigned bytes, uint64_t value);
/* The lower half of XXH3.  The seed of an entry is its position, so that bytes in another place do not pass. */
uint32_t wl_check(const void *bytes, size_t size, uint64_t seed);

/* Writes the 30 bytes of an entry at that position. */
void wl_entry_write(unsigned char *to, const struct wl_entry *entry, uint64_t position);
/* Reads it; false if these bytes are no entry of that position. */
bool wl_entry_read(const unsigned char *from, struct wl_entry *entry, uint64_t position);
/* The kind without its flags. */
static inline unsigned wl_kind_of(const struct wl_entry *entry)
{
    return entry->kind & WL_KIND_MASK;
}
/* Is it in a chain of a wheel? */
static inline bool wl_chained(const struct wl_entry *entry)
{
    unsigned kind = wl_kind_of(entry);
    return kind == WL_PUT || kind == WL_CANCEL || kind == WL_BRIDGE;
}

/* Writes WL_FILE_HEADER_BYTES, magic and check with them. */
void wl_header_write(unsigned char *to, const struct wl_file_header *header);
/* Reads as many.  *header is filled in any case; only of a good one its members mean something. */
enum wl_header_state wl_header_read(const unsigned char *from, struct wl_file_header *header);

/* The two wheels of a wheel-log: where the newest entry of each slot lies.
 *
 * A head is the position of the newest entry of a slot's chain, 8 bytes; that is all that memory holds of a slot,
 * whatever hangs on it.
 *
 * ROUNDS.  Each has heads of its own, made with its first entry and freed when it is over, so that a chain never holds an entry
 * of another round: a segment can go when its slots are over.  64 rounds of the fine wheel at once, 16 of the coarse one.
 *
 * PAGES.  512 heads are a page.  A page knows for each of the two checkpoints whether it has changed
 * since that was written: only those are written. */

#define WL_PAGE_HEADS    512u
#define WL_PAGE_BYTES    (WL_PAGE_HEADS * 8u)
#define WL_FINE_ROUNDS   64u
#define WL_FINE_PARTS    8u /* pages of a round: 4096 slots */
#define WL_COARSE_ROUNDS 16u
#define WL_COARSE_PAGE   (WL_FINE_ROUNDS * WL_FINE_PARTS) /* number of the first coarse page */
#define WL_PAGES         (WL_COARSE_PAGE + WL_COARSE_ROUNDS)
#define WL_SLOTS_MAX     (WL_FINE_PARTS * WL_PAGE_HEADS)
#define WL_HOURS_MAX     WL_PAGE_HEADS

/* Length of a slot in ms, slots of an hour, hours of a round of the coarse wheel. */
struct wl_page {
    uint64_t round;
    uint32_t check[2]; /* as written last to checkpoint 0, 1; 0: the page is not in it */
    bool dirty[2];     /* changed since */
    uint64_t heads[WL_PAGE_HEADS];
};

struct wl_wheel {
    struct wl_geometry geometry;
    struct wl_page *pages[WL_PAGES]; /* NULL: no entry in its round */
    uint64_t pages_held;
    uint64_t oldest[2]; /* rounds before these are over: fine, coarse */
};

/* Number of the fine slot that due falls into, counted from time 0. */
static inline uint64_t wl_tick(const struct wl_wheel *wheel, uint64_t due)
{
    return due / wheel->geometry.slot_ms;
}
/* One turn of the fine wheel, in ms. */
static inline uint64_t wl_hour_ms(const struct wl_wheel *wheel)
{
    return (uint64_t)wheel->geometry.slot_ms * wheel->geometry.slots;
}
/* Number of the hour that due falls into, counted from time 0. */
static inline uint64_t wl_hour(const struct wl_wheel *wheel, uint64_t due)
{
    return due / wl_hour_ms(wheel);
}
/* When the slot that due falls into is over, in ms. */
static inline uint64_t wl_slot_end(const struct wl_wheel *wheel, bool coarse, uint64_t due)
{
    uint64_t width = coarse ? wl_hour_ms(wheel) : wheel->geometry.slot_ms;
    return (due / width + 1) * width;
}
/* Do two dues fall into the same slot and round? */
static inline bool wl_same_slot(const struct wl_wheel *wheel, bool coarse, uint64_t a, uint64_t b)
{
    return wl_slot_end(wheel, coarse, a) == wl_slot_end(wheel, coarse, b);
}

/* The round that due falls into. */
uint64_t wl_round(const struct wl_wheel *wheel, bool coarse, uint64_t due);

/* The head of due's slot; 0: no entry. */
uint64_t wl_head(const struct wl_wheel *wheel, bool coarse, uint64_t due);
/* Makes the page of the head if it is not there; false without memory, or if the round is over or too far away. */
bool wl_head_make(struct wl_wheel *wheel, bool coarse, uint64_t due);
/* Sets it; its page is there. */
void wl_head_set(struct wl_wheel *wheel, bool coarse, uint64_t due, uint64_t position);
/* The first due at or behind `due` and before `end` in whose slot there is an entry; `end` if there is none. */
uint64_t wl_next_entry(const struct wl_wheel *wheel, bool coarse, uint64_t due, uint64_t end);
/* Rounds that are over at that time are gone; their pages are freed. */
void wl_wheel_free_before(struct wl_wheel *wheel, uint64_t now_ms);
/* Frees all pages. */
void wl_wheel_close(struct wl_wheel *wheel);

/* The files of the log: finds, reads, appends to, syncs and deletes them.
 *
 * A segment's name is the position of its first byte, so a directory's listing says which piece of the log each file
 * is and nothing depends on files that are gone.  A segment is deleted when the last slot that has an entry in it is
 * over: no chain that is still to be walked leads through it then.
 *
 * Only a few files are open at a time, the longest unused is closed first.  All calls may come from any thread: a lock of
 * their own protects the list, and a file that is used is pinned.  Bytes at or behind `readable` are never
 * read: they may still be taken back (a write that found the disk full). */

/* A file of the log. */
struct wl_segment {
    uint64_t base;     /* position of its first byte */
    uint64_t over;     /* as in its header */
    uint64_t puts;     /* as in its header */
    uint64_t size;     /* bytes of it that belong to the log */
    uint64_t reserved; /* bytes of it that the file system has promised */
    uint64_t ends; /* when the last slot with an entry in it is over, ms; UINT64_MAX: not known */
    uint64_t used; /* when it was used last, by count of uses */
    unsigned pins;
    int fd; /* -1: closed */
};

/* All of them. */
struct wl_segments {
    int directory;
    pthread_mutex_t lock;
    pthread_mutex_t syncing;
    int sync_error;           /* of the first sync that failed: none is believed from then on */
    struct wl_segment **list; /* by base */
    size_t count, room, open;
    uint64_t uses;
    _Atomic uint64_t readable;
    _Atomic uint64_t written_bytes, syncs, reclaimed_bytes;
    bool names_changed; /* the directory itself has to be synced; under the lock of the store */
};

/* How a read went. */
enum wl_read { WL_READ_OK, WL_READ_ABSENT, WL_READ_ERROR };

/* The file's name, of 20 characters. */
#define WL_NAME_BYTES 24u
void wl_segment_name(char out[WL_NAME_BYTES], uint64_t base);
/* The base that a name stands for, or UINT64_MAX if it is not the name of a segment. */
uint64_t wl_segment_base(const char *name);

/* Lists the segments of the directory, of which it keeps the descriptor.  Zeros behind the seal of a segment are no part of
 * its size, and a segment of zeros alone has a size of 0.  0 or an errno. */
int wl_segments_open(struct wl_segments *segments, int directory);
/* Closes the files and frees the list; the directory's descriptor is the caller's. */
void wl_segments_close(struct wl_segments *segments);

/* What of the log a segment holds. */
struct wl_span {
    uint64_t base, end;
};
/* The segment that position lies in, or the last one before it; false: there is none before it. */
bool wl_segments_span(struct wl_segments *segments, uint64_t position, struct wl_span *span);
/* Makes the file of a segment that begins at base, behind all others.  0 or an errno. */
int wl_segments_add(struct wl_segments *segments, uint64_t base);
/* The last segment, or NULL. */
struct wl_segment *wl_segments_last(struct wl_segments *segments);
/* Undoes the add before, of which nothing is written yet.  0 or an errno. */
int wl_segments_drop_last(struct wl_segments *segments);
/* Has the file system promise room for `size` bytes of the last segment, so that no later write of them finds the disk
 * full.  0 or an errno: nothing has changed. */
int wl_segments_reserve(struct wl_segments *segments, uint64_t size);
/* Bytes of the file from offset on, at most size, read in as many calls as that takes; -1 and errno. */
ssize_t wl_file_read(int fd, void *to, size_t size, uint64_t offset);
/* Bytes of the segment that holds position, from there on, at most size; *got may be less at its end. */
enum wl_read wl_segments_read(struct wl_segments *segments, uint64_t position, void *to,
                              size_t size, size_t *got);
/* The same of what the page cache has already: all of it, or WL_READ_ABSENT: the system may have begun to read it; _ERROR: it will
 * never be there. */
enum wl_read wl_segments_glance(struct wl_segments *segments, uint64_t position, void *to,
                                size_t size);
/* Has the system read that into the page cache, and does not wait. */
void wl_segments_ask(struct wl_segments *segments, uint64_t position, size_t size);
/* Writes bytes of the log, which may lie in several segments.  0 or an errno. */
int wl_segments_write(struct wl_segments *segments, uint64_t position, const unsigned char *bytes,
                      size_t size);
/* fsync or fdatasync, one at a time: of two threads that sync a file the system tells one alone that writes were lost, and then
 * neither may believe it.  0 or an errno. */
int wl_sync(struct wl_segments *segments, int fd, int (*call)(int fd));
/* Makes all from position on durable, the names of new files too.  0 or an errno. */
int wl_segments_sync(struct wl_segments *segments, uint64_t position);
/* Cuts the log at position: later segments go, the one that holds it ends there.  0 or an errno. */
int wl_segments_cut(struct wl_segments *segments, uint64_t position);
/* Does a segment end with a whole seal?  *seal is that record. */
enum wl_read wl_segments_seal(struct wl_segments *segments, const struct wl_segment *segment,
                              struct wl_entry *seal);

/* A piece of the log that is in no file and was not reclaimed. */
struct wl_missing {
    uint64_t from, to; /* no bytes: nothing is missing */
    uint64_t most;     /* messages that it held at most */
    bool file; /* a file is missing that began at `from`; false: the one before ends early */
};
/* What is missing before segment number `at`, whose header was read.  WL_READ_ERROR: a read failed. */
enum wl_read wl_segments_missing(struct wl_segments *segments, size_t at, struct wl_missing *out);
/* The sentence for a damage report. */
#define WL_MISSING_BYTES 96u
void wl_missing_say(const struct wl_missing *missing, char out[WL_MISSING_BYTES]);
/* The file that a reader has to look for: its name, and the offset in it. */
uint64_t wl_missing_file(struct wl_segments *segments, const struct wl_missing *missing,
                         char name[WL_NAME_BYTES]);
/* Is there a segment but the last that is over at that time? */
bool wl_segments_over(struct wl_segments *segments, uint64_t floor_ms);
/* Deletes the oldest segment that is over at `floor_ms` and lies before position whole, and has the header of the one behind
 * it say so first; *more: there was one.  Only the dispatcher's thread calls it.  0 or an errno. */
int wl_segments_reclaim(struct wl_segments *segments, uint64_t floor_ms, uint64_t position,
                        bool *more);

/* ---- A window on the log: one piece in memory, for reads that lie near each other. ------------- */

/* Largest piece that is read at once, and of a record that lies alone. */
#define WL_WINDOW_BYTES (64u * 1024)
#define WL_RECORD_BYTES (16u * 1024)

struct wl_window {
    unsigned char *bytes;
    uint64_t base;
    size_t used, room;
    size_t span;   /* how much the next read takes: more if the last ones were near each other */
    size_t record; /* what a record takes, by the last one */
};

/* Records of that size are to be read. */
static inline void wl_window_expect(struct wl_window *window, size_t size)
{
    window->record = size < WL_RECORD_BYTES ? size : WL_RECORD_BYTES;
}

/* Frees it; all zero afterwards, which is an empty window. */
void wl_window_close(struct wl_window *window);
/* The bytes [position, position + size) in *out, valid until the next call.  WL_READ_ABSENT: not all of them are there. */
enum wl_read wl_window_at(struct wl_window *window, struct wl_segments *segments, uint64_t position,
                          size_t size, const unsigned char **out);

/* Tells the caller of a wheel-log what is damaged, each piece once. */

#define WL_RECENT_DAMAGE 64u

/* Used by open and by the dispatcher's thread only. */
struct wl_damage {
    tw_store_damage_fn *tell; /* may be NULL */
    void *ctx;
    struct wl_segments *segments;
    uint64_t count;
    uint64_t recent
        [WL_RECENT_DAMAGE]; /* positions + 1 told last, so that a second reader does not tell them again */
};

/* Damage in a file that is no segment. */
void wl_damage_file(struct wl_damage *damage, const char *file, uint64_t offset, const char *what,
                    uint64_t lost);
/* Damage of the log at that position. */
void wl_damage_log(struct wl_damage *damage, uint64_t position, const char *what, uint64_t lost);

/* Reads a segment from front to back, record by record, and steps over what is no record.
 *
 * Recovery replays by it, a broken chain is mended by it, `twbench stores dump` prints by it.  Where bytes are no
 * record, it looks at every following byte for the next one: the check of an entry includes its position, so
 * neither a payload nor what a file held before can pass for one.  Zeros are passed over: the byte of an entry that has its
 * kind is never zero. */

/* A reading under way. */
struct wl_scan {
    struct wl_segments *segments;
    struct wl_window window;
    uint64_t at, end; /* next byte to look at; end of the segment */
};

enum wl_found {
    WL_FOUND_RECORD,
    WL_FOUND_BAD_BODY, /* a record, but the check of its body differs */
    WL_FOUND_GAP,      /* [position, to) holds no record; one follows */
    WL_FOUND_TAIL, /* [position, to) holds no record, and neither does the rest of the segment */
    WL_FOUND_END,
    WL_FOUND_ERROR /* a read failed */
};

struct wl_record {
    uint64_t position, to; /* its first byte, and the one behind its last */
    struct wl_entry entry;
    const unsigned char *body; /* valid until the next call */
    uint64_t written; /* a tail: behind its last byte other than zero; position: all are zeros */
};

/* From `from`, which lies in a segment behind its header, to `end`. */
void wl_scan_begin(struct wl_scan *scan, struct wl_segments *segments, uint64_t from, uint64_t end);
/* What follows; *record is filled for all but END and ERROR.  A gap costs a look at each of its bytes. */
enum wl_found wl_scan_next(struct wl_scan *scan, struct wl_record *record);
/* Is there nothing behind the last record that was found, or zeros alone? */
bool wl_scan_is_over(struct wl_scan *scan);
/* Frees the window. */
void wl_scan_end(struct wl_scan *scan);

/* Writes and reads the two checkpoints of a wheel-log.
 *
 * A checkpoint is the heads of all slots as of one position of the log, and what else recovery has to know there.
 * Recovery takes the newest whole one and replays the log behind its position.
 *
 * IN TURN.  Checkpoint n goes to file n % 2.  While it is written, the other one is whole.  It is whole if its header's
 * check is right and so is the check of every page, which the header holds: it does not matter in which order the
 * disk writes them, one sync is enough.
 *
 * ONLY WHAT CHANGED.  A page goes to its own place in the file, and only if it has changed since checkpoint n - 2 was
 * written there. */

#define WL_CHECKPOINT_HEADER 4096u

/* What recovery has to know besides the heads. */
struct wl_state {
    uint64_t sequence;                  /* of the checkpoint */
    uint64_t log;                       /* the heads are those of the log before this position */
    uint64_t floor_due, floor_position; /* all up to here is done; the position in the slot */
    uint64_t opened;                    /* the last hour whose messages go to the fine wheel */
    uint64_t pending;                   /* UINT64_MAX: not known */
    uint64_t ends;                      /* of the last segment, as far as it goes */
    uint64_t clamped;                   /* no put with a later due got another one */
    uint64_t puts;                      /* messages ever put */
};

/* More or fewer messages are pending; what is not known stays so, and there are never fewer than none. */
static inline void wl_pending_add(uint64_t *pending, uint64_t more)
{
    *pending += *pending == UINT64_MAX ? 0 : more;
}
static inline void wl_pending_take(uint64_t *pending, uint64_t fewer)
{
    *pending -= *pending == UINT64_MAX ? 0 : fewer < *pending ? fewer : *pending;
}

/* A checkpoint made ready under the lock, to be written without it. */
struct wl_ready {
    unsigned char header[WL_CHECKPOINT_HEADER];
    size_t count;
    uint16_t numbers[WL_PAGES];
    unsigned char *pages; /* count times WL_PAGE_BYTES */
};

/* "checkpoint-0" or "checkpoint-1": they are written in turn.  A constant. */
const char *wl_checkpoint_name(uint64_t sequence);

/* Copies what has changed.  0 or an errno: nothing has changed. */
int wl_checkpoint_prepare(struct wl_wheel *wheel, const struct wl_state *state,
                          struct wl_ready *ready);
/* Writes and syncs it, and frees what prepare took.  0 or an errno. */
int wl_checkpoint_write(struct wl_segments *segments, const struct wl_state *state,
                        struct wl_ready *ready);

/* How a reading went. */
enum wl_checkpoint_state {
    WL_CHECKPOINT_WHOLE,
    WL_CHECKPOINT_ABSENT,
    WL_CHECKPOINT_DAMAGED,
    WL_CHECKPOINT_OTHER_VERSION,
    WL_CHECKPOINT_ERROR /* a read failed, or no memory */
};

/* Reads the file 0 or 1.  On WL_CHECKPOINT_WHOLE wheel, which was empty, has its heads, and *header the file's header.  *what: what
 * is damaged, a constant; *at: where. */
enum wl_checkpoint_state wl_checkpoint_read(int directory, unsigned file, struct wl_wheel *wheel,
                                            struct wl_state *state, const char **what,
                                            uint64_t *at);

/* Walks the chain of a slot on disk, from its newest entry back to its oldest.
 *
 *     head ---> entry ---> entry ---> entry ---> none
 *      memory    |back       |back      back = 0
 *
 * Each entry says how many bytes before it the one before it lies.  A damaged entry takes along its `back`, and with it the way to
 * all older ones.  The walk then looks for the newest entry of the slot before the damage, by scanning segments, tells what is
 * damaged, and goes on there.  Where recovery saw the gap already, it left a bridge: an entry that says
 * where the chain goes on. */

#define WL_BRIDGES 16u /* that a walk keeps in mind; behind more it scans */

/* A walk, from the newest entry of one slot to its oldest. */
struct wl_chain {
    struct wl_segments *segments;
    const struct wl_wheel *wheel; /* only its geometry is used */
    struct wl_damage *damage;
    struct wl_window window;
    bool coarse;
    uint64_t due;  /* any in the slot */
    uint64_t at;   /* the entry to read next; 0: none */
    uint64_t stop; /* entries at or before this position are known */
    size_t bridges;
    uint64_t from[WL_BRIDGES], to[WL_BRIDGES];
};

/* ERROR: a read failed, or there was no memory. */
enum wl_step { WL_STEP_ENTRY, WL_STEP_END, WL_STEP_ERROR };

/* Begins at entry `head`, 0 for an empty chain. */
void wl_chain_begin(struct wl_chain *chain, bool coarse, uint64_t due, uint64_t head,
                    uint64_t stop);
/* The next entry that puts or cancels. */
enum wl_step wl_chain_next(struct wl_chain *chain, struct wl_entry *entry, uint64_t *position);
/* Frees the window; harmless for one that is all zero. */
void wl_chain_close(struct wl_chain *chain);

/* The messages of one hour in the order in which they are handed out, in bounded memory.
 *
 * A chain is walked from its newest entry to its oldest, but messages are handed out by due, and at the same due in
 * order of put.  A message is one number here, and so is a cancel:
 *
 *     bits 42 .. 63   due, as milliseconds into the hour
 *     bits  1 .. 41   position of the message, from the base of the queue
 *     bit   0         1: the message; 0: its cancel
 *
 * The order of the numbers is the order of delivery, the same after every recovery, and a cancel comes just before
 * the message that it names.
 *
 * BOUNDED MEMORY, AND NO CALL THAT STANDS.  The numbers are a heap.  When there are WL_QUEUE_ITEMS, each push moves the least of
 * them to a file without a name, which vanishes with the process.  What is written so is sorted: a run.  A number
 * that comes too late for the run that is written waits in a second heap, from the other end of the same memory.  When
 * the first one is empty the run is over, and the second begins the next (replacement selection; Knuth, volume 3, 5.4.1).
 * So a push costs O(log n) whether it spills or not, where sorting all at once would have the dispatcher stand.
 *
 * What is taken next is the least of the heaps' firsts and the runs' firsts.  A slot of any size takes WL_QUEUE_ITEMS * 8 bytes
 * and a piece of each run, which is at most a sixteenth of a byte for each message.  If the disk has no room for a run, the
 * heaps grow instead. */

#define WL_QUEUE_ITEMS (UINT32_C(1) << 18)
#define WL_RUN_PIECE   2048u /* items of a run that are in memory */

/* Longest hour, and longest log that a queue can tell positions of. */
#define WL_HOUR_MS_MAX (UINT64_C(1) << 22)
#define WL_LOG_MAX     (UINT64_C(1) << 41)

/* A sorted run in the file, and the piece of it that is in memory. */
struct wl_run {
    uint64_t *piece;
    size_t at, got;       /* in the piece */
    uint64_t offset, end; /* in the file: of the next piece, and behind the run */
};

/* The messages of one hour that are not handed out yet. */
struct wl_queue {
    uint64_t start, base; /* due and position that an item of 0 stands for */
    uint64_t *items;
    size_t room;
    size_t limit;
    size_t count[2]; /* of the heaps: items[0], [1], ...; and items[room - 1], [room - 2], ... */
    struct wl_run *runs;
    size_t run_count;
    bool running;  /* the last run is being written */
    unsigned side; /* from that heap; a number below `last` joins the other one */
    uint64_t last; /* number of the run */
    uint64_t *out; /* numbers of the run that are not in the file yet */
    size_t out_count;
    int file; /* -1: none yet */
    struct wl_segments *segments;
};

/* A number, taken apart. */
struct wl_item {
    uint64_t due, position;
    bool message; /* false: a cancel */
};

/* Empty, for dues from `start` on, less than WL_HOUR_MS_MAX, and positions from `base` on, less than WL_LOG_MAX.
 * Takes no memory and no file before the first push. */
void wl_queue_open(struct wl_queue *queue, struct wl_segments *segments, uint64_t start,
                   uint64_t base);
/* Frees memory and file; harmless twice. */
void wl_queue_close(struct wl_queue *queue);
/* False without memory. */
bool wl_queue_push(struct wl_queue *queue, struct wl_item item);
/* The first item, which stays; false: there is none, or *failed is set: a run could not be read. */
bool wl_queue_peek(struct wl_queue *queue, struct wl_item *item, bool *failed);
/* Takes away the item that peek gave. */
void wl_queue_pop(struct wl_queue *queue);
/* Memory that it holds; not what is in the file. */
uint64_t wl_queue_bytes(const struct wl_queue *queue);

/* The end of the log: appends records to a buffer, and commits them for all who wait at once.
 *
 *     put A --+                        +--> write, fdatasync (one thread, the leader; no lock)
 *     put B --+--> filling     flushing
 *     done  --+      |____swap____|
 *
 * GROUP COMMIT.  Whoever has appended and finds nobody at it becomes the leader: it takes the buffer as it is, writes and syncs
 * it without the lock.  Those that come meanwhile fill the other buffer, and one of them is chosen to lead next.  They sleep
 * on a word of their buffer (a futex), so a settled put wakes once and needs no lock to learn that it is settled.
 *
 * Those that a leader settled are woken before the next leader is, so that what they put next is mostly there when it takes
 * the buffer.  Under TW_SYNC_GROUP the leader waits for company, too.
 *
 * ROOM AHEAD.  The file system promises room 1 MiB ahead of the log, and the file has that size at once.  So the sync of a
 * record that lies in a block that was synced before is one write of the disk.  The first sync of a block has the file system
 * note that the block holds something, which is a second one.
 *
 * POSITIONS   committed <= written <= end.  `committed` is what may be read, and what a put waits for: under always and group what is
 * synced, under interval and none what is written.
 *
 * FAILURE.  As room was promised, a full disk refuses a put before anything of it is there.  If a write finds the disk
 * full all the same, what was not committed is taken back: the heads, the end, the file; its calls answer TW_STORE_FULL
 * and the store goes on.  After any other error, or a sync that failed, nothing may be believed: the store is broken until
 * it is opened again. */

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
    uint64_t ends;          /* of the last segment */
    uint64_t pending;       /* UINT64_MAX: not known, as a piece of the log is missing */
    uint64_t puts;          /* messages ever put */
    uint64_t fresh_due;     /* least due of the messages put since the poll under way began */
    enum tw_sync_policy policy;
    uint64_t interval_ns, synced_ns;
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

/* 0 or an errno.  Lock, condition, policy and segments are there already; the log goes on at `end`.  What lies behind
 * `durable` was read and need not be on the disk: always and group sync it now, the others with their next sync. */
int wl_log_open(struct wl_log *log, uint64_t durable, uint64_t end);
/* Frees buffers, lock and conditions.  Writes nothing: flush first.  The segments are closed by wl_segments_close. */
void wl_log_close(struct wl_log *log);

/* Up to where records are as safe as the policy says.  With the lock. */
static inline uint64_t wl_log_committed(const struct wl_log *log)
{
    return log->policy <= TW_SYNC_GROUP ? log->durable : log->written;
}

/* ---- All below: with the lock. ---------------------------------------------------------------- */

/* The lock is not recursive. */
#define wl_log_lock(log)   pthread_mutex_lock(&(log)->lock)
#define wl_log_unlock(log) pthread_mutex_unlock(&(log)->lock)

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

/* An open wheel-log: what its parts share.
 *
 * THE ORDER OF ALL MESSAGES is (due, position): by due, and at one due in order of put.  Messages are handed out in that order and
 * no other, so one pair says which are handed out, and one which are done: that is the position in the slot.  Nothing
 * may join the order at or before what was handed out:
 *
 *     frontier   The last due that was handed out, or the start of the pointer's slot.  A put with an earlier due gets the
 *                frontier for its due, and keeps its own in the body.
 *     bound      poll hands out up to min(now, least due of what is not committed yet), and nothing behind a message that was
 *                put since it began: what is passed would count as done. */

/* Entries that tend reads at a time. */
#define WL_PIECE 4096u
/* Bytes of payloads that one poll hands out at most; there is always room for one message. */
#define WL_ARENA_BYTES (1024u * 1024)

/* A place in the order of all messages. */
struct wl_place {
    uint64_t due, position;
};

/* Does a come at or before b in that order? */
static inline bool wl_at_or_before(struct wl_place a, struct wl_place b)
{
    return a.due != b.due ? a.due < b.due : a.position <= b.position;
}

/* An hour that is being handed out, or loaded ahead. */
struct wl_hour {
    uint64_t hour;
    bool begun, loaded; /* its coarse chain is being walked; is walked */
    struct wl_queue queue;
    struct wl_chain chain;
};

/* A slot of the fine wheel whose chain was walked, up to the entry `seen`. */
struct wl_walked {
    uint64_t tick, seen;
    uint64_t head; /* of the walk under way, which began there; 0: none */
    struct wl_chain chain;
};

/* The store's settings as its table has them, in the units of their names. */
struct wl_settings {
    uint64_t slot_ms, slots, hours, segment_kib, checkpoint_kib, preload_s, position;
};

/* A later hour's chain that is chased into the page cache: the next entry, 0: none. */
struct wl_chase {
    uint64_t hour, at, bytes;
    size_t record;
    unsigned warm;
    bool is_cold;
};
#define WL_CHASES 8u

/* The chases, and when the pointer entered which hour. */
struct wl_chases {
    uint64_t hour, since_ns;
    struct wl_chase list[WL_CHASES]; /* by hour */
};

struct tw_store_seat {
    struct tw_store *store;
    struct tw_store_seat *next;
    struct wl_place cancelling; /* position 0: none; the cancel of what a poll under way may hold */
    uint32_t *checks;           /* of the bodies of a put */
    size_t check_room;
    struct wl_window window; /* of cancels that look an entry up */
};

struct tw_store {
    struct wl_log log;
    struct wl_settings settings;
    int directory;
    struct wl_damage damage;
    uint64_t recovered, damaged;
    bool reopened; /* it was there before: what a kill lost may have been written over */

    /* Under the lock of the log. */
    struct tw_store_seat *seats;
    uint64_t frontier;
    uint64_t bound; /* of the poll under way */
    uint64_t
        clamped; /* no put with a later due ever got another one: the latest frontier, and now at open */
    uint64_t opened;        /* the last hour whose messages go to the fine wheel */
    struct wl_place handed; /* all up to here is handed out, or was cancelled */
    struct wl_place *late;  /* cancels of what may be in a poll under way */
    size_t late_count, late_room;

    /* The dispatcher's. */
    struct wl_hour current, next;
    struct wl_walked live, ahead; /* the slot that is handed out; the one after it */
    struct wl_place *undone;      /* handed out and not done: a ring */
    size_t undone_first, undone_count, undone_room;
    struct wl_place floor; /* done up to here */
    uint64_t reached;      /* nothing is left before this due: where the pointer goes */
    uint64_t done_in_slot; /* position=0: how many of the floor's slot are done */
    unsigned char *arena;
    struct wl_place *batch;
    size_t batch_room;
    struct wl_window window; /* of payloads */
    struct wl_chases chases;
    uint64_t checkpoint_log, sequence;
    uint64_t tried_log;            /* end of the log when a poll last tried to write a checkpoint */
    struct wl_place kept_floor[2]; /* of the checkpoints in the files, and how far they go */
    uint64_t kept_log[2];
    uint64_t checkpoints, preloaded, loaded_late;
};

/* ---- wheel_log_recover.c ----------------------------------------------------------------------- */

/* Recovers what is in the directory, or makes a store in an empty one.  Fills *error on other answers than TW_STORE_OK. */
int wl_recover(struct tw_store *store, const struct tw_store_config *config,
               struct tw_error *error);

/* ---- wheel_log_keep.c -------------------------------------------------------------------------- */

/* Up to where all is done: what the next recovery starts from. */
struct wl_place wl_floor(struct tw_store *store);
/* Writes and syncs one now.  TW_STORE_OK, _MEMORY, _IO, _FULL, _BROKEN. */
int wl_checkpoint(struct tw_store *store);
/* One bounded piece: a checkpoint that is due, or a segment that is over. */
int wl_keep(struct tw_store *store, bool *more);
/* The checkpoint of a dispatcher that polls and does not tend: at twice the log.  A full disk is no error. */
int wl_keep_up(struct tw_store *store);

/* ---- wheel_log_ahead.c ------------------------------------------------------------------------- */

/* The pointer enters that hour: those behind it are chased if hours pass faster than the clock. */
void wl_ahead_enter(struct tw_store *store, uint64_t hour);
/* Each chase goes on as far as the page cache has its entries.  Never waits for the disk. */
void wl_ahead_step(struct tw_store *store);

/* ---- wheel_log_drain.c ------------------------------------------------------------------------- */

/* As the hooks poll, done and next of store.h.  Only the dispatcher calls them. */
int wl_poll(struct tw_store *store, uint64_t now_ms, struct tw_delivery *out, size_t max,
            size_t *count);
int wl_done(struct tw_store *store, size_t count);
uint64_t wl_next(struct tw_store *store);
/* One bounded piece of loading ahead of time. */
int wl_preload(struct tw_store *store, uint64_t now_ms, bool *more);
/* Frees what the dispatcher holds. */
void wl_drain_close(struct tw_store *store);

#endif
