/* walk.h - finds the longest jump that is soon made by a design that walks from tick to tick.
 *
 * The contract lets a design without TW_TICKLESS take its time for every empty tick.  A jump of 2^60 of
 * them proves nothing then: it does not end.
 */
#ifndef TWBENCH_CONFORM_WALK_H
#define TWBENCH_CONFORM_WALK_H

#include "impls/backend.h"

struct watch;

/* Times ever longer jumps of an instance opened with *config, in processor time.  The longest jump, in
 * ticks, that takes about WALK_SECONDS; 0 when the time does not grow with the ticks, for a design
 * with TW_TICKLESS, and for one that waits for the machine's clock.  `watch` may be NULL. */
tw_tick walk_find(const struct tw_backend *backend, const struct tw_config *config, tw_tick span,
                  struct watch *watch);

#define WALK_SECONDS 0.01

#endif
