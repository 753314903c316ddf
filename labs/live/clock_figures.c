/* clock_figures.c - the figures of cells with a runner. */
#include "labs/live/live.h"

#include "harness/tell/result/figure_words.h"

#define CLOCK_SHOWN(name, percentile, kept, what)                                                  \
    FIGURE(CELL, "clock.times_ns." #name "." #percentile, NUMBER, ALWAYS, .sheet = FIGURE_LAB,     \
           .title = #name " " #percentile, .unit = "ns", .keep = (kept), .meaning = (what),        \
           .csv = "clock_" #name "_" #percentile "_ns",                                            \
           .claim = "clock_" #name "_" #percentile "_ns")
/* A histogram of the real clock: NAME, its title, the unit of its percentiles, and what it is of. */
#define CLOCK_TIME(name, p50_keep, p99_keep, max_keep, what)                                       \
    FIGURE(CELL, "clock.times_ns." #name, OBJECT, OR_NULL, .meaning = (what))                      \
    CLOCK_SHOWN(name, p50, p50_keep, P50_TIME)                                                     \
    FIGURE(CELL, "clock.times_ns." #name ".p90", NUMBER, ALWAYS, .meaning = P90_TIME)              \
    CLOCK_SHOWN(name, p99, p99_keep, P99_TIME)                                                     \
    FIGURE(CELL, "clock.times_ns." #name ".p99_9", NUMBER, ALWAYS, .meaning = P99_9_TIME)          \
    FIGURE(CELL, "clock.times_ns." #name ".p99_99", NUMBER, ALWAYS, .meaning = P99_99_TIME)        \
    CLOCK_SHOWN(name, max, max_keep, MAX_TIME)                                                     \
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
