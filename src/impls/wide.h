/*
 * wide.h - multiplies two numbers of 64 bits to one of 128, on processors with and without such numbers.
 */
#ifndef TWBENCH_WIDE_H
#define TWBENCH_WIDE_H

#include <stdint.h>

/* high * 2^64 + low. */
struct wide {
    uint64_t high, low;
};

/* On 32-bit processors by halves, as on paper (Knuth, TAOCP 2, 4.3.1). */
static inline struct wide wide_multiply(uint64_t a, uint64_t b)
{
#ifdef __SIZEOF_INT128__
    __extension__ typedef unsigned __int128 whole;
    whole product = (whole)a * b;
    return (struct wide){(uint64_t)(product >> 64), (uint64_t)product};
#else
    uint64_t a_low = (uint32_t)a, a_high = a >> 32, b_low = (uint32_t)b, b_high = b >> 32;
    uint64_t low = a_low * b_low, middle = a_high * b_low + (low >> 32);
    uint64_t other = a_low * b_high + (uint32_t)middle;
    return (struct wide){a_high * b_high + (middle >> 32) + (other >> 32),
                         other << 32 | (uint32_t)low};
#endif
}

/* The quotient, rounded down; the divisor is above value.high, so that it fits. */
static inline uint64_t wide_divide(struct wide value, uint64_t divisor)
{
#ifdef __SIZEOF_INT128__
    __extension__ typedef unsigned __int128 whole;
    return (uint64_t)(((whole)value.high << 64 | value.low) / divisor);
#else
    uint64_t rest = value.high, quotient = 0;
    for (int bit = 63; bit >= 0; bit--) {
        uint64_t carry = rest >> 63;
        rest = rest << 1 | (value.low >> bit & 1);
        quotient <<= 1;
        if (carry || rest >= divisor) {
            rest -= divisor;
            quotient |= 1;
        }
    }
    return quotient;
#endif
}

#endif
