/*
 * wheel_log_chain.h - walks the chain of a slot on disk, from its newest entry back to its oldest.
 *
 *     head ---> entry ---> entry ---> entry ---> none
 *      memory    |back       |back      back = 0
 *
 * Each entry says how many bytes before it the one before it lies.  A damaged entry takes along its `back`, and with it the way to
 * all older ones.  The walk then looks for the newest entry of the slot before the damage, by scanning segments, tells what is
 * damaged, and goes on there.  Where recovery saw the gap already, it left a bridge: an entry that says
 * where the chain goes on.
 */
#ifndef TWBENCH_WHEEL_LOG_CHAIN_H
#define TWBENCH_WHEEL_LOG_CHAIN_H

#include "wheel_log_damage.h"
#include "wheel_log_heads.h"

#define WL_BRIDGES 16u /* that a walk keeps in mind; behind more it scans */

/* A walk, from the newest entry of one slot to its oldest. */
struct wl_chain {
    struct wl_segments *segments;
    const struct wl_wheel *wheel; /* only its geometry is used */
    struct wl_damage *damage;
    struct wl_window window;
    bool coarse;
    uint64_t due;  /* any in the slot */
    uint64_t at;   /* the entry to read next; 0: none */
    uint64_t stop; /* entries at or before this position are known */
    size_t bridges;
    uint64_t from[WL_BRIDGES], to[WL_BRIDGES];
};

/* ERROR: a read failed, or there was no memory. */
enum wl_step { WL_STEP_ENTRY, WL_STEP_END, WL_STEP_ERROR };

/* Begins at entry `head`, 0 for an empty chain. */
void wl_chain_begin(struct wl_chain *chain, bool coarse, uint64_t due, uint64_t head,
                    uint64_t stop);
/* The next entry that puts or cancels. */
enum wl_step wl_chain_next(struct wl_chain *chain, struct wl_entry *entry, uint64_t *position);
/* Frees the window; harmless for one that is all zero. */
void wl_chain_close(struct wl_chain *chain);

#endif
