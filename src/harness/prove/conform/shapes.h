/*
 * shapes.h - operation lists that nobody wrote: random ones of many shapes, and a fuzzer's.
 */
#ifndef TWBENCH_CONFORM_SHAPES_H
#define TWBENCH_CONFORM_SHAPES_H

#include "harness/prove/conform/operations.h"
#include "harness/prove/conform/strides.h"

/* Fills *operations, initialised and with its settings in place, from the seed alone. */
void shapes_random(struct operations *operations, uint64_t seed, const struct strides *strides);

/* Fills *operations, initialised, from any bytes at all.  They choose settings too. */
void shapes_decode(struct operations *operations, const struct tw_backend *backend,
                   const uint8_t *bytes, size_t size);

#endif
