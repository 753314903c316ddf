/*
 * wheel_log_scan.h - reads a segment from front to back, record by record, and steps over what is no record.
 *
 * Recovery replays by it, a broken chain is mended by it, `twbench store dump` prints by it.  Where bytes are no
 * record, it looks at every following byte for the next one: the check of an entry includes its position, so
 * neither a payload nor what a file held before can pass for one.  Zeros are passed over: the byte of an entry that has its
 * kind is never zero.
 */
#ifndef TWBENCH_WHEEL_LOG_SCAN_H
#define TWBENCH_WHEEL_LOG_SCAN_H

#include "wheel_log_segments.h"

/* A reading under way. */
struct wl_scan {
    struct wl_segments *segments;
    struct wl_window window;
    uint64_t at, end; /* next byte to look at; end of the segment */
};

enum wl_found {
    WL_FOUND_RECORD,
    WL_FOUND_BAD_BODY, /* a record, but the check of its body differs */
    WL_FOUND_GAP,      /* [position, to) holds no record; one follows */
    WL_FOUND_TAIL, /* [position, to) holds no record, and neither does the rest of the segment */
    WL_FOUND_END,
    WL_FOUND_ERROR /* a read failed */
};

struct wl_record {
    uint64_t position, to; /* its first byte, and the one behind its last */
    struct wl_entry entry;
    const unsigned char *body; /* valid until the next call */
    uint64_t
        written; /* a tail: behind its last byte that is not zero; position: it is of zeros alone */
};

/* From `from`, which lies in a segment behind its header, to `end`. */
void wl_scan_begin(struct wl_scan *scan, struct wl_segments *segments, uint64_t from, uint64_t end);
/* What follows; *record is filled for all but END and ERROR.  A gap costs a look at each of its bytes. */
enum wl_found wl_scan_next(struct wl_scan *scan, struct wl_record *record);
/* Is there nothing behind the last record that was found, or zeros alone? */
bool wl_scan_is_over(struct wl_scan *scan);
/* Frees the window. */
void wl_scan_end(struct wl_scan *scan);

#endif
