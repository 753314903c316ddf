/*
 * wheel_log_heads.h - the two wheels of a wheel-log: where the newest entry of each slot lies.
 *
 *     fine     3600 slots of 1 s      messages of an hour that is open
 *     coarse    240 slots of 1 h      messages of later hours
 *
 *     tick  = due / slot              slot = tick % 3600     round = tick / 3600, the hour
 *     hour  = due / (3600 slots)      slot = hour % 240      round = hour / 240
 *
 * A head is the position of the newest entry of a slot's chain, 8 bytes; that is all that memory holds of a slot,
 * whatever hangs on it.
 *
 * ROUNDS.  In the textbook an entry carries the rounds that it still has to wait, and a slot that comes up is walked
 * past all entries that stay.  On disk a walk is the dearest thing there is, and a segment could not be deleted while the chain of
 * a later round leads through it.  So here each round has heads of its own, made when the first entry
 * needs them and freed when the round is over: a chain never holds an entry of another round.
 * There may be 64 rounds of the fine wheel at once (the hour that runs, the next, and those in which something
 * handed out is not done) and 16 of the coarse one (160 days).
 *
 * PAGES.  512 heads are a page.  A page knows for each of the two checkpoints whether it has changed
 * since that was written: only those are written.
 */
#ifndef TWBENCH_WHEEL_LOG_HEADS_H
#define TWBENCH_WHEEL_LOG_HEADS_H

#include "wheel_log_format.h"

#define WL_PAGE_HEADS    512u
#define WL_PAGE_BYTES    (WL_PAGE_HEADS * 8u)
#define WL_FINE_ROUNDS   64u
#define WL_FINE_PARTS    8u /* pages of a round: 4096 slots */
#define WL_COARSE_ROUNDS 16u
#define WL_COARSE_PAGE   (WL_FINE_ROUNDS * WL_FINE_PARTS) /* number of the first coarse page */
#define WL_PAGES         (WL_COARSE_PAGE + WL_COARSE_ROUNDS)
#define WL_SLOTS_MAX     (WL_FINE_PARTS * WL_PAGE_HEADS)
#define WL_HOURS_MAX     WL_PAGE_HEADS

/* Length of a slot in ms, slots of an hour, hours of a round of the coarse wheel. */
struct wl_geometry {
    uint32_t slot_ms, slots, hours;
};

struct wl_page {
    uint64_t round;
    uint32_t check[2]; /* as written last to checkpoint 0, 1; 0: the page is not in it */
    bool dirty[2];     /* changed since */
    uint64_t heads[WL_PAGE_HEADS];
};

struct wl_wheel {
    struct wl_geometry geometry;
    struct wl_page *pages[WL_PAGES]; /* NULL: no entry in its round */
    uint64_t pages_held;
    uint64_t oldest[2]; /* rounds before these are over: fine, coarse */
};

/* Number of the fine slot that due falls into, counted from time 0. */
static inline uint64_t wl_tick(const struct wl_wheel *wheel, uint64_t due)
{
    return due / wheel->geometry.slot_ms;
}
/* One turn of the fine wheel, in ms. */
static inline uint64_t wl_hour_ms(const struct wl_wheel *wheel)
{
    return (uint64_t)wheel->geometry.slot_ms * wheel->geometry.slots;
}
/* Number of the hour that due falls into, counted from time 0. */
static inline uint64_t wl_hour(const struct wl_wheel *wheel, uint64_t due)
{
    return due / wl_hour_ms(wheel);
}
/* When the slot that due falls into is over, in ms. */
static inline uint64_t wl_slot_end(const struct wl_wheel *wheel, bool coarse, uint64_t due)
{
    uint64_t width = coarse ? wl_hour_ms(wheel) : wheel->geometry.slot_ms;
    return (due / width + 1) * width;
}
/* Do two dues fall into the same slot and round? */
static inline bool wl_same_slot(const struct wl_wheel *wheel, bool coarse, uint64_t a, uint64_t b)
{
    return wl_slot_end(wheel, coarse, a) == wl_slot_end(wheel, coarse, b);
}

/* The round that due falls into. */
uint64_t wl_round(const struct wl_wheel *wheel, bool coarse, uint64_t due);

/* The head of due's slot; 0: no entry. */
uint64_t wl_head(const struct wl_wheel *wheel, bool coarse, uint64_t due);
/* Makes the page of the head if it is not there; false without memory, or if the round is over or too far away. */
bool wl_head_make(struct wl_wheel *wheel, bool coarse, uint64_t due);
/* Sets it; its page is there. */
void wl_head_set(struct wl_wheel *wheel, bool coarse, uint64_t due, uint64_t position);
/* The first due at or behind `due` and before `end` in whose slot there is an entry; `end` if there is none. */
uint64_t wl_next_entry(const struct wl_wheel *wheel, bool coarse, uint64_t due, uint64_t end);
/* Rounds that are over at that time are gone; their pages are freed. */
void wl_wheel_free_before(struct wl_wheel *wheel, uint64_t now_ms);
/* Frees all pages. */
void wl_wheel_close(struct wl_wheel *wheel);

#endif
