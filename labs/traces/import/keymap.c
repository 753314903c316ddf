/* keymap.c - maps addresses to ids: an open-addressing hash table. */
#include "labs/traces/import/import.h"

#include "harness/base/memory.h"

enum { TABLE_FIRST = 64 };

void keymap_close(struct keymap *map)
{
    free(map->keys);
    free(map->table);
    *map = (struct keymap){0};
}

/* Addresses differ in their middle bits and fds in their low ones, so all of them are mixed: the
 * multiplier is 2^64 divided by the golden ratio (Knuth, TAOCP 3, 6.4). */
static uint32_t place_of(const struct keymap *map, uint64_t key)
{
    return (uint32_t)((key * UINT64_C(0x9e3779b97f4a7c15)) >> 32) & map->mask;
}

uint32_t keymap_find(const struct keymap *map, uint64_t key)
{
    if (map->mask == 0)
        return KEYMAP_NONE;
    for (uint32_t place = place_of(map, key); map->table[place]; place = (place + 1) & map->mask)
        if (map->keys[map->table[place] - 1] == key)
            return map->table[place] - 1;
    return KEYMAP_NONE;
}

static void place_number(struct keymap *map, uint32_t number)
{
    uint32_t place = place_of(map, map->keys[number]);
    while (map->table[place])
        place = (place + 1) & map->mask;
    map->table[place] = number + 1;
}

static void table_grow(struct keymap *map)
{
    uint32_t places = map->mask ? (map->mask + 1) * 2 : TABLE_FIRST;
    free(map->table);
    map->table = memory_take(places, sizeof *map->table);
    map->mask = places - 1;
    for (uint32_t number = 0; number < map->count; number++)
        place_number(map, number);
}

uint32_t keymap_add(struct keymap *map, uint64_t key)
{
    uint32_t number = keymap_find(map, key);
    if (number != KEYMAP_NONE)
        return number;
    memory_room(&map->keys, map->count, &map->room, sizeof *map->keys);
    if (map->mask == 0 || map->count * 2 >= map->mask)
        table_grow(map);
    map->keys[map->count++] = key;
    place_number(map, map->count - 1);
    return map->count - 1;
}
