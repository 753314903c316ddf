/* strides.h - finds the tick distances at which slots and levels turn, where designs go wrong.
 */
#ifndef TWBENCH_CONFORM_STRIDES_H
#define TWBENCH_CONFORM_STRIDES_H

#include "impls/backend.h"

struct watch;

#define STRIDES_MAX 64

/* Sizes of slots and levels as described, the reach of each level (running products), and a few
 * sizes that designs use unsaid. */
struct strides {
    tw_tick span; /* of the design */
    tw_tick walk; /* longest jump of the clock that it makes soon; 0: any (walk.h) */
    size_t count;
    uint64_t ticks[STRIDES_MAX];
};

/* Asks an instance of that capacity, with no horizon given; `watch` may be NULL.  False when it does
 * not open. */
bool strides_find(struct strides *strides, const struct tw_backend *backend, uint32_t capacity,
                  const struct tw_setting *settings, size_t setting_count, struct watch *watch);

#endif
