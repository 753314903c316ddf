/* wheel_log_heads.c - the heads of a wheel-log's slots, by rounds and pages. */
#include "wheel_log_heads.h"

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
