/* rng.h - draws the random numbers behind every stream: same seed, same numbers, on every machine.
 *
 * xoshiro256** 1.0 of Blackman & Vigna (2018), seeded through splitmix64 as they recommend.  Used
 * only before the clock starts; never in a timed loop.
 */
#ifndef TWBENCH_RNG_H
#define TWBENCH_RNG_H

#include <stdint.h>

/* The state between two draws; rng_seed fills it. */
struct rng {
    uint64_t state[4];
};

/* `stream` separates independent sequences of one seed (delays, choices, order of ids, ...). */
void rng_seed(struct rng *rng, uint64_t seed, uint64_t stream);

/* 64 uniform bits. */
uint64_t rng_next(struct rng *rng);

/* Uniform in [0, bound), without bias (Lemire 2019); bound >= 1. */
uint64_t rng_below(struct rng *rng, uint64_t bound);

/* Uniform in (0, 1): never 0 and never 1, so that log() of it is finite. */
double rng_unit(struct rng *rng);

#endif
