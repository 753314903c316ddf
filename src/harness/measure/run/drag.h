/* drag.h - a layer that makes a design slower by a little, so that it can be told who notices.
 *
 * Every DRAG_STARTS starts it computes a chain of dependent multiplications, `links` long, and does
 * nothing else: what is added is work, as a worse design would do it, and so takes part in whatever
 * moves the processor's speed.  With 0 links it is the same layer without the work, which is what a
 * dragged design is compared with.
 */
#ifndef TWBENCH_DRAG_H
#define TWBENCH_DRAG_H

#include "impls/backend.h"

/* Far enough apart that a chain is long against what the processor can overlap with the starts. */
#define DRAG_STARTS 512u

struct drag {
    struct tw_backend table;
    struct tw_timers *timers;
};

/* As cap_put (cap.h): owns the instance from then on; TW_OK, or TW_REFUSED_MEMORY. */
int drag_put(struct drag *drag, const struct tw_backend *design, struct tw_timers *timers,
             uint64_t links);

/* What the chains have come to: beginning with 0, each link multiplies by 6364136223846793005 and adds
 * 1442695040888963407.  So it can be seen how many links were done, however long they took. */
uint64_t drag_value(const struct drag *drag);

#endif
