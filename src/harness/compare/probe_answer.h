/*
 * probe_answer.h - one cell timed, as one line of JSON: what `compare` asks of both programs (probe.h).
 */
#ifndef TWBENCH_PROBE_ANSWER_H
#define TWBENCH_PROBE_ANSWER_H

#include "harness/measure/run/sample.h"

#include <cjson/cJSON.h>

/* Other versions have to understand the answer; this changes when they cannot. */
#define PROBE_VERSION 2

/* The caller's; NULL or incomplete without memory. */
cJSON *probe_answer(const struct sample_series *series, const struct stream *stream,
                    size_t samples);

#endif
