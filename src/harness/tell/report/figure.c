/* figure.c - formats numbers for people. */
#include "harness/tell/report/figure.h"

#include "harness/base/json.h"

/* How a number of this size is written: divided by what, with which letter and how
 * many decimals. */
struct scale {
    double divisor;
    const char *letter;
    int decimals;
};

static struct scale scale_of(double value)
{
    struct scale scale = {1, "", 0};
    if (value >= 99999.5) {
        scale.divisor = value >= 999.5e6 ? 1e9 : value >= 999.5e3 ? 1e6 : 1e3;
        scale.letter = value >= 999.5e6 ? "G" : value >= 999.5e3 ? "M" : "k";
        value /= scale.divisor;
    }
    scale.decimals = value < 9.995 ? 2 : value < 99.95 ? 1 : 0;
    return scale;
}

void figure_number(char *out, double value)
{
    struct scale scale = scale_of(value);
    if (!isfinite(value))
        snprintf(out, FIGURE_SIZE, "-");
    else if (value == 0)
        snprintf(out, FIGURE_SIZE, "0");
    else
        snprintf(out, FIGURE_SIZE, "%.*f%s", scale.decimals, value / scale.divisor, scale.letter);
}

void figure_value(char *out, double value)
{
    double size = fabs(value);
    *out = '-';
    out += value < 0;
    if (size > 0 && size < 0.9995)
        snprintf(out, FIGURE_SIZE, "%.3g", size);
    else if (size < 99999.5 && floor(size) >= size)
        snprintf(out, FIGURE_SIZE, "%.0f", size);
    else
        figure_number(out, size);
}

void figure_in_unit(char *out, double value, double divisor)
{
    (divisor > 1 && value < 0.9995 * divisor ? figure_value : figure_number)(out, value / divisor);
}

bool figure_has_interval(const cJSON *interval)
{
    return interval && !(json_get_number(interval, "confidence") < FIGURE_CONFIDENCE);
}

void figure_interval(char *median, char *deviation, const cJSON *interval)
{
    double middle = json_get_number(interval, "median");
    double low = json_get_number(interval, "low"), high = json_get_number(interval, "high");
    double away = fmax(middle - low, high - middle);
    struct scale scale = scale_of(middle);
    figure_number(median, middle);
    deviation[0] = '\0';
    if (!isfinite(away) || !figure_has_interval(interval))
        return;
    if (away < middle)
        snprintf(deviation, FIGURE_DEVIATION_SIZE, "\u00b1%.*f", scale.decimals,
                 away / scale.divisor);
    else
        snprintf(deviation, FIGURE_DEVIATION_SIZE, "%.*f..%.*f", scale.decimals,
                 low / scale.divisor, scale.decimals, high / scale.divisor);
}

static const struct {
    const char *name;
    double ns;
} units[] = {{"ns", 1}, {"us", 1e3}, {"ms", 1e6}, {"s", 1e9}, {"h", 3.6e12}};
enum { SECONDS = 3, HOURS = 4 };

const char *figure_time_unit(const double *values_ns, size_t count, double *divisor)
{
    double least = INFINITY, most = 0;
    for (size_t i = 0; i < count; i++)
        if (values_ns[i] > 0) {
            least = fmin(least, values_ns[i]);
            most = fmax(most, values_ns[i]);
        }
    size_t unit = 0;
    while (isfinite(least) && unit < SECONDS && sqrt(least * most) >= 10 * units[unit + 1].ns &&
           least >= units[unit + 1].ns / 100)
        unit++;
    *divisor = units[unit].ns;
    return units[unit].name;
}

void figure_time(char *out, double ns)
{
    double magnitude = fabs(ns);
    size_t i = magnitude < 1e13 ? SECONDS : HOURS;
    while (i > 0 && magnitude < units[i].ns)
        i--;
    if (!isfinite(ns))
        snprintf(out, FIGURE_SIZE, "-");
    else if (magnitude > 0)
        snprintf(out, FIGURE_SIZE, "%.4g %s", ns / units[i].ns, units[i].name);
    else
        snprintf(out, FIGURE_SIZE, "0 ns");
}
