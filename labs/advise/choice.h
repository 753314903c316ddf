/*
 * choice.h - chooses the contender that serves the wishes best.
 *
 * THE RULE.  Of the contenders that keep to the limits take the best by the goal, and with it all that do
 * not differ significantly from it and whose figure is worse by at most 3 % (of tails: by a factor of two).
 * Among these prefer the one that is better in the next of the goal's criteria in which two differ (memory
 * and wake-ups by 10 % here), and where there is none the simpler one: fewer settings of its own, then the
 * earlier in the list of designs.
 * Where some were sampled CRITERIA_PAIRS_MIN times and more, only these are recommended.
 */
#ifndef TWBENCH_CHOICE_H
#define TWBENCH_CHOICE_H

#include "harness/base/diag.h"
#include "labs/advise/criteria.h"

#include <stdint.h>

struct wishes {
    enum criterion goal; /* any but CRITERION_PRECISION; on the real clock any */
    bool on_clock;       /* asked of runners and designs */
    bool goal_given;
    bool late;           /* lateness is allowed, by one of these; else only exact designs */
    uint64_t late_ns;    /* most, against what was asked for; 0: not given */
    double late_share;   /* most that a design may declare, of a delay; 0: not given */
    double memory_bytes; /* most per task; 0: no limit */
    uint64_t tail_ns;    /* longest advance; 0: no limit */
};

/* "cost", "memory", "tail", "wakeups", "late" into *out; DIAG_USAGE for another word. */
int wishes_parse_goal(const char *value, const char *flag, enum criterion *out, struct diag *diag);
/* Of the wishes once all are known: DIAG_USAGE for one that virtual time, or the real clock, has no answer to.  On
 * the real clock the goal is lateness unless another is given. */
int wishes_finish(struct wishes *wishes, struct diag *diag);
/* "10ms" or "12.5%", or a share as a number below 1: DIAG_USAGE for anything else, or nothing. */
int wishes_parse_late(const char *value, const char *flag, struct wishes *out, struct diag *diag);

/* The rule in a sentence or two, with what is wished for. */
void wishes_describe(char *out, size_t size, const struct wishes *wishes);

/* Does it keep to the limits that are measured: lateness, memory, tail?  If not, why: in words with the
 * figures.  `as_due`: an exact design at the load's own tick, which is never too late.  Not for one of
 * which nothing is known. */
bool wishes_allow(const struct wishes *wishes, const struct contender *contender, bool as_due,
                  char *why, size_t size);

/* What is compared of a contender when everything measured is alike: less is simpler. */
struct choice_contender {
    const struct contender *contender;
    bool allowed;
    unsigned settings, place; /* settings of its own; its design's place in the registry */
};

#define CHOICE_NONE SIZE_MAX

struct choice {
    size_t best;   /* by the goal alone; CHOICE_NONE when none is allowed */
    size_t chosen; /* the recommended one */
    /* Why it is not `best`: the criterion, or CRITERIA when it is only simpler. */
    enum criterion because;
};

/* equal[i]: contender i may be recommended, and differs by the goal significantly neither from the best nor
 * from the chosen one. */
struct choice choice_make(const struct wishes *wishes, const struct choice_contender *contenders,
                          size_t count, bool *equal);

#endif
