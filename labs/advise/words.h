/*
 * words.h - the sentences of an advice, each made of figures that stand beside it in the document.
 */
#ifndef TWBENCH_WORDS_H
#define TWBENCH_WORDS_H

#include "labs/advise/evidence.h"

#define WORDS_SIZE 700

/* Three significant digits: "0.31", "7.12", "24.2", "131". */
void words_number(char *out, size_t size, double value);
/* The same in the unit in which it reads well: "4.31 us". */
void words_time(char *out, size_t size, double ns);

/* Reason number `index`, from 0 on, for the choice of the field; false behind the last. */
bool words_reason(char *out, size_t size, const struct advice_evidence *evidence,
                  const struct field *field, size_t index);

/* "No clear answer between hashed and round by cost", when another design than the chosen one does not differ
 * significantly by the goal, or when no other was measured; "" else.  The field has a choice. */
void words_unclear(char *out, size_t size, const struct advice_evidence *evidence,
                   const struct field *field);

/* What the chosen design is, and which starts it refuses as it was measured. */
void words_is(char *out, size_t size, const struct advice_evidence *evidence,
              const struct field *field);

/* Why a candidate is not the answer: what it lost by, or that it was not measured and why. */
void words_why(char *out, size_t size, const struct advice_evidence *evidence,
               const struct field *field, size_t candidate);

/* A command line that measures the candidate again. */
void words_command(char *out, size_t size, const struct load *load,
                   const struct candidate *candidate);

#endif
