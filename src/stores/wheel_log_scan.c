/* wheel_log_scan.c - reads a segment of a wheel-log record by record, and finds the next one behind damage. */
#include "wheel_log_scan.h"

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

static bool all_zeros(struct wl_scan *scan, uint64_t from)
{
    const unsigned char *byte;
    for (; from < scan->end; from++)
        if (wl_window_at(&scan->window, scan->segments, from, 1, &byte) != WL_READ_OK || *byte)
            return false;
    return true;
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
    for (; found == WL_FOUND_GAP && to < scan->end; to++)
        if ((found = record_at(scan, to, record)) != WL_FOUND_GAP)
            break;
    if (found == WL_FOUND_ERROR)
        return found;
    scan->at = to;
    record->zeros = found == WL_FOUND_GAP && all_zeros(scan, from);
    record->position = from;
    record->to = to;
    return found == WL_FOUND_GAP ? WL_FOUND_TAIL : WL_FOUND_GAP;
}
