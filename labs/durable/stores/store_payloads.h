/*
 * store_payloads.h - the payloads of one poll, kept until the next, and the seal that shows a damaged one.
 *
 * Blocks never move while a poll adds to them.  A poll ends its run when RUN_BYTES are full, so that memory is bounded
 * whatever the slot holds.
 */
#ifndef TWBENCH_STORE_PAYLOADS_H
#define TWBENCH_STORE_PAYLOADS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A poll hands out no more than this at once, but always one message. */
#define STORE_RUN_BYTES ((size_t)4 << 20)

/* A piece of memory that payloads are copied into, one behind the other. */
struct store_block {
    struct store_block *next;
    size_t room, used;
    unsigned char bytes[];
};

/* All zero: empty. */
struct store_payloads {
    struct store_block *blocks; /* the last one first */
    size_t bytes;               /* in use */
};

/* The payloads of the last poll end; one block is kept. */
void store_payloads_reset(struct store_payloads *payloads);
/* A copy of the bytes, valid until reset; NULL without memory. */
void *store_payloads_copy(struct store_payloads *payloads, const void *bytes, size_t size);
/* Has the poll handed out as much as it may? */
static inline bool store_payloads_full(const struct store_payloads *payloads)
{
    return payloads->bytes >= STORE_RUN_BYTES;
}
/* Bytes of all blocks, used or not. */
size_t store_payloads_memory(const struct store_payloads *payloads);
/* Ends all payloads and gives the last block back; empty afterwards. */
void store_payloads_free(struct store_payloads *payloads);

/* What a message is sealed with: 32 bits over key, due and payload.  A bit that flipped in any of them, or a payload
 * that is there by half, changes it. */
uint32_t store_seal(uint64_t key, uint64_t due_ms, const void *payload, size_t size);

/* 64 bits in the order in which bytes compare as numbers do, for keys of ordered stores. */
static inline void store_put64(unsigned char *out, uint64_t value)
{
    for (int i = 7; i >= 0; i--, value >>= 8)
        out[i] = (unsigned char)value;
}

/* What store_put64 wrote. */
static inline uint64_t store_get64(const unsigned char *in)
{
    uint64_t value = 0;
    for (int i = 0; i < 8; i++)
        value = value << 8 | in[i];
    return value;
}

#endif
