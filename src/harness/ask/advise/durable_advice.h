/*
 * durable_advice.h - from evidence to the JSON of an advice on stores: a pure function of the cells it names.
 *
 * It stands as the key "advice" in a document of stores (docs/ADVISE-FORMAT.md, "Stores"), which report and
 * compare take as any other.
 */
#ifndef TWBENCH_DURABLE_ADVICE_H
#define TWBENCH_DURABLE_ADVICE_H

#include "harness/ask/advise/durable_evidence.h"

/* The object "advice", owned by the caller; keys are left out without memory. */
cJSON *durable_advice_make(const struct durable_evidence *evidence);

/* Does any store have figures? */
bool durable_advice_knows(const cJSON *document);

#endif
