/* instance.h - opens a design with the layers that were asked for over it. */
#ifndef TWBENCH_INSTANCE_H
#define TWBENCH_INSTANCE_H

#include "harness/measure/plan/plan.h"
#include "harness/measure/run/outcome.h"
#include "impls/backend.h"

/* ---- Layers (layers.c). -------------------------------------------------------------------- */

/* A layer is itself a table and an instance, so whoever drives a design can drive a layered one.  It owns the
 * instance below: closing the layer closes both.  The design's table must outlive it. */

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

#define INSTANCE_REASON 400

struct instance {
    const struct tw_backend *design; /* to drive it by: the design's table, or the top layer's */
    struct tw_timers *timers;
    struct layer cap, drag;
};

/* Opens `design` (the timed or the counted object of the cell's) for the stream, with the cap that the
 * stream asks for.  OUTCOME_OK, or what it came to with `reason` (INSTANCE_REASON bytes) filled.  The
 * instance must not move while it is open. */
enum outcome_status instance_open(struct instance *instance, const struct tw_backend *design,
                                  const struct plan_cell *plan, const struct stream *stream,
                                  char *reason);

/* Puts the drag over it; see above. */
enum outcome_status instance_drag(struct instance *instance, uint64_t links, char *reason);

/* Once after OUTCOME_OK: closes the design under its layers. */
void instance_close(struct instance *instance);

/* Settings as open resolved them, and the reach of the instance.  OUTCOME_MISMATCH with `reason` filled when the design
 * describes itself as nothing can be. */
enum outcome_status instance_describe(const struct instance *instance,
                                      struct outcome_setting *settings, size_t *setting_count,
                                      tw_tick *span_ticks, char *reason);

/* An exact design has one right digest; a rounding one has only to keep its bound, which the checking
 * pass has seen; null keeps nothing.  False with `reason` filled when the digest is wrong. */
bool instance_digest_is_right(const struct tw_backend *design, const struct stream *stream,
                              uint64_t digest, uint64_t fired, char *reason);

#endif
