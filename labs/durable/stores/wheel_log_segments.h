/*
 * wheel_log_segments.h - the files of the log: finds, reads, appends to, syncs and deletes them.
 *
 * A segment's name is the position of its first byte, so a directory's listing says which piece of the log each file
 * is and nothing depends on files that are gone.  A segment is deleted when the last slot that has an entry in it is
 * over: no chain that is still to be walked leads through it then.
 *
 * Only a few files are open at a time, the longest unused is closed first.  All calls may come from any thread: a lock of
 * their own protects the list, and a file that is used is pinned.  Bytes at or behind `readable` are never
 * read: they may still be taken back (a write that found the disk full).
 */
#ifndef TWBENCH_WHEEL_LOG_SEGMENTS_H
#define TWBENCH_WHEEL_LOG_SEGMENTS_H

#include "wheel_log_format.h"

#include <pthread.h>
#include <stdatomic.h>

/* A file of the log. */
struct wl_segment {
    uint64_t base;     /* position of its first byte */
    uint64_t size;     /* bytes of it that belong to the log */
    uint64_t reserved; /* bytes of it that the file system has promised */
    uint64_t filled;   /* bytes of it that were written, zeros ahead of the log too */
    uint64_t
        ends; /* when the last slot with an entry in it is over, in ms; UINT64_MAX: not known yet */
    uint64_t used; /* when it was used last, by count of uses */
    unsigned pins;
    int fd; /* -1: closed */
};

/* All of them. */
struct wl_segments {
    int directory;
    pthread_mutex_t lock;
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
/* Bytes of the segment that holds position, from there on, at most size; *got may be less at its end. */
enum wl_read wl_segments_read(struct wl_segments *segments, uint64_t position, void *to,
                              size_t size, size_t *got);
/* Writes bytes of the log, which may lie in several segments.  0 or an errno. */
int wl_segments_write(struct wl_segments *segments, uint64_t position, const unsigned char *bytes,
                      size_t size);
/* Writes zeros from position, where the log ends, up to `to`, unless zeros lie there already: a sync of records that are
 * written over them has no new block and no new size to note.  0 or an errno: some of them may be there. */
int wl_segments_fill(struct wl_segments *segments, uint64_t position, uint64_t to);
/* Makes all from position on durable, the names of new files too.  0 or an errno. */
int wl_segments_sync(struct wl_segments *segments, uint64_t position);
/* Cuts the log at position: later segments go, the one that holds it ends there.  0 or an errno. */
int wl_segments_cut(struct wl_segments *segments, uint64_t position);
/* Is there a segment but the last that is over at that time? */
bool wl_segments_over(struct wl_segments *segments, uint64_t floor_ms);
/* Deletes the oldest segment that is over at `floor_ms` and lies before position whole; *more: there was one.  0 or an
 * errno. */
int wl_segments_reclaim(struct wl_segments *segments, uint64_t floor_ms, uint64_t position,
                        bool *more);

/* ---- A window on the log: one piece in memory, for reads that lie near each other. ------------- */

/* Largest piece that is read at once. */
#define WL_WINDOW_BYTES (64u * 1024)

struct wl_window {
    unsigned char *bytes;
    uint64_t base;
    size_t used, room;
    size_t span; /* how much the next read takes: more if the last ones were near each other */
};

/* Frees it; all zero afterwards, which is an empty window. */
void wl_window_close(struct wl_window *window);
/* The bytes [position, position + size) in *out, valid until the next call.  WL_READ_ABSENT: not all of them are there. */
enum wl_read wl_window_at(struct wl_window *window, struct wl_segments *segments, uint64_t position,
                          size_t size, const unsigned char **out);

#endif
