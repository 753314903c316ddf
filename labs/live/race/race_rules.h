/*
 * race_rules.h - names what a runner has to keep, and holds the first thing that it broke.
 */
#ifndef TWBENCH_RACE_RULES_H
#define TWBENCH_RACE_RULES_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

/* One row each: key and the sentence that is printed. */
#define RACE_RULES(X)                                                                              \
    X(OPEN, "open takes what the table allows and refuses the rest")                               \
    X(START, "start answers what is so")                                                           \
    X(STOP, "stop answers what is so")                                                             \
    X(EARLY, "no timer fires early")                                                               \
    X(LOST, "no timer is lost")                                                                    \
    X(TWICE, "no timer ends twice")                                                                \
    X(STOPPED, "a stopped timer runs no more")                                                     \
    X(DUE, "what is due runs")                                                                     \
    X(CATCH_UP, "overslept ticks are made up")                                                     \
    X(REPEAT, "a periodic timer keeps its dues")                                                   \
    X(FIRING, "a firing tells its timer and its moments")                                          \
    X(CAP, "the cap on pending timers holds")                                                      \
    X(PLACES, "places come back")                                                                  \
    X(NAMES, "a name is of one timer alone")                                                       \
    X(LIMIT, "a tick moves no more than its limit")                                                \
    X(SHUT, "shut ends all tasks and is done once")                                                \
    X(INSIDE, "shut in a task is refused")                                                         \
    X(STATS, "statistics agree with the books")                                                    \
    X(CHECK, "check finds nothing broken")                                                         \
    X(RETURNS, "every call returns")                                                               \
    X(CRASH, "no call crashes")

/* A rule for each row; RACE_HOLDS: none was broken. */
enum race_rule {
    RACE_HOLDS,
#define RACE_RULE_KEY(key, sentence) RACE_##key,
    RACE_RULES(RACE_RULE_KEY)
#undef RACE_RULE_KEY
        RACE_RULE_COUNT
};

/* The sentence; "" for RACE_HOLDS. */
const char *race_rule_name(enum race_rule rule);

/* The first finding of a service.  Any thread may offer one; those after the first are dropped. */
struct race_finding {
    _Atomic uint32_t taken; /* somebody fills it */
    _Atomic uint32_t rule;  /* of enum race_rule; the text is whole when this is not RACE_HOLDS */
    char detail[400];
};

/* Offers a finding, from any thread; printf-like.  Only the first is kept. */
void race_find(struct race_finding *finding, enum race_rule rule, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

static inline bool race_is_found(const struct race_finding *finding)
{
    return atomic_load_explicit(&finding->taken, memory_order_relaxed) != 0;
}

#endif
