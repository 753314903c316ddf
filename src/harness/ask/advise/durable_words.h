/*
 * durable_words.h - the sentences of an advice on stores, each made of figures of the cells it names.
 */
#ifndef TWBENCH_DURABLE_WORDS_H
#define TWBENCH_DURABLE_WORDS_H

#include "harness/ask/advise/durable_choice.h"
#include "harness/ask/advise/words.h"

/* "3.41 times better by puts a second than sqlite (2.9 - 3.6, 6 pairs, at 1M messages)": than the next that clearly
 * differs; "" without one. */
void durable_words_next(char *out, size_t size, const struct durable_evidence *evidence,
                        const struct durable_choice *choice);
/* "No clear answer between wheel-log and sqlite by puts a second"; "" when the chosen one differs from all others, and
 * "no other store was measured" when there is none. */
void durable_words_unclear(char *out, size_t size, const struct durable_evidence *evidence,
                           const struct durable_choice *choice);
/* Reason number `index` for the chosen one, from 0 on; false behind the last. */
bool durable_words_reason(char *out, size_t size, const struct durable_evidence *evidence,
                          const struct durable_choice *choice, size_t index);
/* What the store cannot do: policies, delays, what it refused while it was measured; "" for nothing. */
void durable_words_refuses(char *out, size_t size, const struct durable_evidence *evidence,
                           const struct durable_entrant *entrant);
/* Why an entrant is not the answer, and at how many messages that was seen. */
void durable_words_why(char *out, size_t size, const struct durable_evidence *evidence,
                       const struct durable_choice *choice, size_t entrant);
/* The rule in a sentence. */
void durable_words_rule(char *out, size_t size, const struct wishes *wishes);
/* A command line that measures the store again, as far as it came. */
void durable_words_command(char *out, size_t size, const struct durable_evidence *evidence,
                           const struct durable_entrant *entrant);

#endif
