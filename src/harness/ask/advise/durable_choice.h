/*
 * durable_choice.h - which store is recommended, and which of the others differ from it.  Pure functions of the evidence.
 *
 * THE RULE.  A store that lost or repeated a message is out, and so is one whose process died or that answered an error.  Of those
 * that keep to the limits the best by the goal's median is taken, each pair compared at the largest number
 * of messages that both came to; one that stayed behind wins only where it is clearly better.  Two differ when the 95 % interval of the ratio of runs of one round says so by 3 %; of
 * fewer than six rounds a factor of four counts, times what the runs lie apart (criteria.h).
 */
#ifndef TWBENCH_DURABLE_CHOICE_H
#define TWBENCH_DURABLE_CHOICE_H

#include "harness/ask/advise/durable_evidence.h"

/* A figure that stores are compared by. */
struct durable_measure {
    const char *figure;           /* key of stores_cell.h */
    const char *says;             /* "%s puts a second" */
    const char *better;           /* "more puts a second" */
    bool more_is_better, is_late; /* is_late: of the run on the real clock */
    double ns;                    /* nanoseconds of its unit; 0: no time */
};

/* What the goal compares; CRITERION_WAKEUPS has none. */
const struct durable_measure *durable_goal(enum criterion goal);
/* The others in which a store may be better, in order; NULL behind the last. */
const struct durable_measure *durable_measure(size_t index);

/* The figure of an entrant where it came furthest; NaN. */
double durable_value(const struct durable_evidence *evidence, const struct durable_entrant *entrant,
                     const struct durable_measure *measure);

/* How many times better `left` is than `right`: above 1, better.  *size: at how many messages; all NaN when they have no size
 * in common at which both know it. */
struct summary durable_factor(const struct durable_evidence *evidence, size_t left, size_t right,
                              const struct durable_measure *measure, uint64_t *size);

/* Why it cannot be recommended, in words with figures; "" and true when it can. */
bool durable_allows(const struct durable_evidence *evidence, const struct durable_entrant *entrant,
                    char *why, size_t size);

struct durable_choice {
    size_t chosen; /* CHOICE_NONE: nobody */
    size_t next;   /* the best of those that are clearly worse, or CHOICE_NONE */
    bool allowed[STORING_LIST_MAX];
    bool equal[STORING_LIST_MAX]; /* allowed, not chosen, and not clearly different from it */
};

/* The store that serves the wishes best, among those that keep to the limits.  Allocates nothing. */
struct durable_choice durable_choose(const struct durable_evidence *evidence);

#endif
