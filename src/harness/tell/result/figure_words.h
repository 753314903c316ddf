/*
 * figure_words.h - the words that the rows of a catalogue of figures are written in.  For the file that includes the
 * rows, and no other.
 */
#ifndef TWBENCH_FIGURE_WORDS_H
#define TWBENCH_FIGURE_WORDS_H

/* The words of figures.def and of TW_WORK_COUNTERS. */
#define ALWAYS   0u
#define OR_NULL  FIGURE_OR_NULL
#define LATER    FIGURE_LATER
#define BESIDE   FIGURE_BESIDE
#define MAY_LACK FIGURE_MAY_LACK
#define MOST     FIGURE_MOST
#define SIGNED   FIGURE_SIGNED

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

#endif
