/* wheel_log_heads.c - the heads of a wheel-log's slots, by rounds and pages. */
#include "wheel_log.h"

#define XXH_INLINE_ALL
#include <xxhash.h>

#include <stdlib.h>

struct place {
    size_t page, head;
    uint64_t round;
};

static struct place place_of(const struct wl_wheel *wheel, bool coarse, uint64_t due)
{
    const struct wl_geometry *geometry = &wheel->geometry;
    if (coarse) {
        uint64_t hour = wl_hour(wheel, due), round = hour / geometry->hours;
        return (struct place){WL_COARSE_PAGE + (size_t)(round % WL_COARSE_ROUNDS),
                              (size_t)(hour % geometry->hours), round};
    }
    uint64_t tick = wl_tick(wheel, due), round = tick / geometry->slots;
    size_t slot = (size_t)(tick % geometry->slots);
    return (struct place){(size_t)(round % WL_FINE_ROUNDS) * WL_FINE_PARTS + slot / WL_PAGE_HEADS,
                          slot % WL_PAGE_HEADS, round};
}

uint64_t wl_round(const struct wl_wheel *wheel, bool coarse, uint64_t due)
{
    return place_of(wheel, coarse, due).round;
}

uint64_t wl_head(const struct wl_wheel *wheel, bool coarse, uint64_t due)
{
    struct place place = place_of(wheel, coarse, due);
    const struct wl_page *page = wheel->pages[place.page];
    return page && page->round == place.round ? page->heads[place.head] : 0;
}

bool wl_head_make(struct wl_wheel *wheel, bool coarse, uint64_t due)
{
    struct place place = place_of(wheel, coarse, due);
    struct wl_page *page = wheel->pages[place.page];
    if (page)
        return page->round == place.round;
    if (place.round - wheel->oldest[coarse] >= (coarse ? WL_COARSE_ROUNDS : WL_FINE_ROUNDS))
        return false;
    page = calloc(1, sizeof *page);
    if (!page)
        return false;
    page->round = place.round;
    page->dirty[0] = page->dirty[1] = true;
    wheel->pages[place.page] = page;
    wheel->pages_held++;
    return true;
}

void wl_head_set(struct wl_wheel *wheel, bool coarse, uint64_t due, uint64_t position)
{
    struct place place = place_of(wheel, coarse, due);
    struct wl_page *page = wheel->pages[place.page];
    page->heads[place.head] = position;
    page->dirty[0] = page->dirty[1] = true;
}

uint64_t wl_next_entry(const struct wl_wheel *wheel, bool coarse, uint64_t due, uint64_t end)
{
    uint64_t width = coarse ? wl_hour_ms(wheel) : wheel->geometry.slot_ms;
    for (uint64_t at = due; at < end;) {
        struct place place = place_of(wheel, coarse, at);
        const struct wl_page *page = wheel->pages[place.page];
        if (page && page->round == place.round && page->heads[place.head])
            return at;
        uint64_t steps = 1;
        if (!page || page->round != place.round) {
            /* No entry on the whole page: on to the next one, or to the next round. */
            size_t heads = coarse ? wheel->geometry.hours : wheel->geometry.slots;
            size_t before = coarse ? 0 : (place.page % WL_FINE_PARTS) * WL_PAGE_HEADS;
            size_t left = heads - before < WL_PAGE_HEADS ? heads - before : WL_PAGE_HEADS;
            steps = left - place.head;
        }
        at = (at / width + steps) * width;
    }
    return end;
}

static void page_free(struct wl_wheel *wheel, size_t number)
{
    if (wheel->pages[number])
        wheel->pages_held--;
    free(wheel->pages[number]);
    wheel->pages[number] = NULL;
}

void wl_wheel_free_before(struct wl_wheel *wheel, uint64_t now_ms)
{
    uint64_t fine = wl_round(wheel, false, now_ms), coarse = wl_round(wheel, true, now_ms);
    wheel->oldest[0] = fine;
    wheel->oldest[1] = coarse;
    for (size_t i = 0; i < WL_PAGES; i++)
        if (wheel->pages[i] && wheel->pages[i]->round < (i < WL_COARSE_PAGE ? fine : coarse))
            page_free(wheel, i);
}

void wl_wheel_close(struct wl_wheel *wheel)
{
    for (size_t i = 0; i < WL_PAGES; i++)
        page_free(wheel, i);
}

/* ---- Reads and writes entries and file headers of a wheel-log, byte by byte. ---- */

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
    wl_store(to + 24, 4, header->geometry.slot_ms);
    wl_store(to + 28, 4, header->geometry.slots);
    wl_store(to + 32, 4, header->geometry.hours);
    wl_store(to + 36, 8, header->over);
    wl_store(to + 44, 8, header->puts);
    wl_store(to + HEADER_BODY, 4, wl_check(to, HEADER_BODY, 0));
}

enum wl_header_state wl_header_read(const unsigned char *from, struct wl_file_header *header)
{
    header->version = (uint32_t)wl_load(from + 8, 4);
    header->kind = (uint32_t)wl_load(from + 12, 4);
    header->number = wl_load(from + 16, 8);
    header->geometry.slot_ms = (uint32_t)wl_load(from + 24, 4);
    header->geometry.slots = (uint32_t)wl_load(from + 28, 4);
    header->geometry.hours = (uint32_t)wl_load(from + 32, 4);
    header->over = wl_load(from + 36, 8);
    header->puts = wl_load(from + 44, 8);
    if (memcmp(from, magic, sizeof magic) != 0 ||
        (uint32_t)wl_load(from + HEADER_BODY, 4) != wl_check(from, HEADER_BODY, 0))
        return WL_HEADER_DAMAGED;
    return header->version == WL_VERSION ? WL_HEADER_GOOD : WL_HEADER_OTHER_VERSION;
}
