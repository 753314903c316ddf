/* samemath.c - evaluates series and rational functions in a fixed order. */
#include "harness/base/rng.h"

#include <float.h>
#include <math.h>

/* 1: floats are computed as doubles, as on s390x, and doubles as they are. */
#if (FLT_EVAL_METHOD != 0 && FLT_EVAL_METHOD != 1) || defined __FAST_MATH__
#error                                                                                             \
    "doubles have to be computed as IEEE 754 says: no -ffast-math, and on i386 -msse2 -mfpmath=sse"
#endif

/* log 2 in two parts, of which the first has so few digits that its product with an exponent is exact. */
#define LN2_HIGH  0x1.62e42feep-1
#define LN2_LOW   0x1.a39ef35793c76p-33
#define SQRT_HALF 0x1.6a09e667f3bcdp-1

/* coefficients[0] + x coefficients[1] + ... */
static double polynomial(const double *coefficients, int count, double x)
{
    double sum = 0;
    for (int i = count - 1; i >= 0; i--)
        sum = sum * x + coefficients[i];
    return sum;
}

/* x = 2^exponent m with m about 1, and log m = 2 artanh((m - 1) / (m + 1)): at most 0.172, so that twelve terms do. */
double same_log(double x)
{
    static const double terms[] = {1.0 / 3,  1.0 / 5,  1.0 / 7,  1.0 / 9,  1.0 / 11, 1.0 / 13,
                                   1.0 / 15, 1.0 / 17, 1.0 / 19, 1.0 / 21, 1.0 / 23};
    int exponent;
    double m = frexp(x, &exponent);
    if (m < SQRT_HALF) {
        m *= 2;
        exponent--;
    }
    double s = (m - 1) / (m + 1), square = s * s;
    double tail = 2 * s * square * polynomial(terms, sizeof terms / sizeof *terms, square);
    return exponent * LN2_HIGH + (2 * s + (tail + exponent * LN2_LOW));
}

/* The error of 1 + x is made up for by the quotient (Goldberg 1991, theorem 4). */
double same_log1p(double x)
{
    double sum = 1 + x;
    return sum - 1 == 0 ? x : same_log(sum) * x / (sum - 1);
}

/* x = k log 2 + r with r at most 0.347, and fourteen terms of the series of e^r. */
double same_exp(double x)
{
    static const double terms[] = {1,
                                   1,
                                   1.0 / 2,
                                   1.0 / 6,
                                   1.0 / 24,
                                   1.0 / 120,
                                   1.0 / 720,
                                   1.0 / 5040,
                                   1.0 / 40320,
                                   1.0 / 362880,
                                   1.0 / 3628800,
                                   1.0 / 39916800,
                                   1.0 / 479001600,
                                   1.0 / 6227020800};
    if (x < -708)
        return 0;
    if (x > 709)
        return INFINITY;
    double k = floor(x * 0x1.71547652b82fep+0 + 0.5);
    double r = (x - k * LN2_HIGH) - k * LN2_LOW;
    return ldexp(polynomial(terms, sizeof terms / sizeof *terms, r), (int)k);
}

double same_pow(double base, double exponent)
{
    return same_exp(exponent * same_log(base));
}

double same_power(double base, double exponent)
{
    double power = 1;
    for (; exponent > 0 && power <= 0x1p53; exponent--)
        power *= base;
    return power;
}

/* 1/2 + phi(x) (x + x^3 / 3 + x^5 / (3 5) + ...), all of whose terms are above 0 (Marsaglia 2004). */
double same_normal_share(double x)
{
    double sum = x, term = x, before = 0;
    if (x > 9)
        return 1;
    for (int i = 3; sum > before; i += 2) {
        before = sum;
        term = term * (x * x) / i;
        sum += term;
    }
    return 0.5 + sum * same_exp(-x * x / 2) * 0x1.9884533d43651p-2;
}

/* Of same_normal_quantile: the numerators, and what they are divided by. */
enum { DEGREES = 8 };

static const double middle[] = {
    3.3871328727963666080e0, 1.3314166789178437745e2, 1.9715909503065514427e3,
    1.3731693765509461125e4, 4.5921953931549871457e4, 6.7265770927008700853e4,
    3.3430575583588128105e4, 2.5090809287301226727e3,
};
static const double below_middle[] = {
    1,
    4.2313330701600911252e1,
    6.8718700749205790830e2,
    5.3941960214247511077e3,
    2.1213794301586595867e4,
    3.9307895800092710610e4,
    2.8729085735721942674e4,
    5.2264952788528545610e3,
};
static const double near[] = {
    1.42343711074968357734e0,  4.63033784615654529590e0,  5.76949722146069140550e0,
    3.64784832476320460504e0,  1.27045825245236838258e0,  2.41780725177450611770e-1,
    2.27238449892691845833e-2, 7.74545014278341407640e-4,
};
static const double below_near[] = {
    1,
    2.05319162663775882187e0,
    1.67638483018380384940e0,
    6.89767334985100004550e-1,
    1.48103976427480074590e-1,
    1.51986665636164571966e-2,
    5.47593808499534494600e-4,
    1.05075007164441684324e-9,
};
static const double far[] = {
    6.65790464350110377720e0,  5.46378491116411436990e0,  1.78482653991729133580e0,
    2.96560571828504891230e-1, 2.65321895265761230930e-2, 1.24266094738807843860e-3,
    2.71155556874348757815e-5, 2.01033439929228813265e-7,
};
static const double below_far[] = {
    1,
    5.99832206555887937690e-1,
    1.36929880922735805310e-1,
    1.48753612908506148525e-2,
    7.86869131145613259100e-4,
    1.84631831751005468180e-5,
    1.42151175831644588870e-7,
    2.04426310338993978564e-15,
};

/* Algorithm AS 241, PPND16 (Wichura 1988): three quotients of polynomials of the seventh degree. */
double same_normal_quantile(double p)
{
    double q = p - 0.5;
    if (fabs(q) <= 0.425) {
        double r = 0.180625 - q * q;
        return q * polynomial(middle, DEGREES, r) / polynomial(below_middle, DEGREES, r);
    }
    double r = sqrt(-same_log(q < 0 ? p : 1 - p));
    double x = r <= 5
                   ? polynomial(near, DEGREES, r - 1.6) / polynomial(below_near, DEGREES, r - 1.6)
                   : polynomial(far, DEGREES, r - 5) / polynomial(below_far, DEGREES, r - 5);
    return q < 0 ? -x : x;
}
