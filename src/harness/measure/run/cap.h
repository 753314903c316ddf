/* cap.h - a layer over any design that refuses the start that would make too many timers run.
 *
 * The guard that Netty has as maxPendingTimeouts, as a layer (layer.h).  It counts what runs by what
 * start, stop and the callbacks say, and keeps nothing per timer.
 */
#ifndef TWBENCH_CAP_H
#define TWBENCH_CAP_H

#include "impls/backend.h"

struct cap {
    struct tw_backend table;  /* what the design says of itself, with the hooks of the layer */
    struct tw_timers *timers; /* the layer's instance, for these hooks */
};

/* Puts the layer over an open instance, which it then owns: closing cap->timers closes both.
 * TW_OK, or TW_REFUSED_MEMORY with the instance as it was.  `design` must outlive the layer.
 * start answers TW_REFUSED_FULL when `max_pending` timers run and the timer is not one of them. */
int cap_put(struct cap *cap, const struct tw_backend *design, struct tw_timers *timers,
            uint32_t max_pending);

#endif
