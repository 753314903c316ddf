/*
 * rng.h - random numbers and functions of doubles that are the same on every machine.
 *
 * xoshiro256** 1.0 of Blackman & Vigna (2018), seeded through splitmix64 as they recommend.  Used
 * only before the clock starts; never in a timed loop.
 */
#ifndef TWBENCH_RNG_H
#define TWBENCH_RNG_H

#include "harness/base/libc.h"

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

/* ---- Samemath (samemath.c). ------------------------------------------------------------------- */

/* Computes logarithms, powers and the normal distribution to the same bits on every machine.
 *
 * IEEE 754 allows one result of +, -, *, / and sqrt, and none of log, exp, pow and erfc: these are what a C
 * library has, and differ between libraries, their versions and processors.  A stream is drawn with the functions below instead,
 * each a fixed sequence of the former in doubles.  Two things would change it, and the build rules both out: products
 * joined to sums (-ffp-contract=off) and wider intermediate results (FLT_EVAL_METHOD 0, else it does not compile).
 *
 * The errors are bounds of the relative error; tests/unit/test_samemath.c holds them against the C library in long
 * double. Each call costs 10 to 50 ns, same_normal_share up to a microsecond. */

#define SAME_LOG_ERROR      0x1p-50
#define SAME_LOG1P_ERROR    0x1p-49
#define SAME_EXP_ERROR      0x1p-50
#define SAME_POW_ERROR      0x1p-44 /* where the result is within e^-40 .. e^40 */
#define SAME_QUANTILE_ERROR 0x1p-46
#define SAME_SHARE_ERROR    0x1p-46

/* x finite and above 0. */
double same_log(double x);
/* log(1 + x); x finite and above -1. */
double same_log1p(double x);
/* 0 where the result is below every normal double, infinity where it is beyond all of them. */
double same_exp(double x);
/* base finite and above 0, exponent finite. */
double same_pow(double base, double exponent);
/* Whole numbers, base at least 2: exact up to 2^53; of what is larger only that it is. */
double same_power(double base, double exponent);

/* The standard normal distribution: the share below x >= 0, and the x below which lies the share p of (0, 1). */
double same_normal_share(double x);
double same_normal_quantile(double p);

#endif
