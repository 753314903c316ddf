/* rng.c - draws random numbers with xoshiro256**. */
#include "harness/base/rng.h"

#include "impls/wide.h"

static uint64_t rotate_left(uint64_t x, unsigned k)
{
    return (x << k) | (x >> (64 - k));
}

static uint64_t splitmix_next(uint64_t *state)
{
    uint64_t z = (*state += UINT64_C(0x9e3779b97f4a7c15));
    z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
    return z ^ (z >> 31);
}

void rng_seed(struct rng *rng, uint64_t seed, uint64_t stream)
{
    uint64_t state = seed;
    state = splitmix_next(&state) ^ stream;
    for (int i = 0; i < 4; i++)
        rng->state[i] = splitmix_next(&state);
}

uint64_t rng_next(struct rng *rng)
{
    uint64_t *s = rng->state;
    uint64_t result = rotate_left(s[1] * 5, 7) * 9;
    uint64_t t = s[1] << 17;
    s[2] ^= s[0];
    s[3] ^= s[1];
    s[1] ^= s[2];
    s[0] ^= s[3];
    s[2] ^= t;
    s[3] = rotate_left(s[3], 45);
    return result;
}

uint64_t rng_below(struct rng *rng, uint64_t bound)
{
    struct wide product = wide_multiply(rng_next(rng), bound);
    if (product.low < bound) {
        uint64_t reject = -bound % bound;
        while (product.low < reject)
            product = wide_multiply(rng_next(rng), bound);
    }
    return product.high;
}

double rng_unit(struct rng *rng)
{
    return ((double)(rng_next(rng) >> 12) + 0.5) * 0x1p-52;
}
