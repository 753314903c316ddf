/*
 * cell.h - one cell of the result document: what was asked and what came of it, as JSON.
 */
#ifndef TWBENCH_CELL_H
#define TWBENCH_CELL_H

#include "harness/tell/result/document.h"

/* Enough for four settings of TW_VALUES_MAX values. */
#define CELL_IDENTITY_SIZE 2048

/* What makes two cells the same experiment, as one line for people and for strcmp: design and
 * settings asked for, the stream with its hash, how it was sampled.  Not the limits: see
 * result_has_cell. */
void cell_identity_text(char *out, size_t size, const struct cell_identity *identity,
                        const struct stream *stream);

/* The cell object, owned by the caller; keys are left out without memory (see json.h). */
cJSON *cell_make(const struct cell_identity *identity, const struct stream *stream,
                 const struct outcome *outcome, double harness_ns_per_op);

#endif
