/* wheel_log_queue.c - a heap of numbers that spills sorted runs into a file without a name. */
#include "wheel_log_queue.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

#define DUE_SHIFT 42u

static uint64_t item_pack(const struct wl_queue *queue, struct wl_item item)
{
    return (item.due - queue->start) << DUE_SHIFT | (item.position - queue->base) << 1 |
           (item.message ? 1u : 0u);
}

static struct wl_item item_unpack(const struct wl_queue *queue, uint64_t packed)
{
    return (struct wl_item){queue->start + (packed >> DUE_SHIFT),
                            queue->base + (packed >> 1 & (WL_LOG_MAX - 1)), (packed & 1) != 0};
}

void wl_queue_open(struct wl_queue *queue, struct wl_segments *segments, uint64_t start,
                   uint64_t base)
{
    *queue = (struct wl_queue){
        .start = start, .base = base, .limit = WL_QUEUE_ITEMS, .file = -1, .segments = segments};
}

void wl_queue_close(struct wl_queue *queue)
{
    for (size_t i = 0; i < queue->run_count; i++)
        free(queue->runs[i].piece);
    free(queue->items);
    if (queue->file >= 0)
        close(queue->file);
    *queue = (struct wl_queue){.file = -1};
}

/* ---- The heap. -------------------------------------------------------------------------------- */

static void sink(uint64_t *items, size_t count, size_t at)
{
    uint64_t item = items[at];
    for (;;) {
        size_t child = 2 * at + 1;
        if (child >= count)
            break;
        if (child + 1 < count && items[child + 1] < items[child])
            child++;
        if (items[child] >= item)
            break;
        items[at] = items[child];
        at = child;
    }
    items[at] = item;
}

static void climb(uint64_t *items, size_t at)
{
    uint64_t item = items[at];
    while (at > 0 && items[(at - 1) / 2] > item) {
        items[at] = items[(at - 1) / 2];
        at = (at - 1) / 2;
    }
    items[at] = item;
}

/* Lets those that were pushed since join the heap: one by one, or all at once where they are many. */
static void heap_join(struct wl_queue *queue)
{
    if (queue->heaped == queue->count)
        return;
    if (queue->count - queue->heaped > queue->heaped / 8)
        for (size_t at = queue->count / 2; at-- > 0;)
            sink(queue->items, queue->count, at);
    else
        for (size_t at = queue->heaped; at < queue->count; at++)
            climb(queue->items, at);
    queue->heaped = queue->count;
}

/* ---- Runs. ------------------------------------------------------------------------------------ */

static int by_value(const void *a, const void *b)
{
    uint64_t left = *(const uint64_t *)a, right = *(const uint64_t *)b;
    return (left > right) - (left < right);
}

static bool file_ready(struct wl_queue *queue)
{
    if (queue->file < 0)
        queue->file = openat(queue->segments->directory, ".", O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
    return queue->file >= 0;
}

/* The file lives no longer than the process, so the bytes of its numbers may be the machine's. */
static bool file_write(struct wl_queue *queue, const uint64_t *items, size_t count)
{
    size_t size = count * sizeof *items;
    const char *from = (const char *)items;
    while (size > 0) {
        ssize_t wrote = pwrite(queue->file, from, size, (off_t)queue->file_end);
        if (wrote < 0 && errno == EINTR)
            continue;
        if (wrote <= 0)
            return false;
        atomic_fetch_add(&queue->segments->written_bytes, (uint64_t)wrote);
        from += wrote;
        size -= (size_t)wrote;
        queue->file_end += (uint64_t)wrote;
    }
    return true;
}

/* Is there an item left in the run?  Reads its next piece if need be. */
static bool run_ready(struct wl_queue *queue, struct wl_run *run, bool *failed)
{
    if (run->at < run->got)
        return true;
    uint64_t left = run->end - run->offset;
    if (left == 0)
        return false;
    size_t size = WL_RUN_PIECE * sizeof *run->piece;
    if (size > left)
        size = (size_t)left;
    if (pread(queue->file, run->piece, size, (off_t)run->offset) != (ssize_t)size) {
        *failed = true;
        return false;
    }
    run->offset += size;
    run->at = 0;
    run->got = size / sizeof *run->piece;
    return true;
}

/* The run with the least first item; NULL: all are empty. */
static struct wl_run *run_least(struct wl_queue *queue, bool *failed)
{
    struct wl_run *least = NULL;
    for (size_t i = 0; i < queue->run_count; i++) {
        struct wl_run *run = &queue->runs[i];
        if (run_ready(queue, run, failed) &&
            (!least || run->piece[run->at] < least->piece[least->at]))
            least = run;
    }
    return least;
}

static bool runs_merge(struct wl_queue *queue)
{
    bool failed = false;
    uint64_t start = queue->file_end;
    uint64_t *piece = malloc(WL_RUN_PIECE * sizeof *piece);
    size_t count = 0;
    if (!piece)
        return false;
    for (struct wl_run *run; !failed && (run = run_least(queue, &failed));) {
        piece[count++] = run->piece[run->at++];
        if (count == WL_RUN_PIECE) {
            failed = !file_write(queue, piece, count);
            count = 0;
        }
    }
    failed = failed || !file_write(queue, piece, count);
    if (failed) {
        free(piece);
        return false;
    }
    for (size_t i = 0; i < queue->run_count; i++)
        free(queue->runs[i].piece);
    queue->runs[0] = (struct wl_run){.piece = piece, .offset = start, .end = queue->file_end};
    queue->run_count = 1;
    return true;
}

/* Moves all items to a run of their own.  False: there is no room for it, and nothing has changed but that the runs may be
 * one now. */
static bool spill(struct wl_queue *queue)
{
    if (!file_ready(queue) || (queue->run_count == WL_QUEUE_RUNS && !runs_merge(queue)))
        return false;
    uint64_t start = queue->file_end;
    struct wl_run run = {.piece = malloc(WL_RUN_PIECE * sizeof *run.piece), .offset = start};
    qsort(queue->items, queue->count, sizeof *queue->items, by_value); /* which is a heap, too */
    queue->heaped = queue->count;
    if (!run.piece || !file_write(queue, queue->items, queue->count)) {
        free(run.piece);
        queue->file_end = start;
        return false;
    }
    run.end = queue->file_end;
    queue->runs[queue->run_count++] = run;
    queue->count = queue->heaped = 0;
    return true;
}

/* ---- What the drain calls. -------------------------------------------------------------------- */

bool wl_queue_push(struct wl_queue *queue, struct wl_item item)
{
    if (queue->count >= queue->limit && !spill(queue))
        queue->limit *= 2;
    if (queue->count == queue->room) {
        size_t room = queue->room ? queue->room * 2 : 1024;
        uint64_t *items = realloc(queue->items, room * sizeof *items);
        if (!items)
            return false;
        queue->items = items;
        queue->room = room;
    }
    queue->items[queue->count++] = item_pack(queue, item);
    return true;
}

bool wl_queue_peek(struct wl_queue *queue, struct wl_item *item, bool *failed)
{
    heap_join(queue);
    const struct wl_run *run = run_least(queue, failed);
    if (*failed || (!run && queue->count == 0))
        return false;
    uint64_t least = run ? run->piece[run->at] : UINT64_MAX;
    if (queue->count && queue->items[0] < least)
        least = queue->items[0];
    *item = item_unpack(queue, least);
    return true;
}

void wl_queue_pop(struct wl_queue *queue)
{
    bool failed = false;
    struct wl_run *run = run_least(queue, &failed);
    if (run && (queue->count == 0 || run->piece[run->at] <= queue->items[0])) {
        run->at++;
        return;
    }
    queue->items[0] = queue->items[--queue->count];
    queue->heaped = queue->count;
    if (queue->count)
        sink(queue->items, queue->count, 0);
}

uint64_t wl_queue_bytes(const struct wl_queue *queue)
{
    return queue->room * sizeof *queue->items + queue->run_count * WL_RUN_PIECE * sizeof(uint64_t);
}
