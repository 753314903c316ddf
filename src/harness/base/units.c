/* units.c - reads exact decimal numbers with a suffix, and writes short forms for people.
 *
 * A number is read as digits * 10^exponent in integers, never as a double, so that 0.1s is
 * 100000000 ns and a fraction that does not come out even is seen rather than rounded.
 */
#include "harness/base/units.h"

#include <math.h>

/* digits * 10^exponent, as written, before the suffix. */
struct decimal {
    uint64_t digits;
    int exponent;
};

struct suffix {
    const char *text;
    uint64_t factor;
};

static const struct suffix count_suffixes[] = {
    {"", 1},           {"k", 1000},
    {"K", 1000},       {"M", 1000000},
    {"G", 1000000000}, {"T", UINT64_C(1000000000000)},
    {"Ki", 1 << 10},   {"Mi", 1 << 20},
    {"Gi", 1 << 30},   {"Ti", UINT64_C(1) << 40},
    {NULL, 0},
};

/* The first are those that times are written in. */
enum { TIMES_WRITTEN = 7 };
static const struct suffix time_suffixes[] = {
    {"ns", 1},
    {"us", 1000},
    {"ms", 1000000},
    {"s", 1000000000},
    {"min", UINT64_C(60000000000)},
    {"h", UINT64_C(3600000000000)},
    {"d", UINT64_C(86400000000000)},
    {"m", UINT64_C(60000000000)},
    {NULL, 0},
};

/* An exponent further out than this is overflow or a lost fraction whatever the digits are. */
enum { EXPONENT_MAX = 60 };

enum verdict { VERDICT_OK, VERDICT_MALFORMED, VERDICT_OVERFLOW, VERDICT_FRACTION };

static bool decimal_digit(struct decimal *number, char digit)
{
    uint64_t value = (uint64_t)(digit - '0');
    if (number->digits > (UINT64_MAX - value) / 10)
        return false;
    number->digits = number->digits * 10 + value;
    return true;
}

/* Reads 12, 1.5 or .5; *end is left after it.  Zeros at the end of a fraction change nothing and
 * are dropped, so that 1.50000 does not run out of digits. */
static enum verdict decimal_mantissa(const char *text, struct decimal *out, const char **end)
{
    const char *at = text;
    size_t digits = 0;
    for (; isdigit((unsigned char)*at); at++, digits++)
        if (!decimal_digit(out, *at))
            return VERDICT_OVERFLOW;
    if (*at == '.') {
        const char *stop = ++at;
        while (isdigit((unsigned char)*stop))
            stop++;
        const char *last = stop;
        digits += (size_t)(stop - at);
        while (last > at && last[-1] == '0')
            last--;
        for (; at < last; at++, out->exponent--)
            if (!decimal_digit(out, *at))
                return VERDICT_FRACTION;
        at = stop;
    }
    *end = at;
    return digits ? VERDICT_OK : VERDICT_MALFORMED;
}

/* Reads e6 or E-3, when there is one: an 'e' without digits is left for the suffix to refuse. */
static const char *decimal_exponent(const char *at, struct decimal *out)
{
    if (*at != 'e' && *at != 'E')
        return at;
    const char *digit = at + 1;
    bool negative = *digit == '-';
    if (*digit == '-' || *digit == '+')
        digit++;
    if (!isdigit((unsigned char)*digit))
        return at;
    int exponent = 0;
    for (; isdigit((unsigned char)*digit); digit++)
        if (exponent < 1000)
            exponent = exponent * 10 + (*digit - '0');
    out->exponent += negative ? -exponent : exponent;
    return digit;
}

/* Takes the prime out of one of the two; false when neither has it. */
static bool take_out(uint64_t prime, uint64_t *digits, uint64_t *factor)
{
    uint64_t *from = *digits % prime == 0 ? digits : factor;
    if (*from % prime != 0)
        return false;
    *from /= prime;
    return true;
}

/* number * factor, when that is a whole number that fits; else *out is left alone. */
static enum verdict decimal_scale(struct decimal number, uint64_t factor, uint64_t *out)
{
    uint64_t digits = number.digits, product = 0;
    int exponent = digits == 0 ? 0 : number.exponent;
    if (exponent > EXPONENT_MAX || exponent < -EXPONENT_MAX)
        return exponent > 0 ? VERDICT_OVERFLOW : VERDICT_FRACTION;
    for (; exponent < 0; exponent++)
        if (!take_out(2, &digits, &factor) || !take_out(5, &digits, &factor))
            return VERDICT_FRACTION;
    for (; exponent > 0; exponent--)
        if (__builtin_mul_overflow(digits, 10, &digits))
            return VERDICT_OVERFLOW;
    if (__builtin_mul_overflow(digits, factor, &product))
        return VERDICT_OVERFLOW;
    *out = product;
    return VERDICT_OK;
}

static enum verdict units_parse(const char *text, const struct suffix *suffixes, uint64_t *out)
{
    struct decimal number = {0, 0};
    const char *end = text;
    enum verdict verdict = decimal_mantissa(text, &number, &end);
    if (verdict != VERDICT_OK)
        return verdict;
    end = decimal_exponent(end, &number);
    for (; suffixes->text; suffixes++)
        if (strcmp(end, suffixes->text) == 0)
            return decimal_scale(number, suffixes->factor, out);
    return VERDICT_MALFORMED;
}

static int units_report(enum verdict verdict, const char *text, const char *what, const char *noun,
                        const char *example, struct diag *diag)
{
    switch (verdict) {
    case VERDICT_OK:
        return DIAG_OK;
    case VERDICT_OVERFLOW:
        return diag_usage(diag, "%s: '%.80s' is too large, expected %s below 2^64", what, text,
                          noun);
    case VERDICT_FRACTION:
        return diag_usage(diag, "%s: '%.80s' is not a whole number, expected %s such as %s", what,
                          text, noun, example);
    case VERDICT_MALFORMED:
        break;
    }
    return diag_usage(diag, "%s: '%.80s' is not %s, expected %s such as %s", what, text, noun, noun,
                      example);
}

int units_parse_count(const char *text, const char *what, uint64_t *out, struct diag *diag)
{
    enum verdict verdict = units_parse(text, count_suffixes, out);
    return units_report(verdict, text, what, "a count", "1000, 1e6, 1M or 1Mi", diag);
}

int units_parse_time(const char *text, const char *what, uint64_t *out_ns, struct diag *diag)
{
    enum verdict verdict = units_parse(text, time_suffixes, out_ns);
    if (verdict == VERDICT_FRACTION)
        return diag_usage(diag, "%s: '%.80s' is not a whole number of nanoseconds", what, text);
    return units_report(verdict, text, what, "a time", "10ms, 1.5s or 1h", diag);
}

int units_parse_ticks(const char *text, uint64_t tick_ns, const char *what, uint64_t *out_ticks,
                      struct diag *diag)
{
    uint64_t ns;
    if (units_parse(text, time_suffixes, &ns) == VERDICT_OK) {
        *out_ticks = ns / tick_ns + (ns % tick_ns != 0);
        return DIAG_OK;
    }
    enum verdict verdict = units_parse(text, count_suffixes, out_ticks);
    return units_report(verdict, text, what, "a number of ticks or a time", "30000 or 30s", diag);
}

int units_parse_real(const char *text, const char *what, double *out, struct diag *diag)
{
    /* strtod alone would take hexadecimal, "inf" and "nan". */
    size_t length = strspn(text, "0123456789.eE+-");
    char *end = NULL;
    double value = length && !text[length] && text[0] != '+' ? strtod(text, &end) : 0;
    if (!end || *end || !isfinite(value))
        return diag_usage(diag, "%s: '%.80s' is not a number, expected one such as 0.5 or 1e-4",
                          what, text);
    *out = value;
    return DIAG_OK;
}

int units_parse_count_in(const char *text, const char *what, uint64_t min, uint64_t max,
                         uint64_t *out, struct diag *diag)
{
    int status = units_parse_count(text, what, out, diag);
    if (status == DIAG_OK && (*out < min || *out > max))
        return diag_usage(diag, "%s: %s given; expected %" PRIu64 " .. %" PRIu64, what, text, min,
                          max);
    return status;
}

int units_parse_real_in(const char *text, const char *what, double min, double max, double *out,
                        struct diag *diag)
{
    int status = units_parse_real(text, what, out, diag);
    if (status != DIAG_OK || (*out >= min && *out <= max))
        return status;
    return diag_usage(diag, "%s: %.60s, expected a number from %g to %g", what, text, min, max);
}

/* Three significant digits without zeros at the end; of a large number every digit before the point. */
static void format_scaled(char *out, size_t size, double value, const char *gap, const char *unit)
{
    snprintf(out, size, value < 999.5 ? "%.3g%s%s" : "%.0f%s%s", value, gap, unit);
}

void units_format_count(char *out, size_t size, uint64_t count)
{
    static const char *const units[] = {"", "k", "M", "G", "T", "P", "E"};
    double value = (double)count;
    size_t unit = 0;
    for (; value >= 999.5 && unit + 1 < sizeof units / sizeof *units; unit++)
        value /= 1000;
    format_scaled(out, size, value, "", units[unit]);
}

void units_format_time(char *out, size_t size, uint64_t ns)
{
    const struct suffix *units = time_suffixes;
    size_t unit = 0;
    while (unit + 1 < TIMES_WRITTEN && ns >= units[unit + 1].factor)
        unit++;
    /* 999.9 us would print as "1000 us": what rounds up to the next unit is written in it. */
    if (unit < 3 && (double)ns / (double)units[unit].factor >= 999.5)
        unit++;
    format_scaled(out, size, (double)ns / (double)units[unit].factor, " ", units[unit].text);
}

void units_exact_time(char *out, size_t size, uint64_t ns)
{
    size_t unit = 0;
    while (unit < 3 && ns > 0 && ns % time_suffixes[unit + 1].factor == 0)
        unit++;
    snprintf(out, size, "%" PRIu64 "%s", ns / time_suffixes[unit].factor, time_suffixes[unit].text);
}

void units_format_bytes(char *out, size_t size, uint64_t bytes)
{
    static const char *const units[] = {"B", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"};
    double value = (double)bytes;
    size_t unit = 0;
    for (; value >= 1023.5 && unit + 1 < sizeof units / sizeof *units; unit++)
        value /= 1024;
    snprintf(out, size, unit == 0 || value >= 9.95 ? "%.0f %s" : "%.1f %s", value, units[unit]);
}

/* -1 below the edge, 0 on it, 1 above. */
static int side_of(double share, double edge)
{
    return (share > edge) - (share < edge);
}

void units_format_percent(char *out, size_t size, double share, double edge)
{
    double rounded = 0;
    int decimals = 0;
    do {
        double scale = pow(10, ++decimals);
        rounded = round(100 * share * scale) / scale;
    } while (decimals < 4 && (side_of(rounded / 100, edge) != side_of(share, edge) ||
                              side_of(rounded / 100, -edge) != side_of(share, -edge)));
    snprintf(out, size, "%.*f", decimals, rounded == 0 ? 0 : rounded);
}

/* Two digits of what is below 0.1 %: exact figures differ by less, and must not read as equal. */
void units_format_change(char *out, size_t size, double share)
{
    double percent = 100 * share;
    if (!isfinite(percent))
        snprintf(out, size, "-");
    else if (percent == 0)
        snprintf(out, size, "0 %%");
    else if (fabs(percent) < 0.095)
        snprintf(out, size, "%+.2g %%", percent);
    else
        snprintf(out, size, "%+.*f %%", fabs(percent) < 999.5 ? 1 : 0, percent);
}

uint64_t units_whole(double value)
{
    return value >= 0x1p64 ? UINT64_MAX : value > 0 ? (uint64_t)value : 0;
}
