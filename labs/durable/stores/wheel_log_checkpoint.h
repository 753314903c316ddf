/*
 * wheel_log_checkpoint.h - writes and reads the two checkpoints of a wheel-log.
 *
 * A checkpoint is the heads of all slots as of one position of the log, and what else recovery has to know there.
 * Recovery takes the newest whole one and replays the log behind its position.
 *
 * IN TURN.  Checkpoint n goes to file n % 2.  While it is written, the other one is whole.  It is whole if its header's
 * check is right and so is the check of every page, which the header holds: it does not matter in which order the
 * disk writes them, one sync is enough.
 *
 * ONLY WHAT CHANGED.  A page goes to its own place in the file, and only if it has changed since checkpoint n - 2 was
 * written there.
 */
#ifndef TWBENCH_WHEEL_LOG_CHECKPOINT_H
#define TWBENCH_WHEEL_LOG_CHECKPOINT_H

#include "wheel_log_heads.h"
#include "wheel_log_segments.h"

#define WL_CHECKPOINT_HEADER 4096u

/* What recovery has to know besides the heads. */
struct wl_state {
    uint64_t sequence;                  /* of the checkpoint */
    uint64_t log;                       /* the heads are those of the log before this position */
    uint64_t floor_due, floor_position; /* all up to here is done; the position in the slot */
    uint64_t opened;                    /* the last hour whose messages go to the fine wheel */
    uint64_t pending;
    uint64_t ends; /* of the last segment, as far as it goes */
};

/* A checkpoint made ready under the lock, to be written without it. */
struct wl_ready {
    unsigned char header[WL_CHECKPOINT_HEADER];
    size_t count;
    uint16_t numbers[WL_PAGES];
    unsigned char *pages; /* count times WL_PAGE_BYTES */
};

/* "checkpoint-0" or "checkpoint-1": they are written in turn.  A constant. */
const char *wl_checkpoint_name(uint64_t sequence);

/* Copies what has changed.  0 or an errno: nothing has changed. */
int wl_checkpoint_prepare(struct wl_wheel *wheel, const struct wl_state *state,
                          struct wl_ready *ready);
/* Writes and syncs it, and frees what prepare took.  0 or an errno. */
int wl_checkpoint_write(struct wl_segments *segments, const struct wl_state *state,
                        struct wl_ready *ready);

/* How a reading went. */
enum wl_checkpoint_state {
    WL_CHECKPOINT_WHOLE,
    WL_CHECKPOINT_ABSENT,
    WL_CHECKPOINT_DAMAGED,
    WL_CHECKPOINT_OTHER_VERSION,
    WL_CHECKPOINT_ERROR /* a read failed, or no memory */
};

/* Reads the file 0 or 1.  On WL_CHECKPOINT_WHOLE wheel, which was empty, has its heads, and *header the file's header.  *what: what
 * is damaged, a constant; *at: where. */
enum wl_checkpoint_state wl_checkpoint_read(int directory, unsigned file, struct wl_wheel *wheel,
                                            struct wl_state *state, const char **what,
                                            uint64_t *at);

#endif
