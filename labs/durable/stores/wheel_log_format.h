/*
 * wheel_log_format.h - the bytes of a wheel-log directory: entries, headers of files, pages of heads.
 *
 * docs/WHEEL-LOG-FORMAT.md is the page for readers; the numbers there are these.
 *
 *     log-0000000000000000    a segment: header, then records one behind the other
 *     log-0000000004000000    the next one; its name is the position of its first byte
 *     checkpoint-0, -1        written in turn: header with a table of checks, then pages of heads
 *
 * POSITION.  The log is one endless row of bytes; a segment holds a piece of it.  A position is a byte's place in
 * that row, so a record has the same position as long as it exists: it is the handle of a message.
 *
 * RECORD = ENTRY + BODY.  An entry is 30 bytes.  Its `back` leads to the entry before it in the same chain.
 *
 *     at  bytes  field
 *      0    4    check    of bytes 4 .. 29 and the position
 *      4    4    body     check of the body (put, bridge); messages ended (done)
 *      8    8    word     back, 42 bits | size of the body, 17 bits | kind, 5 bits, from the low end
 *     16    6    due      milliseconds
 *     22    8    key      of the message; cancel, done: a position
 *
 * CHECKS are the low 32 bits of XXH3: the header-only library is among the project's packages already, needs no
 * instruction that not every machine has, and takes a seed.  The seed is the position: bytes that lie in the wrong
 * place, such as a payload that holds a copy of a log or what a file held earlier, never pass for a record.
 *
 * All numbers are little-endian on every machine: they are stored byte by byte.
 */
#ifndef TWBENCH_WHEEL_LOG_FORMAT_H
#define TWBENCH_WHEEL_LOG_FORMAT_H

#include "impls/backend.h"

#define WL_VERSION           1u
#define WL_ENTRY_BYTES       30u
#define WL_FILE_HEADER_BYTES 64u
/* The byte of an entry that has its kind: never zero. */
#define WL_KIND_AT 15u

/* Largest back, and with it the largest distance between the oldest byte of a log and its end. */
#define WL_BACK_MAX ((UINT64_C(1) << 42) - 1)
/* Largest due: 8900 years. */
#define WL_DUE_MAX ((UINT64_C(1) << 48) - 1)
/* Largest body: the largest payload and the 8 bytes of WL_LATE. */
#define WL_BODY_MAX (65536u + 8u)

/* What a record is; docs/WHEEL-LOG-FORMAT.md has the layout. */
enum wl_kind {
    WL_PUT = 1,    /* body: the payload */
    WL_CANCEL = 2, /* key: position of the message; due: its due */
    WL_DONE = 3,   /* all up to (due, key) are done; in no chain */
    WL_SEAL =
        4, /* last of a segment; due: the end of the latest slot that has an entry in it; in no chain */
    WL_BRIDGE =
        5, /* the chain that led to position key, which is lost, goes on at the position in the body */
    WL_KIND_MASK = 7,
    WL_COARSE = 8, /* flag: in a chain of the hours' wheel */
    WL_LATE =
        16 /* flag, put: was put with a due in the past, which the first 8 bytes of the body hold */
};

/* A record without its body. */
struct wl_entry {
    uint32_t body_check; /* or a count */
    uint32_t size;       /* of the body */
    uint64_t back;       /* distance to the entry before it in the chain, 0: it is the first */
    uint64_t due;
    uint64_t key;
    unsigned kind; /* of enum wl_kind, with flags */
};

/* Which of the two kinds of file a header is of. */
enum wl_file_kind { WL_FILE_SEGMENT = 1, WL_FILE_CHECKPOINT = 2 };

/* The first 64 bytes of every file.  Magic, version and check keep their places in all versions. */
struct wl_file_header {
    uint32_t version;
    uint32_t kind;   /* of enum wl_file_kind */
    uint64_t number; /* position of the segment's first byte; sequence number of the checkpoint */
    uint32_t slot_ms, slots, hours;
};

/* What wl_header_read found. */
enum wl_header_state { WL_HEADER_GOOD, WL_HEADER_DAMAGED, WL_HEADER_OTHER_VERSION };

/* An integer of 1 to 8 bytes, the lowest first. */
uint64_t wl_load(const unsigned char *from, unsigned bytes);
void wl_store(unsigned char *to, unsigned bytes, uint64_t value);
/* The lower half of XXH3.  The seed of an entry is its position, so that bytes in another place do not pass. */
uint32_t wl_check(const void *bytes, size_t size, uint64_t seed);

/* Writes the 30 bytes of an entry at that position. */
void wl_entry_write(unsigned char *to, const struct wl_entry *entry, uint64_t position);
/* Reads it; false if these bytes are no entry of that position. */
bool wl_entry_read(const unsigned char *from, struct wl_entry *entry, uint64_t position);
/* The kind without its flags. */
static inline unsigned wl_kind_of(const struct wl_entry *entry)
{
    return entry->kind & WL_KIND_MASK;
}
/* Is it in a chain of a wheel? */
static inline bool wl_chained(const struct wl_entry *entry)
{
    unsigned kind = wl_kind_of(entry);
    return kind == WL_PUT || kind == WL_CANCEL || kind == WL_BRIDGE;
}

/* Writes WL_FILE_HEADER_BYTES, magic and check with them. */
void wl_header_write(unsigned char *to, const struct wl_file_header *header);
/* Reads as many.  *header is filled in any case; only of a good one its members mean something. */
enum wl_header_state wl_header_read(const unsigned char *from, struct wl_file_header *header);

#endif
