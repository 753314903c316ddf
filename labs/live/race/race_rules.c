/* race_rules.c - keeps the first finding and the sentences of the rules. */
#include "labs/live/race/race_rules.h"

#include <stdarg.h>
#include <stdio.h>

static const char *const sentences[RACE_RULE_COUNT] = {[RACE_HOLDS] = "",
#define RACE_RULE_SENTENCE(key, sentence) [RACE_##key] = (sentence),
                                                       RACE_RULES(RACE_RULE_SENTENCE)
#undef RACE_RULE_SENTENCE
};

const char *race_rule_name(enum race_rule rule)
{
    return sentences[rule];
}

void race_find(struct race_finding *finding, enum race_rule rule, const char *format, ...)
{
    va_list arguments;
    if (atomic_exchange(&finding->taken, 1) != 0)
        return;
    va_start(arguments, format);
    vsnprintf(finding->detail, sizeof finding->detail, format, arguments);
    va_end(arguments);
    atomic_store(&finding->rule, (uint32_t)rule);
}
