/* store_set.c - a set of keys with values: open addressing, removal by moving back what follows. */
#include "store_set.h"

#include <stdlib.h>

static size_t home_of(const struct store_set *set, uint64_t key)
{
    key ^= key >> 32;
    key *= UINT64_C(0x9e3779b97f4a7c15);
    return (size_t)(key >> 20) & (set->room - 1);
}

/* Where the key is, or where it would be. */
static size_t spot_of(const struct store_set *set, uint64_t key)
{
    size_t at = home_of(set, key);
    while (set->pairs[at].used && set->pairs[at].key != key)
        at = (at + 1) & (set->room - 1);
    return at;
}

bool store_set_reserve(struct store_set *set, size_t more)
{
    size_t room = set->room ? set->room : 16;
    while (room < 2 * (set->count + more))
        room *= 2;
    if (room == set->room)
        return true;
    struct store_set wider = {calloc(room, sizeof *wider.pairs), room, set->count};
    if (!wider.pairs)
        return false;
    for (size_t i = 0; i < set->room; i++)
        if (set->pairs[i].used)
            wider.pairs[spot_of(&wider, set->pairs[i].key)] = set->pairs[i];
    free(set->pairs);
    *set = wider;
    return true;
}

void store_set_add(struct store_set *set, uint64_t key, uint64_t value)
{
    struct store_pair *pair = &set->pairs[spot_of(set, key)];
    set->count += !pair->used;
    *pair = (struct store_pair){key, value, true};
}

const uint64_t *store_set_find(const struct store_set *set, uint64_t key)
{
    if (set->count == 0)
        return NULL;
    const struct store_pair *pair = &set->pairs[spot_of(set, key)];
    return pair->used ? &pair->value : NULL;
}

bool store_set_remove(struct store_set *set, uint64_t key)
{
    if (set->count == 0)
        return false;
    size_t hole = spot_of(set, key), last = set->room - 1;
    if (!set->pairs[hole].used)
        return false;
    /* What follows may be here because this place was taken. */
    for (size_t at = (hole + 1) & last; set->pairs[at].used; at = (at + 1) & last) {
        size_t home = home_of(set, set->pairs[at].key);
        if (((at - home) & last) >= ((at - hole) & last)) {
            set->pairs[hole] = set->pairs[at];
            hole = at;
        }
    }
    set->pairs[hole].used = false;
    set->count--;
    return true;
}

void store_set_free(struct store_set *set)
{
    free(set->pairs);
    *set = (struct store_set){0};
}
