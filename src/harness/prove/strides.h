/* strides.h - finds the tick distances at which slots and levels turn, where designs go wrong.
 */
#ifndef TWBENCH_CONFORM_STRIDES_H
#define TWBENCH_CONFORM_STRIDES_H

#include "harness/prove/operations.h"
#include "impls/backend.h"

struct watch;

#define STRIDES_MAX 64

/* Sizes of slots and levels as described, the reach of each level (running products), and a few
 * sizes that designs use unsaid. */
struct strides {
    tw_tick span; /* of the design */
    tw_tick walk; /* longest jump of the clock that it makes soon; 0: any */
    size_t count;
    uint64_t ticks[STRIDES_MAX];
};

/* Asks an instance of that capacity, with no horizon given; `watch` may be NULL.  False when it does
 * not open. */
bool strides_find(struct strides *strides, const struct tw_backend *backend, uint32_t capacity,
                  const struct tw_setting *settings, size_t setting_count, struct watch *watch);

/* ---- The longest jump that a design which walks from tick to tick soon makes. -------------- */

/* The contract lets a design without TW_TICKLESS take its time for every empty tick.  A jump of 2^60 of
 * them proves nothing then: it does not end. */

/* Times ever longer jumps of an instance opened with *config, in processor time.  The longest jump, in
 * ticks, that takes about WALK_SECONDS, or WALK_USUAL where that is soon; 0 when the time does not grow with the ticks,
 * for a design with TW_TICKLESS, and for one that waits for the machine's clock.  `watch` may be NULL. */
tw_tick walk_find(const struct tw_backend *backend, const struct tw_config *config, tw_tick span,
                  struct watch *watch);

#define WALK_SECONDS 0.01

/* ---- Lists from a seed, or from a fuzzer's bytes (random_list.c). -------------------------- */

/* Fills *operations, initialised and with its settings in place, from the seed alone. */
void random_list_make(struct operations *operations, uint64_t seed, const struct strides *strides);

/* Fills *operations, initialised, from any bytes at all.  They choose settings too. */
void random_list_decode(struct operations *operations, const struct tw_backend *backend,
                        const uint8_t *bytes, size_t size);

#endif
