/* keymap.h - numbers 64-bit keys in the order in which they are first seen.
 *
 * For addresses of timers, delays that are asked for, process numbers: what belongs to a key is kept by
 * the caller in an array, by the key's number.  Keys are never taken out, so a table of numbers with open
 * addressing and linear probing is all it needs: 8 bytes per key and 8 to 16 for its place in the
 * table, where a node of uthash is 56 bytes beside the allocation that holds it.  O(1) expected.
 */
#ifndef TWBENCH_KEYMAP_H
#define TWBENCH_KEYMAP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define KEYMAP_NONE UINT32_MAX

struct keymap {
    uint64_t *keys;  /* by number */
    uint32_t *table; /* number + 1; 0 = empty */
    uint32_t count;
    size_t room;
    uint32_t mask; /* places in the table - 1; 0: there is no table yet */
};

/* A keymap of all zeros is empty; keymap_close leaves it so. */
void keymap_close(struct keymap *map);

/* The key's number, or KEYMAP_NONE. */
uint32_t keymap_find(const struct keymap *map, uint64_t key);
/* The same; a new key becomes number count - 1. */
uint32_t keymap_add(struct keymap *map, uint64_t key);

#endif
