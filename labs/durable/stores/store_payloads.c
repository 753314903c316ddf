/* store_payloads.c - the payloads of one poll in blocks that do not move, and the seal of a message. */
#include "store_payloads.h"

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

uint32_t store_seal(uint64_t key, uint64_t due_ms, const void *payload, size_t size)
{
    XXH64_hash_t of_name = XXH3_64bits(&(uint64_t[2]){key, due_ms}, 16);
    return (uint32_t)XXH3_64bits_withSeed(size > 0 ? payload : "", size, of_name);
}
