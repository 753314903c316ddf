/* wheel_log_scan.c - reads a segment of a wheel-log record by record, and finds the next one behind damage. */
#include "wheel_log.h"

void wl_scan_begin(struct wl_scan *scan, struct wl_segments *segments, uint64_t from, uint64_t end)
{
    *scan = (struct wl_scan){.segments = segments, .at = from, .end = end};
}

void wl_scan_end(struct wl_scan *scan)
{
    wl_window_close(&scan->window);
}

/* Is there a whole record at position?  WL_FOUND_RECORD, _BAD_BODY, _GAP if not, _ERROR. */
static enum wl_found record_at(struct wl_scan *scan, uint64_t position, struct wl_record *record)
{
    const unsigned char *bytes;
    if (scan->end - position < WL_ENTRY_BYTES)
        return WL_FOUND_GAP;
    enum wl_read read =
        wl_window_at(&scan->window, scan->segments, position, WL_ENTRY_BYTES, &bytes);
    if (read == WL_READ_ERROR)
        return WL_FOUND_ERROR;
    if (read == WL_READ_ABSENT || !wl_entry_read(bytes, &record->entry, position))
        return WL_FOUND_GAP;
    uint32_t size = record->entry.size;
    if (scan->end - position - WL_ENTRY_BYTES < size)
        return WL_FOUND_GAP;
    read = wl_window_at(&scan->window, scan->segments, position, WL_ENTRY_BYTES + size, &bytes);
    if (read != WL_READ_OK)
        return read == WL_READ_ERROR ? WL_FOUND_ERROR : WL_FOUND_GAP;
    record->position = position;
    record->to = position + WL_ENTRY_BYTES + size;
    record->body = bytes + WL_ENTRY_BYTES;
    unsigned kind = wl_kind_of(&record->entry);
    bool checked = kind == WL_PUT || kind == WL_BRIDGE;
    return !checked || wl_check(record->body, size, 0) == record->entry.body_check
               ? WL_FOUND_RECORD
               : WL_FOUND_BAD_BODY;
}

/* The bytes from `at` on that are in memory, and how many; 0: they cannot be read. */
static size_t piece_at(struct wl_scan *scan, uint64_t at, const unsigned char **bytes)
{
    if (at >= scan->end || wl_window_at(&scan->window, scan->segments, at, 1, bytes) != WL_READ_OK)
        return 0;
    uint64_t end = scan->window.base + scan->window.used;
    return (size_t)((end < scan->end ? end : scan->end) - at);
}

/* The first byte from `at` on that is not zero or cannot be read; the end if there is none. */
static uint64_t behind_zeros(struct wl_scan *scan, uint64_t at)
{
    const unsigned char *bytes;
    for (size_t size; (size = piece_at(scan, at, &bytes)) > 0; at += size)
        for (size_t i = 0; i < size; i++)
            if (bytes[i])
                return at + i;
    return at < scan->end ? at : scan->end;
}

/* Behind the last byte from `at` on that is not zero or cannot be read; `at` if there is none. */
static uint64_t before_zeros(struct wl_scan *scan, uint64_t at)
{
    const unsigned char *bytes;
    uint64_t last = at;
    for (size_t size; (size = piece_at(scan, at, &bytes)) > 0; at += size)
        for (size_t i = size; i-- > 0;)
            if (bytes[i]) {
                last = at + i + 1;
                break;
            }
    return at < scan->end ? scan->end : last;
}

/* The next place from `at` on where an entry may begin; the end if there is none. */
static uint64_t next_place(struct wl_scan *scan, uint64_t at)
{
    if (at + WL_KIND_AT >= scan->end)
        return scan->end;
    uint64_t kind = behind_zeros(scan, at + WL_KIND_AT);
    return kind < scan->end ? kind - WL_KIND_AT : scan->end;
}

bool wl_scan_is_over(struct wl_scan *scan)
{
    return behind_zeros(scan, scan->at) == scan->end;
}

enum wl_found wl_scan_next(struct wl_scan *scan, struct wl_record *record)
{
    uint64_t from = scan->at;
    if (from >= scan->end)
        return WL_FOUND_END;
    enum wl_found found = record_at(scan, from, record);
    if (found == WL_FOUND_RECORD || found == WL_FOUND_BAD_BODY) {
        scan->at = record->to;
        return found;
    }
    uint64_t to = from + 1;
    while (found == WL_FOUND_GAP && (to = next_place(scan, to)) < scan->end) {
        found = record_at(scan, to, record);
        to += found == WL_FOUND_GAP;
    }
    if (found == WL_FOUND_ERROR)
        return found;
    scan->at = to;
    record->written = found == WL_FOUND_GAP ? before_zeros(scan, from) : to;
    record->position = from;
    record->to = to;
    return found == WL_FOUND_GAP ? WL_FOUND_TAIL : WL_FOUND_GAP;
}

/* ---- Tells the caller of a wheel-log what is damaged, each piece once. ---- */

void wl_damage_file(struct wl_damage *damage, const char *file, uint64_t offset, const char *what,
                    uint64_t lost)
{
    damage->count++;
    if (damage->tell)
        damage->tell(damage->ctx, file, offset, what, lost);
}

void wl_damage_log(struct wl_damage *damage, uint64_t position, const char *what, uint64_t lost)
{
    char name[WL_NAME_BYTES];
    struct wl_span span = {0, 0};
    for (size_t i = 0; i < WL_RECENT_DAMAGE; i++)
        if (damage->recent[i] == position + 1)
            return;
    damage->recent[damage->count % WL_RECENT_DAMAGE] = position + 1;
    wl_segments_span(damage->segments, position, &span);
    wl_segment_name(name, span.base);
    wl_damage_file(damage, name, position - span.base, what, lost);
}
