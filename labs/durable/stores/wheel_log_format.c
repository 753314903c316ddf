/* wheel_log_format.c - reads and writes entries and file headers of a wheel-log, byte by byte. */
#include "wheel_log_format.h"

#define XXH_INLINE_ALL
#include <xxhash.h>

static const unsigned char magic[8] = {'t', 'w', 'w', 'h', 'e', 'e', 'l', '\n'};

#define BACK_BITS   42u
#define SIZE_BITS   17u
#define HEADER_BODY (WL_FILE_HEADER_BYTES - 4u)

uint64_t wl_load(const unsigned char *from, unsigned bytes)
{
    uint64_t value = 0;
    for (unsigned i = bytes; i-- > 0;)
        value = value << 8 | from[i];
    return value;
}

void wl_store(unsigned char *to, unsigned bytes, uint64_t value)
{
    for (unsigned i = 0; i < bytes; i++)
        to[i] = (unsigned char)(value >> (8 * i));
}

uint32_t wl_check(const void *bytes, size_t size, uint64_t seed)
{
    return (uint32_t)XXH3_64bits_withSeed(bytes, size, seed);
}

void wl_entry_write(unsigned char *to, const struct wl_entry *entry, uint64_t position)
{
    wl_store(to + 4, 4, entry->body_check);
    wl_store(to + 8, 8,
             entry->back | (uint64_t)entry->size << BACK_BITS |
                 (uint64_t)entry->kind << (BACK_BITS + SIZE_BITS));
    wl_store(to + 16, 6, entry->due);
    wl_store(to + 22, 8, entry->key);
    wl_store(to, 4, wl_check(to + 4, WL_ENTRY_BYTES - 4, position));
}

bool wl_entry_read(const unsigned char *from, struct wl_entry *entry, uint64_t position)
{
    uint64_t word = wl_load(from + 8, 8);
    entry->body_check = (uint32_t)wl_load(from + 4, 4);
    entry->back = word & WL_BACK_MAX;
    entry->size = (uint32_t)(word >> BACK_BITS) & ((1u << SIZE_BITS) - 1);
    entry->kind = (unsigned)(word >> (BACK_BITS + SIZE_BITS));
    entry->due = wl_load(from + 16, 6);
    entry->key = wl_load(from + 22, 8);
    /* Cheap refusals first: a search for the next record asks at every byte. */
    unsigned kind = wl_kind_of(entry);
    return kind >= WL_PUT && kind <= WL_BRIDGE && entry->size <= WL_BODY_MAX &&
           entry->back <= position &&
           (uint32_t)wl_load(from, 4) == wl_check(from + 4, WL_ENTRY_BYTES - 4, position);
}

void wl_header_write(unsigned char *to, const struct wl_file_header *header)
{
    memset(to, 0, WL_FILE_HEADER_BYTES);
    memcpy(to, magic, sizeof magic);
    wl_store(to + 8, 4, header->version);
    wl_store(to + 12, 4, header->kind);
    wl_store(to + 16, 8, header->number);
    wl_store(to + 24, 4, header->slot_ms);
    wl_store(to + 28, 4, header->slots);
    wl_store(to + 32, 4, header->hours);
    wl_store(to + HEADER_BODY, 4, wl_check(to, HEADER_BODY, 0));
}

enum wl_header_state wl_header_read(const unsigned char *from, struct wl_file_header *header)
{
    header->version = (uint32_t)wl_load(from + 8, 4);
    header->kind = (uint32_t)wl_load(from + 12, 4);
    header->number = wl_load(from + 16, 8);
    header->slot_ms = (uint32_t)wl_load(from + 24, 4);
    header->slots = (uint32_t)wl_load(from + 28, 4);
    header->hours = (uint32_t)wl_load(from + 32, 4);
    if (memcmp(from, magic, sizeof magic) != 0 ||
        (uint32_t)wl_load(from + HEADER_BODY, 4) != wl_check(from, HEADER_BODY, 0))
        return WL_HEADER_DAMAGED;
    return header->version == WL_VERSION ? WL_HEADER_GOOD : WL_HEADER_OTHER_VERSION;
}
