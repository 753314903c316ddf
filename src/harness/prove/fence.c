/* fence.c - puts blocks between inaccessible pages, and finds the block of an address.
 *
 * A freed block stays in the table, and its pages without access, until FREED_MAX others have been
 * freed after it; then it is unmapped.  One that was not fenced stays there until the C library gives
 * its address out again.
 */
#include "harness/prove/fence.h"

#include <sys/mman.h>
#include <unistd.h>

#define FREED_MAX     1024u
#define PATTERN_NEW   0xa5 /* what a new block holds: nobody's zero, no pointer, no id */
#define PATTERN_SLACK 0xfd
/* Of a block that is larger than WHOLE_BYTES only this much is filled, at either end: touching all takes its time. */
#define FILLED_BYTES ((size_t)1 << 20)
#define WHOLE_BYTES  ((size_t)256 << 20)
/* Freed blocks up to this size leave what they held to one that is taken later, as an allocator does. */
#define KEPT_BYTES ((size_t)64 << 10)
#define KEPT_MAX   16u
/* What blocks that are larger than this share. */
#define SHARED_BYTES ((size_t)16 << 20)

struct fence {
    enum fence_side side;
    size_t page_bytes;
    struct fence_use use;
    size_t fenced;
    int shared_fd; /* whose pages are those of all large blocks; below 0: they have their own */
    struct block *table; /* `room` of them, a power of two; at most half are in use */
    size_t room, used;
    char *freed[FREED_MAX]; /* where the blocks begin that were freed last, as a ring */
    size_t freed_count;
    struct {
        size_t bytes;
        char *held; /* NULL: nothing yet */
    } kept[KEPT_MAX];
    size_t kept_count, taken;
};

struct fence *fence_open(enum fence_side side, uint64_t bytes_max)
{
    struct fence *fence = calloc(1, sizeof *fence);
    struct block *table = calloc(1024, sizeof *table);
    if (!fence || !table) {
        free(fence);
        free(table);
        return NULL;
    }
    *fence = (struct fence){.side = side,
                            .page_bytes = (size_t)sysconf(_SC_PAGESIZE),
                            .use.bytes_max = bytes_max,
                            .shared_fd = -1,
                            .table = table,
                            .room = 1024};
    return fence;
}

struct fence_use *fence_use(struct fence *fence)
{
    return &fence->use;
}

bool fence_share(struct fence *fence)
{
    fence->shared_fd = memfd_create("blocks", MFD_CLOEXEC);
    return fence->shared_fd >= 0 && ftruncate(fence->shared_fd, (off_t)SHARED_BYTES) == 0;
}

/* ---- The table ------------------------------------------------------------------------------- */

static size_t table_home(const struct fence *fence, const void *start)
{
    return (size_t)(((uintptr_t)start >> 4) * UINT64_C(0x9e3779b97f4a7c15) >> 20) &
           (fence->room - 1);
}

static struct block *table_find(const struct fence *fence, const void *start)
{
    size_t at = table_home(fence, start);
    while (fence->table[at].start && fence->table[at].start != start)
        at = (at + 1) & (fence->room - 1);
    return &fence->table[at];
}

static bool table_grow(struct fence *fence)
{
    struct block *old = fence->table;
    size_t old_room = fence->room;
    struct block *table = calloc(2 * old_room, sizeof *table);
    if (!table)
        return false;
    fence->table = table;
    fence->room = 2 * old_room;
    for (size_t i = 0; i < old_room; i++)
        if (old[i].start)
            *table_find(fence, old[i].start) = old[i];
    free(old);
    return true;
}

static bool table_put(struct fence *fence, const struct block *block)
{
    if (2 * fence->used >= fence->room && !table_grow(fence))
        return false;
    struct block *place = table_find(fence, block->start);
    fence->used += !place->start;
    *place = *block;
    return true;
}

/* Blocks behind the gap move up, so that each is found from its home on. */
static void table_remove(struct fence *fence, struct block *place)
{
    size_t mask = fence->room - 1, gap = (size_t)(place - fence->table);
    for (size_t at = (gap + 1) & mask; fence->table[at].start; at = (at + 1) & mask) {
        size_t home = table_home(fence, fence->table[at].start);
        if (((at - home) & mask) < ((at - gap) & mask))
            continue;
        fence->table[gap] = fence->table[at];
        gap = at;
    }
    fence->table[gap].start = NULL;
    fence->used--;
}

const struct block *fence_find(const struct fence *fence, const void *start)
{
    const struct block *place = table_find(fence, start);
    return place->start ? place : NULL;
}

/* How far from the block; the page in front of its own is taken for its neighbourhood too. */
static bool is_near(const struct fence *fence, const struct block *block, uintptr_t address,
                    uintptr_t *distance)
{
    uintptr_t start = (uintptr_t)block->start, end = start + block->bytes;
    uintptr_t from = (uintptr_t)block->map - fence->page_bytes;
    *distance = address < start ? start - address : address >= end ? address - end : 0;
    return block->start && block->map && address - from < block->map_bytes + fence->page_bytes;
}

const struct block *fence_around(const struct fence *fence, uintptr_t address)
{
    const struct block *nearest = NULL;
    uintptr_t least = UINTPTR_MAX, distance;
    for (size_t i = 0; i < fence->room; i++)
        if (is_near(fence, &fence->table[i], address, &distance) && distance < least) {
            nearest = &fence->table[i];
            least = distance;
        }
    return nearest;
}

/* ---- Blocks ---------------------------------------------------------------------------------- */

/* The pages that belong to the block, without the one that cannot be touched. */
static char *block_pages(const struct fence *fence, const struct block *block)
{
    return fence->side == FENCE_BACK ? block->map : block->map + fence->page_bytes;
}

/* Makes pages accessible.  Those that are shared are entered now, which takes a tenth of what so many faults do. */
static bool pages_open(const struct fence *fence, char *pages, size_t bytes)
{
    if (fence->shared_fd < 0 || bytes <= SHARED_BYTES)
        return mprotect(pages, bytes, PROT_READ | PROT_WRITE) == 0;
    for (size_t at = 0, part; at < bytes; at += part) {
        part = bytes - at < SHARED_BYTES ? bytes - at : SHARED_BYTES;
        if (mmap(pages + at, part, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED | MAP_POPULATE,
                 fence->shared_fd, 0) == MAP_FAILED)
            return false;
    }
    return true;
}

static bool block_map(const struct fence *fence, struct block *block, size_t alignment)
{
    size_t page = fence->page_bytes;
    size_t room = (block->bytes + alignment - 1) / alignment * alignment;
    size_t pages_bytes = room == 0 ? page : (room + page - 1) / page * page;
    block->map_bytes = pages_bytes + page;
    char *map =
        mmap(NULL, block->map_bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (map == MAP_FAILED)
        return false;
    block->map = map;
    char *pages = block_pages(fence, block);
    if (!pages_open(fence, pages, pages_bytes)) {
        munmap(map, block->map_bytes);
        return false;
    }
    block->start = fence->side == FENCE_BACK ? pages + pages_bytes - room : pages;
    char *end = block->start + block->bytes;
    memset(end, PATTERN_SLACK, (size_t)(pages + pages_bytes - end));
    return true;
}

/* Is the pattern behind the block as it was? */
static bool block_is_whole(const struct fence *fence, const struct block *block)
{
    if (!block->map)
        return true;
    const char *end = block_pages(fence, block) + block->map_bytes - fence->page_bytes;
    for (const char *at = block->start + block->bytes; at < end; at++)
        if (*(const unsigned char *)at != PATTERN_SLACK)
            return false;
    return true;
}

/* What a new block holds: the pattern, or what the last freed block of its size held, in turn. */
static void block_fill(struct fence *fence, const struct block *block)
{
    size_t part = block->bytes <= WHOLE_BYTES ? block->bytes : FILLED_BYTES;
    const char *held = NULL;
    for (size_t i = 0; i < KEPT_MAX; i++)
        if (fence->kept[i].bytes == block->bytes && fence->taken++ % 4 != 3)
            held = fence->kept[i].held;
    if (held) {
        memcpy(block->start, held, block->bytes);
        return;
    }
    memset(block->start, PATTERN_NEW, part);
    memset(block->start + block->bytes - part, PATTERN_NEW, part);
}

static void block_keep(struct fence *fence, const struct block *block)
{
    size_t place = 0;
    if (block->bytes == 0 || block->bytes > KEPT_BYTES)
        return;
    while (place < KEPT_MAX && fence->kept[place].bytes != block->bytes)
        place++;
    if (place == KEPT_MAX)
        place = fence->kept_count++ % KEPT_MAX;
    char *held = realloc(fence->kept[place].held, block->bytes);
    if (!held)
        return;
    memcpy(held, block->start, block->bytes);
    fence->kept[place].held = held;
    fence->kept[place].bytes = block->bytes;
}

void *fence_take(struct fence *fence, size_t bytes, size_t alignment, bool is_zeroed,
                 const char *taken_in)
{
    struct block block = {.bytes = bytes, .taken_in = taken_in};
    alignment = alignment < 16 ? 16 : alignment;
    if (fence->use.bytes > fence->use.bytes_max || bytes > fence->use.bytes_max - fence->use.bytes)
        return NULL;
    bool is_fenced = fence->fenced < FENCE_LIVE_MAX && alignment <= fence->page_bytes &&
                     block_map(fence, &block, alignment);
    if (!is_fenced) {
        size_t room = (bytes + alignment - 1) / alignment * alignment;
        block = (struct block){.bytes = bytes, .taken_in = taken_in};
        block.start = aligned_alloc(alignment, room > 0 ? room : alignment);
    }
    block.padding = alignment > fence->page_bytes ? alignment - 1 : 0;
    if (!block.start || !table_put(fence, &block))
        return NULL;
    if (!is_zeroed)
        block_fill(fence, &block);
    else if (!is_fenced) /* new pages are zeros */
        memset(block.start, 0, bytes);
    fence->fenced += is_fenced;
    fence->use.mapped += block.map_bytes;
    fence->use.bytes += bytes;
    fence->use.padding += block.padding;
    return block.start;
}

/* The block that was freed longest ago gives its pages back. */
static void freed_push(struct fence *fence, char *start)
{
    char **oldest = &fence->freed[fence->freed_count++ % FREED_MAX];
    if (*oldest) {
        struct block *place = table_find(fence, *oldest);
        munmap(place->map, place->map_bytes);
        fence->use.mapped -= place->map_bytes;
        table_remove(fence, place);
    }
    *oldest = start;
}

enum fence_answer fence_give(struct fence *fence, void *start, struct block *was)
{
    struct block *place = table_find(fence, start);
    if (!place->start)
        return FENCE_UNKNOWN;
    *was = *place;
    if (place->is_freed)
        return FENCE_TWICE;
    bool is_whole = block_is_whole(fence, place);
    block_keep(fence, place);
    place->is_freed = true;
    fence->use.bytes -= place->bytes;
    fence->use.padding -= place->padding;
    if (place->map) {
        mprotect(place->map, place->map_bytes, PROT_NONE);
        madvise(place->map, place->map_bytes, MADV_DONTNEED);
        fence->fenced--;
        freed_push(fence, start);
    } else {
        free(start);
    }
    return is_whole ? FENCE_OK : FENCE_WRITTEN;
}

size_t fence_forget(struct fence *fence, uint64_t *bytes, struct block *first)
{
    size_t count = 0;
    *bytes = 0;
    for (size_t i = 0; i < fence->room; i++) {
        struct block *block = &fence->table[i];
        if (!block->start || block->is_freed)
            continue;
        if (count++ == 0)
            *first = *block;
        *bytes += block->bytes;
        fence->use.bytes -= block->bytes;
        fence->use.padding -= block->padding;
        fence->fenced -= block->map != NULL;
        block->is_freed = true; /* its pages stay as they are: it may still be used */
    }
    return count;
}
