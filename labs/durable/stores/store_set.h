/*
 * store_set.h - a set of keys, each with a value of 64 bits: open addressing, at most half full, no tombstones.
 *
 * For one thread at a time.  All operations O(1) on average; 32 bytes a key at most after growth, 0 when empty.
 */
#ifndef TWBENCH_STORE_SET_H
#define TWBENCH_STORE_SET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A place of the table. */
struct store_pair {
    uint64_t key, value;
    bool used;
};

/* All zero: empty. */
struct store_set {
    struct store_pair *pairs;
    size_t room, count; /* room: a power of two, or 0 */
};

/* Room for so many more keys; false without memory, and then nothing has changed. */
bool store_set_reserve(struct store_set *set, size_t more);
/* Adds the key, or changes its value.  Needs room that was reserved. */
void store_set_add(struct store_set *set, uint64_t key, uint64_t value);
/* The value of the key; NULL if it is not there.  Valid until the next change. */
const uint64_t *store_set_find(const struct store_set *set, uint64_t key);
/* Whether it was there. */
bool store_set_remove(struct store_set *set, uint64_t key);
/* Empty afterwards, and may be used again. */
void store_set_free(struct store_set *set);

#endif
