/* wheel_log_chain.c - walks a slot's chain backwards on disk, and finds it again behind damage. */
#include "wheel_log.h"

void wl_chain_begin(struct wl_chain *chain, bool coarse, uint64_t due, uint64_t head, uint64_t stop)
{
    chain->coarse = coarse;
    chain->due = due;
    chain->at = head;
    chain->stop = stop;
    chain->bridges = 0;
}

void wl_chain_close(struct wl_chain *chain)
{
    wl_window_close(&chain->window);
}

static bool in_chain(const struct wl_chain *chain, const struct wl_entry *entry)
{
    return wl_chained(entry) && !!(entry->kind & WL_COARSE) == chain->coarse &&
           wl_same_slot(chain->wheel, chain->coarse, entry->due, chain->due);
}

/* The newest entry of the chain in that piece of a segment, in *found; 0: none. */
static enum wl_read newest_in(struct wl_chain *chain, uint64_t from, uint64_t to, uint64_t *found)
{
    struct wl_scan scan;
    struct wl_record record;
    enum wl_found what;
    *found = 0;
    wl_scan_begin(&scan, chain->segments, from, to);
    while ((what = wl_scan_next(&scan, &record)) != WL_FOUND_END && what != WL_FOUND_ERROR)
        if ((what == WL_FOUND_RECORD || what == WL_FOUND_BAD_BODY) &&
            in_chain(chain, &record.entry))
            *found = record.position;
    wl_scan_end(&scan);
    return what == WL_FOUND_ERROR ? WL_READ_ERROR : WL_READ_OK;
}

/* The newest entry of the chain before that position, in chain->at; 0: none. */
static enum wl_read chain_search(struct wl_chain *chain, uint64_t before)
{
    struct wl_span span;
    chain->at = 0;
    while (before > chain->stop && before > 0 &&
           wl_segments_span(chain->segments, before - 1, &span)) {
        uint64_t from = span.base + WL_FILE_HEADER_BYTES;
        uint64_t to = before < span.end ? before : span.end, found;
        if (from < to) {
            if (newest_in(chain, from, to, &found) != WL_READ_OK)
                return WL_READ_ERROR;
            if (found) {
                chain->at = found;
                return WL_READ_OK;
            }
        }
        before = span.base;
    }
    return WL_READ_OK;
}

static bool over_bridge(struct wl_chain *chain)
{
    for (size_t i = 0; i < chain->bridges; i++)
        if (chain->from[i] == chain->at) {
            chain->at = chain->to[i];
            return true;
        }
    return false;
}

/* The entry at chain->at, if it is whole and of this chain. */
static enum wl_read entry_at(struct wl_chain *chain, struct wl_entry *entry, const char **what)
{
    const unsigned char *bytes;
    *what = "entry: its file is missing or too short; the rest of its slot was searched for";
    enum wl_read read =
        wl_window_at(&chain->window, chain->segments, chain->at, WL_ENTRY_BYTES, &bytes);
    if (read != WL_READ_OK)
        return read;
    *what = "entry: checksum differs; the rest of its slot was searched for";
    if (!wl_entry_read(bytes, entry, chain->at) || !in_chain(chain, entry))
        return WL_READ_ABSENT;
    /* The body comes along: it is wanted soon. */
    wl_window_expect(&chain->window, WL_ENTRY_BYTES + entry->size);
    return WL_READ_OK;
}

static enum wl_read bridge_keep(struct wl_chain *chain, const struct wl_entry *entry,
                                uint64_t position)
{
    const unsigned char *bytes;
    enum wl_read read = wl_window_at(&chain->window, chain->segments, position + WL_ENTRY_BYTES,
                                     entry->size, &bytes);
    if (read == WL_READ_OK && entry->size == 8 && chain->bridges < WL_BRIDGES &&
        wl_check(bytes, 8, 0) == entry->body_check) {
        chain->from[chain->bridges] = entry->key;
        chain->to[chain->bridges++] = wl_load(bytes, 8);
    }
    return read;
}

enum wl_step wl_chain_next(struct wl_chain *chain, struct wl_entry *entry, uint64_t *position)
{
    while (chain->at > chain->stop) {
        const char *what;
        if (over_bridge(chain))
            continue;
        enum wl_read read = entry_at(chain, entry, &what);
        if (read == WL_READ_ABSENT) {
            uint64_t lost = chain->at;
            wl_damage_log(chain->damage, lost, what, UINT64_MAX);
            read = chain_search(chain, lost);
            if (read == WL_READ_OK)
                continue;
        }
        if (read == WL_READ_ERROR)
            return WL_STEP_ERROR;
        *position = chain->at;
        chain->at = entry->back ? chain->at - entry->back : 0;
        if (wl_kind_of(entry) != WL_BRIDGE)
            return WL_STEP_ENTRY;
        if (bridge_keep(chain, entry, *position) == WL_READ_ERROR)
            return WL_STEP_ERROR;
    }
    return WL_STEP_END;
}
