/* hash.h - FNV-1a, of 64 bits, for what stays on this machine: of 10^9 texts two share a number with a chance of 3 %. */
#ifndef TWBENCH_HASH_H
#define TWBENCH_HASH_H

#include "harness/base/libc.h"

#define HASH_BEGIN UINT64_C(0xcbf29ce484222325)

static inline uint64_t hash_bytes(uint64_t hash, const void *bytes, size_t size)
{
    for (size_t i = 0; i < size; i++)
        hash = (hash ^ ((const unsigned char *)bytes)[i]) * UINT64_C(0x100000001b3);
    return hash;
}

/* With its end, so that "ab", "c" differs from "a", "bc". */
static inline uint64_t hash_text(uint64_t hash, const char *text)
{
    return hash_bytes(hash, text, strlen(text) + 1);
}

#endif
