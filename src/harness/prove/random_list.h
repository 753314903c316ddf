/* random_list.h - makes operation lists from a seed, or from a fuzzer's bytes.
 */
#ifndef TWBENCH_CONFORM_RANDOM_LIST_H
#define TWBENCH_CONFORM_RANDOM_LIST_H

#include "harness/prove/operations.h"
#include "harness/prove/strides.h"

/* Fills *operations, initialised and with its settings in place, from the seed alone. */
void random_list_make(struct operations *operations, uint64_t seed, const struct strides *strides);

/* Fills *operations, initialised, from any bytes at all.  They choose settings too. */
void random_list_decode(struct operations *operations, const struct tw_backend *backend,
                        const uint8_t *bytes, size_t size);

#endif
