/*
 * wheel_log_ahead.c - has the system read the chains of later hours while hours pass faster than the clock.
 *
 * A chain is a chase: each entry says where the one before it lies, so a walk has one read of the disk under way.  Who was down
 * for a day has a day of hours to hand out, and a head for each: they are chased side by side, by reads that do not wait.  All of
 * it is a hint to the page cache.  What is damaged, the walk finds.
 */
#include "wheel_log.h"

/* How much of an hour is asked for; entries in a row that the page cache had, after which an hour is taken for warm; entries of
 * one step; how much faster than the clock. */
#define HOUR_BYTES (UINT64_C(8) << 20)
#define WARM       64u
#define STEPS      4u
#define FASTER     16u

void wl_ahead_enter(struct tw_store *store, uint64_t hour)
{
    struct wl_chases *chases = &store->chases;
    struct wl_log *log = &store->log;
    uint64_t now_ns = store_monotonic_ns(), hour_ms = wl_hour_ms(&log->wheel);
    uint64_t took_ms = (now_ns - chases->since_ns) / 1000000;
    bool is_fast = chases->since_ns && hour > chases->hour &&
                   took_ms * FASTER < (hour - chases->hour) * hour_ms;
    chases->since_ns = now_ns;
    chases->hour = hour;
    if (!is_fast)
        return;
    wl_log_lock(log);
    for (uint64_t later = hour + 1; later <= hour + WL_CHASES; later++) {
        struct wl_chase *chase = &chases->list[later % WL_CHASES];
        if (chase->hour != later)
            *chase = (struct wl_chase){.hour = later,
                                       .at = wl_head(&log->wheel, true, later * hour_ms),
                                       .record = chase->record};
    }
    wl_log_unlock(log);
}

/* False: it has to wait, or is over. */
static bool chase_step(struct wl_segments *segments, struct wl_chase *chase)
{
    unsigned char bytes[WL_ENTRY_BYTES];
    struct wl_entry entry;
    enum wl_read read = wl_segments_glance(segments, chase->at, bytes, sizeof bytes);
    if (read == WL_READ_ABSENT) {
        if (!chase->is_cold)
            wl_segments_ask(segments, chase->at, WL_ENTRY_BYTES + chase->record);
        chase->is_cold = true;
        return false;
    }
    bool goes_on = read == WL_READ_OK && wl_entry_read(bytes, &entry, chase->at) &&
                   wl_chained(&entry) && (chase->is_cold || chase->warm++ < WARM);
    if (!goes_on) {
        chase->at = 0;
        return false;
    }
    if (chase->is_cold && entry.size > chase->record)
        wl_segments_ask(segments, chase->at, WL_ENTRY_BYTES + entry.size);
    chase->record = entry.size;
    chase->bytes += WL_ENTRY_BYTES + entry.size;
    chase->at = entry.back && chase->bytes < HOUR_BYTES ? chase->at - entry.back : 0;
    if (chase->is_cold && chase->at)
        wl_segments_ask(segments, chase->at, WL_ENTRY_BYTES + chase->record);
    return chase->at != 0;
}

void wl_ahead_step(struct tw_store *store)
{
    for (size_t i = 0; i < WL_CHASES; i++) {
        struct wl_chase *chase = &store->chases.list[i];
        for (unsigned step = 0; step < STEPS && chase->at; step++)
            if (!chase_step(&store->log.segments, chase))
                break;
    }
}
