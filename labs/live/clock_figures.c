/* clock_figures.c - the figures of cells with a runner. */
#include "labs/live/live.h"

#include "harness/tell/result/figure_words.h"

/* A histogram of the real clock: NAME, its title, the unit of its percentiles, and what it is of. */
#define CLOCK_TIME(name, p50_keep, p99_keep, max_keep, what)                                       \
    FIGURE(CELL, "clock.times_ns." #name, OBJECT, OR_NULL, .meaning = (what))                      \
    FIGURE(CELL, "clock.times_ns." #name ".p50", NUMBER, ALWAYS, .sheet = FIGURE_LAB,              \
           .title = #name " p50", .unit = "ns", .keep = (p50_keep),                                \
           .csv = "clock_" #name "_p50_ns", .claim = "clock_" #name "_p50_ns",                     \
           .meaning = P50_TIME)                                                                    \
    FIGURE(CELL, "clock.times_ns." #name ".p90", NUMBER, ALWAYS, .meaning = P90_TIME)              \
    FIGURE(CELL, "clock.times_ns." #name ".p99", NUMBER, ALWAYS, .sheet = FIGURE_LAB,              \
           .title = #name " p99", .unit = "ns", .keep = (p99_keep),                                \
           .csv = "clock_" #name "_p99_ns", .claim = "clock_" #name "_p99_ns",                     \
           .meaning = P99_TIME)                                                                    \
    FIGURE(CELL, "clock.times_ns." #name ".p99_9", NUMBER, ALWAYS, .meaning = P99_9_TIME)          \
    FIGURE(CELL, "clock.times_ns." #name ".p99_99", NUMBER, ALWAYS, .meaning = P99_99_TIME)        \
    FIGURE(CELL, "clock.times_ns." #name ".max", NUMBER, ALWAYS, .sheet = FIGURE_LAB,              \
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

static const struct figure rows[] = {
#include "labs/live/clock_figures.def"
};

const struct figures_part figures_of_runners = {
    rows, sizeof rows / sizeof *rows, "On the real clock",
    "What runners did on the machine's clock, and what became of every timer: accepted = ran + "
    "stopped + returned."};
