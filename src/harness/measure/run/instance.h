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
    struct tw_backend table;  /* what the design says, with the hooks of the layer; no open */
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

/* Puts a slack over it: each start becomes start_within of `within`, the part of this design that takes slack.  The
 * layer's traits declare the windows as lateness, by which whoever drives it checks them.  An expiry costs one
 * call more, and a start too.  Answers as layer_cap. */
int layer_slack(struct layer *layer, const struct tw_backend *design, struct tw_timers *timers,
                const struct tw_slack *within, struct stream_slack slack);

/* A drag looks at the clock after so many calls, of which an advance is as many as it may have expired. */
#define DRAG_CALLS   512u
#define DRAG_ADVANCE 4u
/* A look this many times as far from the one before as they are on average: the thread was away. */
#define DRAG_LONGEST 64

/* What a drag did, in cycles (cycles.h). */
struct drag_ledger {
    double passed, spent; /* between its chains, and in them */
    uint64_t pulls;
};

/* Puts a drag over it, so that it can be told who notices: a chain of dependent multiplications that goes on until it has
 * taken `share` (0.05 is 5 %) of the time that the calls took since the last one.  So its length is measured where it is
 * added, and 5 % is 5 % on every processor; fences keep the chain from overlapping with what is around it.  With a share
 * of 0 it is the same layer with the same looks at the clock, which is what a dragged design is compared with.  What
 * follows the last look of an instance has no drag.  Answers as layer_cap. */
int layer_drag(struct layer *layer, const struct tw_backend *design, struct tw_timers *timers,
               double share);

/* What it did so far. */
struct drag_ledger layer_drag_ledger(const struct layer *layer);

#define INSTANCE_REASON 400

struct instance {
    const struct tw_backend *design; /* to drive it by: the design's table, or the top layer's */
    struct tw_timers *timers;
    struct layer slack, cap, drag;
};

/* Opens `design` (the timed or the counted object of the cell's) for the stream, with the slack, if it takes any, and
 * the cap that the stream asks for.  OUTCOME_OK, or what it came to with `reason` (INSTANCE_REASON bytes) filled.  The
 * instance must not move while it is open. */
enum outcome_status instance_open(struct instance *instance, const struct tw_backend *design,
                                  const struct plan_cell *plan, const struct stream *stream,
                                  char *reason);

/* Puts the drag over it; see above. */
enum outcome_status instance_drag(struct instance *instance, double share, char *reason);

/* Once after OUTCOME_OK: closes the design under its layers. */
void instance_close(struct instance *instance);

/* Settings as open resolved them, and the reach of the instance.  OUTCOME_MISMATCH with `reason` filled when the design
 * describes itself as nothing can be. */
enum outcome_status instance_describe(const struct instance *instance,
                                      struct outcome_setting *settings, size_t *setting_count,
                                      tw_tick *span_ticks, char *reason);

/* Has the design to fire on the oracle's ticks?  Not where it may be late, takes the slack that the stream allows, or keeps
 * nothing. */
bool instance_is_exact(const struct tw_backend *design, const struct stream *stream);

/* An exact design has one right digest; a rounding one has only to keep its bound, which the checking
 * pass has seen; null keeps nothing.  False with `reason` filled when the digest is wrong. */
bool instance_digest_is_right(const struct tw_backend *design, const struct stream *stream,
                              uint64_t digest, uint64_t fired, char *reason);

#endif
