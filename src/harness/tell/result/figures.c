/* figures.c - makes the table of figures.def, and names and lists what is in it. */
#include "harness/tell/result/figures.h"

#include "impls/backend.h"
#include "runners/runner.h"

#include <string.h>

/* The words of figures.def and of TW_WORK_COUNTERS. */
#define ALWAYS   0u
#define OR_NULL  FIGURE_OR_NULL
#define LATER    FIGURE_LATER
#define BESIDE   FIGURE_BESIDE
#define MAY_LACK FIGURE_MAY_LACK
#define MOST     FIGURE_MOST

#define MEDIAN      "Median of the samples."
#define LOW         "Lower end of the interval."
#define HIGH        "Upper end of the interval."
#define CONFIDENCE  "Exact probability that [low, high] covers the true median."
#define SAMPLES     "Every sample, in the order in which they were taken."
#define P50         "50 % of the calls took at most this long."
#define P90         "90 % of the calls took at most this long."
#define P99         "99 % of the calls took at most this long."
#define P99_9       "99.9 % of the calls took at most this long."
#define P99_99      "99.99 % of the calls took at most this long."
#define MAX         "The longest call, exact."
#define MEAN        "Arithmetic mean."
#define COUNT       "Calls that were timed."
#define P50_TIME    "50 % took at most this long."
#define P90_TIME    "90 % took at most this long."
#define P99_TIME    "99 % took at most this long."
#define P99_9_TIME  "99.9 % took at most this long."
#define P99_99_TIME "99.99 % took at most this long."
#define MAX_TIME    "The longest, exact."
#define COUNT_TIME  "Values in the histogram."
#define BINS_TIME   "Bins that are not empty, rising: [lowest value in ns, values]."
#define BINS        "Bins that are not empty, rising: [lowest value in ns, calls]."

#define FIGURE(whose, where, what, how, ...)                                                       \
    {.owner = FIGURE_OF_##whose, .path = where, .type = FIGURE_##what, .flags = how, __VA_ARGS__},

#define OTHER_QUANTILES(of)                                                                        \
    FIGURE(PHASE, of ".p90", NUMBER, MOST, .meaning = P90)                                         \
    FIGURE(PHASE, of ".p99_9", NUMBER, MOST, .meaning = P99_9)                                     \
    FIGURE(PHASE, of ".p99_99", NUMBER, MOST, .meaning = P99_99)                                   \
    FIGURE(PHASE, of ".mean", NUMBER, MOST, .meaning = MEAN)                                       \
    FIGURE(PHASE, of ".count", INTEGER, ALWAYS, .meaning = COUNT)                                  \
    FIGURE(PHASE, of ".bins", ARRAY, ALWAYS, .meaning = BINS)

#define COUNTER(name, since, what)                                                                 \
    FIGURE(PHASE, "work." #name, INTEGER, since, .sheet = FIGURE_WORK, .keep = 7, .csv = #name,    \
           .measure = #name, .claim = #name, .gate = #name, .meaning = (what))

/* A histogram of the real clock: NAME, its title, the unit of its percentiles, and what it is of. */
#define CLOCK_TIME(name, p50_keep, p99_keep, max_keep, what)                                       \
    FIGURE(CELL, "clock.times_ns." #name, OBJECT, OR_NULL, .meaning = (what))                      \
    FIGURE(CELL, "clock.times_ns." #name ".p50", NUMBER, ALWAYS, .sheet = FIGURE_CLOCK,            \
           .title = #name " p50", .unit = "ns", .keep = (p50_keep),                                \
           .csv = "clock_" #name "_p50_ns", .claim = "clock_" #name "_p50_ns",                     \
           .meaning = P50_TIME)                                                                    \
    FIGURE(CELL, "clock.times_ns." #name ".p90", NUMBER, ALWAYS, .meaning = P90_TIME)              \
    FIGURE(CELL, "clock.times_ns." #name ".p99", NUMBER, ALWAYS, .sheet = FIGURE_CLOCK,            \
           .title = #name " p99", .unit = "ns", .keep = (p99_keep),                                \
           .csv = "clock_" #name "_p99_ns", .claim = "clock_" #name "_p99_ns",                     \
           .meaning = P99_TIME)                                                                    \
    FIGURE(CELL, "clock.times_ns." #name ".p99_9", NUMBER, ALWAYS, .meaning = P99_9_TIME)          \
    FIGURE(CELL, "clock.times_ns." #name ".p99_99", NUMBER, ALWAYS, .meaning = P99_99_TIME)        \
    FIGURE(CELL, "clock.times_ns." #name ".max", NUMBER, ALWAYS, .sheet = FIGURE_CLOCK,            \
           .title = #name " max", .unit = "ns", .keep = (max_keep),                                \
           .csv = "clock_" #name "_max_ns", .claim = "clock_" #name "_max_ns",                     \
           .meaning = MAX_TIME)                                                                    \
    FIGURE(CELL, "clock.times_ns." #name ".mean", NUMBER, ALWAYS, .meaning = MEAN)                 \
    FIGURE(CELL, "clock.times_ns." #name ".count", INTEGER, ALWAYS, .meaning = COUNT_TIME)         \
    FIGURE(CELL, "clock.times_ns." #name ".bins", ARRAY, ALWAYS, .meaning = BINS_TIME)

#define CLOCK_STAT(name, what)                                                                     \
    FIGURE(CELL, "clock.stats." #name, INTEGER, ALWAYS, .claim = "clock_" #name, .meaning = (what))

/* Since version 3 of the runners' contract. */
#define CLOCK_STAT_LATER(name, what)                                                               \
    FIGURE(CELL, "clock.stats." #name, INTEGER, LATER, .claim = "clock_" #name, .meaning = (what))

const struct figure figures[] = {
#include "harness/tell/result/figures.def"
};
const size_t figure_count = sizeof figures / sizeof *figures;

static void write_name(char out[FIGURE_NAME_SIZE], const char *name, char gap)
{
    snprintf(out, FIGURE_NAME_SIZE, "%s", name);
    for (char *c = out; *c; c++)
        *c = *c == '_' ? gap : *c;
}

void figure_title(char out[FIGURE_NAME_SIZE], const struct figure *figure)
{
    const char *dot = strrchr(figure->path, '.');
    write_name(out, figure->title ? figure->title : dot ? dot + 1 : figure->path, ' ');
}

void figure_measure(char out[FIGURE_NAME_SIZE], const struct figure *figure)
{
    write_name(out, figure->measure ? figure->measure : "", '-');
}

const char *figure_prefix(const struct figure *figure)
{
    static const char *const prefixes[] = {[FIGURE_OF_CELL] = "",
                                           [FIGURE_OF_PHASE] = "phases[].",
                                           [FIGURE_OF_SCHEDULE] = "schedules[]."};
    return prefixes[figure->owner];
}

static const char *type_name(const struct figure *figure)
{
    static const char *const names[] = {
        [FIGURE_NUMBER] = "number", [FIGURE_INTEGER] = "integer", [FIGURE_TEXT] = "text",
        [FIGURE_BOOL] = "boolean",  [FIGURE_OBJECT] = "object",   [FIGURE_ARRAY] = "array"};
    return names[figure->type];
}

static const char *code(char out[FIGURE_NAME_SIZE + 2], const char *name)
{
    const char *quote = name && *name ? "`" : "";
    snprintf(out, FIGURE_NAME_SIZE + 2, "%s%s%s", quote, name ? name : "", quote);
    return out;
}

static void print_row(FILE *out, const struct figure *figure)
{
    char measure[FIGURE_NAME_SIZE], names[4][FIGURE_NAME_SIZE + 2];
    figure_measure(measure, figure);
    bool must = !(figure->flags & (FIGURE_LATER | FIGURE_MAY_LACK));
    fprintf(out, "| `%s%s` | %s%s | %s | %s | %s%s | %s | %s | %s | %s |\n", figure_prefix(figure),
            figure->path, type_name(figure), figure->flags & FIGURE_OR_NULL ? " or null" : "",
            must ? "yes" : "no", figure->unit ? figure->unit : "", figure->meaning,
            figure->flags & FIGURE_LATER ? " Results of older versions lack it." : "",
            code(names[0], figure->csv), code(names[1], measure), code(names[2], figure->claim),
            code(names[3], figure->gate));
}

void figures_print(FILE *out)
{
    fputs("| figure | type | must | unit | meaning | CSV | measure | claims | compare |\n"
          "|---|---|---|---|---|---|---|---|---|\n",
          out);
    for (size_t i = 0; i < figure_count; i++)
        print_row(out, &figures[i]);
}
