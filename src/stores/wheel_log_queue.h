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
 * BOUNDED MEMORY.  The numbers are a heap.  When there are more than WL_QUEUE_ITEMS they are sorted and
 * written to a file without a name, which vanishes with the process: a run.  What is taken next is the least of
 * the heap's first and the runs' firsts.  When there are WL_QUEUE_RUNS runs they are merged to one.  A slot of any size takes
 * WL_QUEUE_ITEMS * 8 bytes and a piece of each run.  If the disk has no room for a run, the heap grows instead.
 */
#ifndef TWBENCH_WHEEL_LOG_QUEUE_H
#define TWBENCH_WHEEL_LOG_QUEUE_H

#include "wheel_log_segments.h"

#define WL_QUEUE_ITEMS (UINT32_C(1) << 18)
#define WL_QUEUE_RUNS  16u
#define WL_RUN_PIECE   2048u /* items of a run that are in memory */

/* Longest hour, and longest log that a queue can tell positions of. */
#define WL_HOUR_MS_MAX (UINT64_C(1) << 22)
#define WL_LOG_MAX     (UINT64_C(1) << 41)

struct wl_run {
    uint64_t *piece;
    size_t at, got;       /* in the piece */
    uint64_t offset, end; /* in the file: of the next piece, and behind the run */
};

struct wl_queue {
    uint64_t start, base; /* due and position that an item of 0 stands for */
    uint64_t *items;
    size_t count, heaped, room; /* items[0 .. heaped) are a heap, the rest is yet to join it */
    size_t limit;
    struct wl_run runs[WL_QUEUE_RUNS];
    size_t run_count;
    int file; /* -1: none yet */
    uint64_t file_end;
    struct wl_segments *segments;
};

struct wl_item {
    uint64_t due, position;
    bool message; /* false: a cancel */
};

void wl_queue_open(struct wl_queue *queue, struct wl_segments *segments, uint64_t start,
                   uint64_t base);
void wl_queue_close(struct wl_queue *queue);
/* False without memory. */
bool wl_queue_push(struct wl_queue *queue, struct wl_item item);
/* The first item, which stays; false: there is none, or *failed is set: a run could not be read. */
bool wl_queue_peek(struct wl_queue *queue, struct wl_item *item, bool *failed);
/* Takes away the item that peek gave. */
void wl_queue_pop(struct wl_queue *queue);
uint64_t wl_queue_bytes(const struct wl_queue *queue);

#endif
