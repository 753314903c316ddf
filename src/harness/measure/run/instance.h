/* instance.h - opens a design with the layers that were asked for over it. */
#ifndef TWBENCH_INSTANCE_H
#define TWBENCH_INSTANCE_H

#include "harness/measure/plan/plan.h"
#include "harness/measure/run/layers.h"
#include "harness/measure/run/outcome.h"

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

/* Puts the drag over it; see layers.h. */
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
