/* memory.c - takes memory, or ends the program. */
#include "harness/base/memory.h"

#include <cjson/cJSON.h>

#define ROOM_FIRST 64

static void *there_is(void *memory, size_t bytes)
{
    if (!memory) {
        fprintf(stderr, "twbench: no memory for %zu bytes\n", bytes);
        exit(1);
    }
    return memory;
}

void *memory_take(size_t count, size_t size)
{
    size_t at_least = count > 0 ? count : 1;
    return there_is(calloc(at_least, size > 0 ? size : 1), count * size);
}

void *memory_grow(void *array, size_t count, size_t size)
{
    bool fits = size == 0 || count <= SIZE_MAX / size;
    return there_is(fits ? realloc(array, count * size + (count * size == 0)) : NULL, count * size);
}

void memory_must(bool taken)
{
    if (!taken)
        there_is(NULL, 1);
}

void memory_room(void *array, size_t count, size_t *room, size_t size)
{
    void *old, *larger;
    if (count < *room)
        return;
    *room = *room ? *room * 2 : ROOM_FIRST;
    memcpy(&old, array, sizeof old);
    larger = memory_grow(old, *room, size);
    memcpy(array, &larger, sizeof larger);
}

char *memory_text(const char *text)
{
    return there_is(strdup(text), strlen(text) + 1);
}

static void *take_bytes(size_t bytes)
{
    return there_is(malloc(bytes), bytes);
}

void memory_for_json(void)
{
    cJSON_InitHooks(&(cJSON_Hooks){.malloc_fn = take_bytes, .free_fn = free});
}
