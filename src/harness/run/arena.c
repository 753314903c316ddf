/* arena.c - the few mallctl calls. */
#include "harness/run/arena.h"

#ifdef TWB_JEMALLOC
#include <jemalloc/jemalloc.h>
#include <stdio.h>
#include <sys/types.h>

struct arena arena_enter(bool exact)
{
    struct arena arena = {.available = false};
    size_t size = sizeof arena.index;
    if (mallctl("arenas.create", &arena.index, &size, NULL, 0) != 0)
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
    arena.available = mallctl("thread.arena", NULL, NULL, &arena.index, sizeof arena.index) == 0;
    return arena;
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

struct arena arena_enter(bool exact)
{
    (void)exact;
    return (struct arena){.available = false};
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
