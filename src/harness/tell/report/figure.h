/*
 * figure.h - measured numbers as people want to read them.
 */
#ifndef TWBENCH_FIGURE_H
#define TWBENCH_FIGURE_H

#include "harness/base/libc.h"

#include <cjson/cJSON.h>

#define FIGURE_SIZE 32

/* Three significant digits, and a letter from 100,000 on: "1.23", "12.3", "12345", "123k", "1.23M".
 * "-" when it is not finite. */
void figure_number(char *out, double value);

/* The same for any figure of a document: shares keep three digits, what is counted has no decimals, and a
 * negative number has its sign.  `out` has FIGURE_SIZE + 1 characters. */
void figure_value(char *out, double value);
/* As figure_number, in a unit that a whole column has: far below it, three digits are kept. */
void figure_in_unit(char *out, double value, double divisor);

/* What an interval must have to be shown: six samples reach 96.9 %, five 93.8 %, one 0. */
#define FIGURE_CONFIDENCE 0.95
/* False for NULL, and where the confidence that the interval states is lower. */
bool figure_has_interval(const cJSON *interval);

/* A median and how far the farther end of its interval lies: "12.3" and "±0.4", or both ends, "0.9..30.1", where it
 * lies as far as 0 or farther.  The deviation has as many decimals as the median, and is "" without an interval; the
 * median is "-" when `interval` is NULL.  `deviation` has FIGURE_DEVIATION_SIZE characters. */
#define FIGURE_DEVIATION_SIZE (2 * FIGURE_SIZE + 3)
void figure_interval(char *median, char *deviation, const cJSON *interval);

/* The unit in which all of values[0 .. count) read well, NaN being ignored: "ns", "us", "ms" or
 * "s", and what to divide them by.  The middle of their magnitudes is 10 or more in it, and the least is 0.01 or more. */
const char *figure_time_unit(const double *values_ns, size_t count, double *divisor);

/* A time in the unit in which it reads well, four digits of it: "1.05 ms", "-9.306 us"; hours only where seconds
 * would need more than four digits.  "-" when it is not finite. */
void figure_time(char *out, double ns);

#endif
