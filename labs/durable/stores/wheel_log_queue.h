/*
 * wheel_log_queue.h - the messages of one hour in the order in which they are handed out, in bounded memory.
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
 * heaps grow instead.
 */
#ifndef TWBENCH_WHEEL_LOG_QUEUE_H
#define TWBENCH_WHEEL_LOG_QUEUE_H

#include "wheel_log_segments.h"

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

#endif
