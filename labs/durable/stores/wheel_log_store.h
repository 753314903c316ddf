/*
 * wheel_log_store.h - an open wheel-log: what its parts share.
 *
 *     wheel_log.c            the table; put, cancel, open and close
 *     wheel_log_commit       the end of the log: buffers, group commit
 *     wheel_log_heads        the two wheels
 *     wheel_log_drain.c      what is due: hours loaded ahead, slots walked, messages handed out and done
 *     wheel_log_keep.c       checkpoints, and segments that are over
 *     wheel_log_recover.c    checkpoint and replay
 *     wheel_log_chain        the way back along a slot's chain          wheel_log_queue   its order, in bounded memory
 *     wheel_log_checkpoint   the two files                              wheel_log_scan    records one by one
 *     wheel_log_segments     the files of the log                       wheel_log_format  their bytes
 *
 * THE ORDER OF ALL MESSAGES is (due, position): by due, and at one due in order of put.  Messages are handed out in that order and
 * no other, so one pair says which are handed out, and one which are done: that is the position in the slot.  Nothing
 * may join the order at or before what was handed out:
 *
 *     frontier   The last due that was handed out, or the start of the pointer's slot.  A put with an earlier due gets the
 *                frontier for its due, and keeps its own in the body.
 *     bound      poll hands out up to min(now, least due of what is not committed yet), and nothing behind a message that was
 *                put since it began: what is passed would count as done.
 */
#ifndef TWBENCH_WHEEL_LOG_STORE_H
#define TWBENCH_WHEEL_LOG_STORE_H

#include "wheel_log_chain.h"
#include "wheel_log_checkpoint.h"
#include "wheel_log_commit.h"
#include "wheel_log_queue.h"

/* Entries that tend reads at a time. */
#define WL_PIECE 4096u
/* Bytes of payloads that one poll hands out at most; there is always room for one message. */
#define WL_ARENA_BYTES (1024u * 1024)

/* A place in the order of all messages. */
struct wl_place {
    uint64_t due, position;
};

/* Does a come at or before b in that order? */
static inline bool wl_at_or_before(struct wl_place a, struct wl_place b)
{
    return a.due != b.due ? a.due < b.due : a.position <= b.position;
}

/* An hour that is being handed out, or loaded ahead. */
struct wl_hour {
    uint64_t hour;
    bool begun, loaded; /* its coarse chain is being walked; is walked */
    struct wl_queue queue;
    struct wl_chain chain;
};

/* A slot of the fine wheel whose chain was walked, up to the entry `seen`. */
struct wl_walked {
    uint64_t tick, seen;
    uint64_t head; /* of the walk under way, which began there; 0: none */
    struct wl_chain chain;
};

/* The store's settings as its table has them, in the units of their names. */
struct wl_settings {
    uint64_t slot_ms, slots, hours, segment_kib, checkpoint_kib, preload_s, position, window_us,
        zeros_kib;
};

struct tw_store_seat {
    struct tw_store *store;
    struct tw_store_seat *next;
    struct wl_place
        cancelling;   /* position 0: none; the cancel of what may be in a poll under way */
    uint32_t *checks; /* of the bodies of a put */
    size_t check_room;
    struct wl_window window; /* of cancels that look an entry up */
};

struct tw_store {
    struct wl_log log;
    struct wl_settings settings;
    int directory;
    struct wl_damage damage;
    uint64_t recovered, damaged;

    /* Under the lock of the log. */
    struct tw_store_seat *seats;
    uint64_t frontier;
    uint64_t bound; /* of the poll under way */
    uint64_t
        clamped; /* no put with a later due ever got another one: the latest frontier, and now at open */
    uint64_t opened;        /* the last hour whose messages go to the fine wheel */
    struct wl_place handed; /* all up to here is handed out, or was cancelled */
    struct wl_place *late;  /* cancels of what may be in a poll under way */
    size_t late_count, late_room;

    /* The dispatcher's. */
    struct wl_hour current, next;
    struct wl_walked live, ahead; /* the slot that is handed out; the one after it */
    struct wl_place *undone;      /* handed out and not done: a ring */
    size_t undone_first, undone_count, undone_room;
    struct wl_place floor; /* done up to here */
    uint64_t reached;      /* nothing is left before this due: where the pointer goes */
    uint64_t done_in_slot; /* position=0: how many of the floor's slot are done */
    unsigned char *arena;
    struct wl_place *batch;
    size_t batch_room;
    struct wl_window window; /* of payloads */
    uint64_t checkpoint_log, sequence;
    uint64_t tried_log;            /* end of the log when a poll last tried to write a checkpoint */
    struct wl_place kept_floor[2]; /* of the checkpoints in the files, and how far they go */
    uint64_t kept_log[2];
    uint64_t checkpoints, preloaded, loaded_late;
};

/* ---- wheel_log_recover.c ----------------------------------------------------------------------- */

/* Recovers what is in the directory, or makes a store in an empty one.  Fills *error on other answers than TW_STORE_OK. */
int wl_recover(struct tw_store *store, const struct tw_store_config *config,
               struct tw_error *error);

/* ---- wheel_log_keep.c -------------------------------------------------------------------------- */

/* Up to where all is done: what the next recovery starts from. */
struct wl_place wl_floor(struct tw_store *store);
/* Writes and syncs one now.  TW_STORE_OK, _MEMORY, _IO, _FULL, _BROKEN. */
int wl_checkpoint(struct tw_store *store);
/* One bounded piece: a checkpoint that is due, or a segment that is over. */
int wl_keep(struct tw_store *store, bool *more);
/* The checkpoint of a dispatcher that polls and does not tend: at twice the log.  A full disk is no error. */
int wl_keep_up(struct tw_store *store);

/* ---- wheel_log_drain.c ------------------------------------------------------------------------- */

/* As the hooks poll, done and next of store.h.  Only the dispatcher calls them. */
int wl_poll(struct tw_store *store, uint64_t now_ms, struct tw_delivery *out, size_t max,
            size_t *count);
int wl_done(struct tw_store *store, size_t count);
uint64_t wl_next(struct tw_store *store);
/* One bounded piece of loading ahead of time. */
int wl_preload(struct tw_store *store, uint64_t now_ms, bool *more);
/* Frees what the dispatcher holds. */
void wl_drain_close(struct tw_store *store);

#endif
