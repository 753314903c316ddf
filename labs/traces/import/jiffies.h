/* jiffies.h - finds which jiffy it was at a time of the log.
 *
 * Most events of the timer wheel say what jiffies was when they were logged; a cancel does not.  The
 * kernel adds one every 1/HZ s, so one offset fits them all,
 *
 *     jiffy(ns) = floor((ns - base) / tick)
 *
 * where base is the least of ns - jiffy * tick over all that is known: the tick's handler comes late, by
 * microseconds as a rule, and never early.  The tick is what the kernel uses, 10^9 / HZ rounded to whole
 * nanoseconds (3333333 at 300 HZ).  HZ is not in a log, but of the values that kernels are built
 * with the wrong ones fit badly as soon as some jiffies have gone by.
 */
#ifndef TWBENCH_JIFFIES_H
#define TWBENCH_JIFFIES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define JIFFIES_HZ_DEFAULT 250

struct jiffies {
    uint64_t tick_ns;
    bool begun;
    uint64_t first_ns, first; /* what was known first; all else is counted from there */
    int64_t base;
};

/* One event that tells. */
struct jiffies_known {
    uint64_t ns, jiffies;
};

/* The kernel's length of a jiffy: 10^9 / hz, rounded to whole nanoseconds. */
uint64_t jiffies_tick_ns(uint64_t hz);

/* Nothing learnt yet.  Then each event moves the fit to the earliest begin of a jiffy that all of them allow. */
void jiffies_init(struct jiffies *fit, uint64_t hz);
void jiffies_learn(struct jiffies *fit, struct jiffies_known known);
/* The fitted one; something must have been learnt. */
uint64_t jiffies_at(const struct jiffies *fit, uint64_t ns);
/* The fitted one minus the known one: 0, or how many ticks the kernel was behind. */
int64_t jiffies_error(const struct jiffies *fit, struct jiffies_known known);

/* How far a difference of jiffies can be from one log; beyond it a number is no such thing. */
#define JIFFIES_SPAN_MAX (INT64_C(1) << 31)

/* Finds HZ among those that kernels have; each is tried on the known ones.  The first of the table (the
 * default leads it) that fits at most 5 in 100 worse than the best is taken.  *other: another one that
 * does so too, 0 when there is none, which is to say that the log is long enough to tell. */
uint64_t jiffies_find_hz(const struct jiffies_known *known, size_t count, uint64_t *other);

#endif
