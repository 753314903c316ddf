/* layers.h - puts layers over a design: one caps what runs, one makes it slower by a known amount.
 *
 * A layer is itself a table and an instance, so whoever drives a design can drive a layered one.  It owns the
 * instance below: closing the layer closes both.  The design's table must outlive it.
 */
#ifndef TWBENCH_LAYERS_H
#define TWBENCH_LAYERS_H

#include "impls/backend.h"

struct layer {
    struct tw_backend
        table; /* what the design says of itself, with the hooks of the layer; no open */
    struct tw_timers *timers; /* the layer's instance, for these hooks */
};

/* What the instance of a layer begins with. */
struct layer_below {
    const struct tw_backend *design;
    struct tw_timers *inner;
};

/* The table of a layer over `design` that does nothing but hand through, for instances that begin with struct
 * layer_below and come from malloc. */
struct tw_backend layer_table(const struct tw_backend *design);

/* Puts a cap over an open instance: start answers TW_REFUSED_FULL when `max_pending` timers run and the timer is not
 * one of them, as Netty's maxPendingTimeouts does.  It counts by what start, stop and the callbacks say, and
 * keeps nothing per timer.  TW_OK, or TW_REFUSED_MEMORY with the instance as it was. */
int layer_cap(struct layer *layer, const struct tw_backend *design, struct tw_timers *timers,
              uint32_t max_pending);

/* Far enough apart that a chain is long against what the processor can overlap with the starts. */
#define DRAG_STARTS 512u

/* Puts a drag over it, so that it can be told who notices: every DRAG_STARTS starts it computes a chain of dependent
 * multiplications, `links` long, and does nothing else.  What is added is work, as a worse design would do it, and so
 * takes part in whatever moves the processor's speed.  With 0 links it is the same layer without the work, which is
 * what a dragged design is compared with.  Answers as layer_cap. */
int layer_drag(struct layer *layer, const struct tw_backend *design, struct tw_timers *timers,
               uint64_t links);

/* What the chains have come to: beginning with 0, each link multiplies by 6364136223846793005 and adds
 * 1442695040888963407.  So it can be seen how many links were done, however long they took. */
uint64_t layer_drag_value(const struct layer *layer);

#endif
