/* store_payloads.c - the payloads of one poll in blocks that do not move, and the seal of a message. */
#include "store_parts.h"

#include <stdlib.h>
#include <string.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

#define BLOCK_BYTES ((size_t)256 << 10)

void store_payloads_reset(struct store_payloads *payloads)
{
    struct store_block *kept = payloads->blocks;
    payloads->bytes = 0;
    if (!kept)
        return;
    for (struct store_block *block = kept->next, *next; block; block = next) {
        next = block->next;
        free(block);
    }
    kept->next = NULL;
    kept->used = 0;
}

void *store_payloads_copy(struct store_payloads *payloads, const void *bytes, size_t size)
{
    struct store_block *block = payloads->blocks;
    if (!block || block->room - block->used < size) {
        size_t room = size > BLOCK_BYTES ? size : BLOCK_BYTES;
        block = malloc(sizeof *block + room);
        if (!block)
            return NULL;
        *block = (struct store_block){.next = payloads->blocks, .room = room};
        payloads->blocks = block;
    }
    unsigned char *copy = block->bytes + block->used;
    if (size > 0)
        memcpy(copy, bytes, size);
    block->used += size;
    payloads->bytes += size;
    return copy;
}

size_t store_payloads_memory(const struct store_payloads *payloads)
{
    size_t bytes = 0;
    for (const struct store_block *block = payloads->blocks; block; block = block->next)
        bytes += sizeof *block + block->room;
    return bytes;
}

void store_payloads_free(struct store_payloads *payloads)
{
    store_payloads_reset(payloads);
    free(payloads->blocks);
    payloads->blocks = NULL;
}

uint32_t store_seal(const struct tw_message *message)
{
    XXH64_hash_t of_name = XXH3_64bits(&(uint64_t[2]){message->key, message->due_ms}, 16);
    const void *payload = message->size > 0 ? message->payload : "";
    return (uint32_t)XXH3_64bits_withSeed(payload, message->size, of_name);
}

void store_sealed_put(void *to, const struct tw_message *message)
{
    uint32_t seal = store_seal(message);
    memcpy(to, &seal, sizeof seal);
    if (message->size > 0)
        memcpy((unsigned char *)to + sizeof seal, message->payload, message->size);
}

bool store_sealed_fits(const void *kept, size_t size, uint64_t key, uint64_t due_ms)
{
    uint32_t seal;
    if (size < sizeof seal)
        return false;
    memcpy(&seal, kept, sizeof seal);
    return seal == store_seal(&(struct tw_message){.key = key,
                                                   .due_ms = due_ms,
                                                   .payload = (const char *)kept + sizeof seal,
                                                   .size = (uint32_t)(size - sizeof seal)});
}

/* ---- A set of keys with values: open addressing, removal by moving back what follows. ---- */

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
