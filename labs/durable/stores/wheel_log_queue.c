/* wheel_log_queue.c - heaps of numbers that spill sorted runs into a file without a name. */
#include "wheel_log.h"

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
    free(queue->runs);
    free(queue->items);
    free(queue->out);
    if (queue->file >= 0)
        close(queue->file);
    *queue = (struct wl_queue){.file = -1};
}

/* ---- The heaps. ------------------------------------------------------------------------------- */

/* Number `at` of a heap: the second one grows from the end of the items. */
static uint64_t *heap_at(const struct wl_queue *queue, unsigned side, size_t at)
{
    return side ? &queue->items[queue->room - 1 - at] : &queue->items[at];
}

static void heap_add(struct wl_queue *queue, unsigned side, uint64_t item)
{
    size_t at = queue->count[side]++;
    for (; at > 0 && *heap_at(queue, side, (at - 1) / 2) > item; at = (at - 1) / 2)
        *heap_at(queue, side, at) = *heap_at(queue, side, (at - 1) / 2);
    *heap_at(queue, side, at) = item;
}

static void heap_drop_first(struct wl_queue *queue, unsigned side)
{
    size_t count = --queue->count[side], at = 0;
    uint64_t item = *heap_at(queue, side, count);
    for (size_t child; (child = 2 * at + 1) < count; at = child) {
        if (child + 1 < count && *heap_at(queue, side, child + 1) < *heap_at(queue, side, child))
            child++;
        if (*heap_at(queue, side, child) >= item)
            break;
        *heap_at(queue, side, at) = *heap_at(queue, side, child);
    }
    *heap_at(queue, side, at) = item;
}

/* The heap with the least number; *item is UINT64_MAX if both are empty. */
static unsigned heap_least(const struct wl_queue *queue, uint64_t *item)
{
    uint64_t first[2];
    for (unsigned side = 0; side < 2; side++)
        first[side] = queue->count[side] ? *heap_at(queue, side, 0) : UINT64_MAX;
    unsigned side = first[1] < first[0];
    *item = first[side];
    return side;
}

/* Room for twice as many numbers, or for the first; false without memory. */
static bool heaps_grow(struct wl_queue *queue)
{
    size_t room = queue->room ? queue->room * 2 : 1024, behind = queue->count[1];
    uint64_t *items = realloc(queue->items, room * sizeof *items);
    if (!items)
        return false;
    memmove(items + room - behind, items + queue->room - behind, behind * sizeof *items);
    queue->items = items;
    queue->room = room;
    return true;
}

/* ---- Runs. ------------------------------------------------------------------------------------ */

static bool file_ready(struct wl_queue *queue)
{
    if (queue->file < 0)
        queue->file = openat(queue->segments->directory, ".", O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
    return queue->file >= 0;
}

/* Writes what is ready of the run.  The file lives no longer than the process, so the bytes of its numbers may be the machine's.
 * False: it still is ready. */
static bool out_write(struct wl_queue *queue)
{
    size_t size = queue->out_count * sizeof *queue->out;
    const char *from = (const char *)queue->out;
    struct wl_run *run = &queue->runs[queue->run_count - 1];
    uint64_t end = run->end;
    while (size > 0) {
        ssize_t wrote = pwrite(queue->file, from, size, (off_t)end);
        if (wrote < 0 && errno == EINTR)
            continue;
        if (wrote <= 0)
            return false;
        atomic_fetch_add(&queue->segments->written_bytes, (uint64_t)wrote);
        from += wrote;
        size -= (size_t)wrote;
        end += (uint64_t)wrote;
    }
    run->end = end;
    queue->out_count = 0;
    return true;
}

/* Is there an item left in the run?  Takes its next piece if need be, from the file or as it is about to be written. */
static bool run_ready(struct wl_queue *queue, struct wl_run *run, bool *failed)
{
    if (run->at < run->got)
        return true;
    uint64_t left = run->end - run->offset;
    if (left == 0) {
        if (!queue->running || run != &queue->runs[queue->run_count - 1] || !queue->out_count)
            return false;
        memcpy(run->piece, queue->out, queue->out_count * sizeof *run->piece);
        run->at = 0;
        run->got = queue->out_count;
        queue->out_count = 0;
        return true;
    }
    size_t size = WL_RUN_PIECE * sizeof *run->piece;
    if (size > left)
        size = (size_t)left;
    if (wl_file_read(queue->file, run->piece, size, run->offset) != (ssize_t)size) {
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

static bool run_begin(struct wl_queue *queue)
{
    uint64_t from = queue->run_count ? queue->runs[queue->run_count - 1].end : 0;
    struct wl_run *runs = realloc(queue->runs, (queue->run_count + 1) * sizeof *runs);
    if (!runs)
        return false;
    queue->runs = runs;
    if (!queue->out)
        queue->out = malloc(WL_RUN_PIECE * sizeof *queue->out);
    uint64_t *piece = queue->out && file_ready(queue) ? malloc(WL_RUN_PIECE * sizeof *piece) : NULL;
    if (!piece)
        return false;
    runs[queue->run_count++] = (struct wl_run){.piece = piece, .offset = from, .end = from};
    queue->running = true;
    queue->last = 0;
    return true;
}

/* Moves the least item to a run, and so makes room for one.  False: there is no room for it on the disk, and no item has
 * moved. */
static bool spill(struct wl_queue *queue)
{
    if (queue->running && queue->out_count == WL_RUN_PIECE && !out_write(queue))
        return false;
    if (queue->running && queue->count[queue->side] == 0) {
        if (!out_write(queue))
            return false;
        queue->running = false;
        queue->side = !queue->side;
    }
    if (!queue->running && !run_begin(queue))
        return false;
    if (queue->count[queue->side] == 0)
        queue->side = !queue->side;
    queue->last = queue->out[queue->out_count++] = *heap_at(queue, queue->side, 0);
    heap_drop_first(queue, queue->side);
    return true;
}

/* ---- What the drain calls. -------------------------------------------------------------------- */

bool wl_queue_push(struct wl_queue *queue, struct wl_item item)
{
    uint64_t packed = item_pack(queue, item);
    size_t held = queue->count[0] + queue->count[1];
    if (held >= queue->limit && !spill(queue))
        queue->limit *= 2;
    else if (held >= queue->limit)
        held--;
    if (held == queue->room && !heaps_grow(queue))
        return false;
    heap_add(queue, queue->running && packed < queue->last ? !queue->side : queue->side, packed);
    return true;
}

bool wl_queue_peek(struct wl_queue *queue, struct wl_item *item, bool *failed)
{
    uint64_t least;
    heap_least(queue, &least);
    const struct wl_run *run = run_least(queue, failed);
    if (run && run->piece[run->at] < least)
        least = run->piece[run->at];
    if (*failed || least == UINT64_MAX)
        return false;
    *item = item_unpack(queue, least);
    return true;
}

void wl_queue_pop(struct wl_queue *queue)
{
    bool failed = false;
    uint64_t least;
    unsigned side = heap_least(queue, &least);
    struct wl_run *run = run_least(queue, &failed);
    if (run && run->piece[run->at] <= least)
        run->at++;
    else
        heap_drop_first(queue, side);
}

uint64_t wl_queue_bytes(const struct wl_queue *queue)
{
    return (queue->room + (queue->run_count + (queue->out != NULL)) * WL_RUN_PIECE) *
           sizeof *queue->items;
}
