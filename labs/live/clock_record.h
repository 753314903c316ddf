/*
 * clock_record.h - writes the outcome of a run on the real clock: the keys "runner", "ledger" and "clock" of a cell.
 */
#ifndef TWBENCH_CLOCK_RECORD_H
#define TWBENCH_CLOCK_RECORD_H

#include "labs/live/clock/clock_run.h"

#include <cjson/cJSON.h>

/* The request and the outcome of a cell with a runner. */
struct clock_record {
    const struct tw_runner *runner;
    uint32_t threads;
    const struct clock_wishes *wishes;
    const struct clock_report *report;
    const cJSON *rounds;   /* an array of clock_record_round; NULL: none */
    const cJSON *original; /* what the driver of an original said; NULL: it is a runner of ours */
};

/* What of it makes a cell another experiment: "runner=locked threads=2 load=paced speed=1 ..." */
void clock_record_identity(char *out, size_t size, const struct clock_record *record);
/* The settings that tell cells of one table apart: runner, threads and what the runner was given. */
void clock_record_params(cJSON *params, const struct clock_record *record);
/* The figures of one run, without the bins of its histograms: an element of "clock.rounds".  The caller's. */
cJSON *clock_record_round(const struct clock_record *record);
/* The keys runner, original, ledger and clock; null when `record` is NULL. */
void clock_record_add(cJSON *cell, const struct clock_record *record);

#endif
