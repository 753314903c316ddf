/*
 * advice.h - from evidence to the JSON of the advice: a pure function of the cells it names.
 *
 * An advice document is a result document with the keys "kind" and "advice" (schema/advice-1.json), so
 * that --resume, report and the exports take it as any other result.
 */
#ifndef TWBENCH_ADVICE_H
#define TWBENCH_ADVICE_H

#include "harness/tell/result/document.h"
#include "labs/advise/evidence.h"

/* The object "advice", owned by the caller; keys are left out without memory.  The evidence has been
 * looked up (evidence_look). */
cJSON *advice_make(const struct advice_evidence *evidence);

/* Looks the evidence up in the document, makes the advice and puts it there. */
int advice_attach(struct advice_evidence *evidence, struct result_document *document,
                  struct diag *diag);

#endif
