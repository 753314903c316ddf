/* arena.c - reads the memory figures of a design's jemalloc arena. */
#include "harness/measure/run/arena.h"

#include "harness/base/rng.h"

#ifdef TWB_JEMALLOC
#include <jemalloc/jemalloc.h>

/* ---- Memory in pages of a chosen size. ------------------------------------------------------- */

/* An arena asks for more and more at a time, twice as much after some steps: so many are not needed. */
#define EXTENTS_MAX 512

/* jemalloc gives back the pointer that it was given, so what belongs to the hooks lies behind them. */
struct arena_pages {
    extent_hooks_t hooks;
    bool huge;
    size_t count;
    struct {
        void *memory;
        size_t bytes;
    } extents[EXTENTS_MAX];
};

static void *extent_alloc(extent_hooks_t *hooks, void *at, size_t bytes, size_t alignment,
                          bool *zero, bool *commit, unsigned index)
{
    struct arena_pages *pages = (struct arena_pages *)hooks;
    (void)index;
    if (at || alignment > HUGEPAGES_BYTES || pages->count == EXTENTS_MAX)
        return NULL;
    void *memory = hugepages_map(bytes, pages->huge);
    if (!memory)
        return NULL;
    pages->extents[pages->count].memory = memory;
    pages->extents[pages->count++].bytes = bytes;
    *zero = true;
    *commit = true;
    return memory;
}

/* Parts of an extent, and neighbours in one, are pages like others: false allows it. */
static bool extent_split(extent_hooks_t *hooks, void *at, size_t bytes, size_t first, size_t second,
                         bool committed, unsigned index)
{
    (void)hooks, (void)at, (void)bytes, (void)first, (void)second, (void)committed, (void)index;
    return false;
}

static bool extent_merge(extent_hooks_t *hooks, void *first, size_t first_bytes, void *second,
                         size_t second_bytes, bool committed, unsigned index)
{
    (void)hooks, (void)first, (void)first_bytes, (void)second, (void)second_bytes, (void)committed;
    (void)index;
    return false;
}

/* It lives as long as the arena, which is as long as the process.  Hooks that are missing refuse: the
 * arena keeps what it has. */
static struct arena_pages *pages_new(enum plan_pages wanted)
{
    struct arena_pages *pages = calloc(1, sizeof *pages);
    if (!pages)
        return NULL;
    pages->hooks.alloc = extent_alloc;
    pages->hooks.split = extent_split;
    pages->hooks.merge = extent_merge;
    pages->huge = wanted == PLAN_PAGES_HUGE;
    return pages;
}

bool arena_count_pages(const struct arena *arena, uint64_t *touched, uint64_t *huge)
{
    *touched = *huge = 0;
    if (arena->available && !arena->pages) {
        bool known = hugepages_of_process(huge);
        *huge -= *huge < arena->huge_before_bytes ? *huge : arena->huge_before_bytes;
        return known;
    }
    bool counted = arena->available;
    for (size_t i = 0; counted && i < arena->pages->count; i++)
        counted = hugepages_count(arena->pages->extents[i].memory, arena->pages->extents[i].bytes,
                                  touched, huge);
    return counted;
}

/* ---- The arena. ------------------------------------------------------------------------------ */

static bool arena_create(struct arena *arena, enum plan_pages pages)
{
    size_t size = sizeof arena->index;
    if (pages == PLAN_PAGES_ANY) {
        (void)hugepages_of_process(&arena->huge_before_bytes);
        return mallctl("arenas.create", &arena->index, &size, NULL, 0) == 0;
    }
    if (pages == PLAN_PAGES_SMALL)
        hugepages_refuse();
    arena->pages = pages_new(pages);
    if (!arena->pages)
        return false;
    extent_hooks_t *hooks = &arena->pages->hooks;
    return mallctl("arenas.create", &arena->index, &size, (void *)&hooks,
                   sizeof(extent_hooks_t *)) == 0;
}

struct arena arena_enter(bool exact, enum plan_pages pages)
{
    struct arena arena = {.available = false};
    if (!arena_create(&arena, pages))
        return arena;
    static const char *const decays[] = {"dirty_decay_ms", "muzzy_decay_ms"};
    for (int i = 0; i < 2; i++) {
        char key[64];
        ssize_t never = -1;
        snprintf(key, sizeof key, "arena.%u.%s", arena.index, decays[i]);
        if (mallctl(key, NULL, NULL, &never, sizeof never) != 0)
            return arena;
    }
    bool cached = !exact;
    if (mallctl("thread.tcache.flush", NULL, NULL, NULL, 0) != 0 ||
        mallctl("thread.tcache.enabled", NULL, NULL, &cached, sizeof cached) != 0)
        return arena;
    size_t size = sizeof arena.taken;
    arena.available = mallctl("thread.allocatedp", &arena.taken, &size, NULL, 0) == 0 &&
                      mallctl("thread.deallocatedp", &arena.given, &size, NULL, 0) == 0 &&
                      mallctl("thread.arena", NULL, NULL, &arena.index, sizeof arena.index) == 0;
    return arena;
}

bool arena_has_changed(const struct arena *arena, uint64_t *seen)
{
    uint64_t before = *seen;
    *seen = arena->available ? *arena->taken + *arena->given + 1 : 0;
    return *seen != before;
}

/* Statistics are a snapshot; writing to "epoch" takes a new one. */
static void arena_refresh(void)
{
    uint64_t epoch = 1;
    mallctl("epoch", NULL, NULL, &epoch, sizeof epoch);
}

static uint64_t arena_stat(const struct arena *arena, const char *name)
{
    char key[64];
    size_t value = 0, size = sizeof value;
    snprintf(key, sizeof key, "stats.arenas.%u.%s", arena->index, name);
    return mallctl(key, &value, &size, NULL, 0) == 0 ? value : 0;
}

uint64_t arena_allocated_bytes(const struct arena *arena)
{
    if (!arena->available)
        return 0;
    arena_refresh();
    return arena_stat(arena, "small.allocated") + arena_stat(arena, "large.allocated");
}

uint64_t arena_resident_bytes(const struct arena *arena)
{
    if (!arena->available)
        return 0;
    arena_refresh();
    return arena_stat(arena, "resident");
}

#else

struct arena arena_enter(bool exact, enum plan_pages pages)
{
    (void)exact, (void)pages;
    return (struct arena){.available = false};
}

bool arena_has_changed(const struct arena *arena, uint64_t *seen)
{
    (void)arena, (void)seen;
    return false;
}

bool arena_count_pages(const struct arena *arena, uint64_t *touched, uint64_t *huge)
{
    (void)arena;
    *touched = *huge = 0;
    return false;
}

uint64_t arena_allocated_bytes(const struct arena *arena)
{
    (void)arena;
    return 0;
}

uint64_t arena_resident_bytes(const struct arena *arena)
{
    (void)arena;
    return 0;
}

#endif

/* ---- Layouts of the heap. -------------------------------------------------------------------- */

#define PAD_CLASSES 8 /* 16 bytes .. 2 KiB */

void *arena_pad(uint64_t number)
{
    struct rng rng;
    void *last = NULL;
    rng_seed(&rng, number, 0);
    for (size_t class = 0; class < PAD_CLASSES && number > 0; class ++)
        for (uint64_t i = rng_below(&rng, 8); i > 0; i--) {
            void **pad = malloc((size_t)16 << class);
            if (!pad)
                return last;
            *pad = last;
            last = pad;
        }
    return last;
}

void arena_unpad(void *pads)
{
    while (pads) {
        void *next = *(void **)pads;
        free(pads);
        pads = next;
    }
}
