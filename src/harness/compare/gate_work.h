/*
 * gate_work.h - the gates that need no quiet machine: operation counters, memory, instructions; and
 * what the times of two runs are worth beside them.
 *
 * `before` and `after` are cells of result documents (schema/result-1.json) that ran the same
 * operations and are both ok.
 */
#ifndef TWBENCH_GATE_WORK_H
#define TWBENCH_GATE_WORK_H

#include "harness/compare/comparison.h"

/* A longest advance of that many more counted steps is no longer than the other, whatever its share. */
#define GATE_ADVANCE_FLOOR 16.0

/* Up to this share two instruction counts are those of one program: what is counted of the
 * harness, and the way to the first operation, differ by less from one process to the next. */
#define GATE_SAME_INSTRUCTIONS 0.002

/* Fills work, memory, instructions and the longest advance's work with their verdicts, the phases' names and work, and
 * same_program.  Work is known when both sides have every counter, count something at all, and do not
 * wait for the machine's clock; else work_verdict is inconclusive (or regressed, by a counter that is
 * known) and work_reason says why.  The longest advance's work, where both sides have it, is part of work_verdict.  Instructions are those that the processor counted where both sides have them, else
 * those that were stepped through; with neither, instructions_reason says why. */
void gate_work(struct compared_cell *cell, const cJSON *before, const cJSON *after,
               const struct limits *limits);

/* Fills what the two runs say of time, behind gate_work: ns per call, the ratio of thread CPU
 * times (a median alone, because results hold no interval of it), the ratio of wall times with
 * an interval, the phases' ratios and shares.  They were not taken side by side: time_decides is
 * false, there are no pairs and no p values.  Ratios are NAN, and time_known is false, where a
 * side has no times. */
void gate_work_advise_time(struct compared_cell *cell, const cJSON *before, const cJSON *after);

/* Calls of one pass through a cell: start, stop and expire, over which figures per call are taken. */
double gate_work_cell_calls(const cJSON *cell);

/* The figure at `path` of each phase ("counters.cache_misses_per_op"), which is per call, summed
 * up to one pass of the cell.  NAN when a phase that has calls does not have it. */
double gate_work_cell_sum(const cJSON *cell, const char *path);

/* A metric of one cell that is exact or nearly so: an operation counter, memory in bytes per task, or instructions of
 * a pass as the processor counted them, else as they were stepped through.  NAN: unknown, or not the same in every run
 * because the design waits for the machine's clock. */
double gate_work_cell_metric(const cJSON *cell, enum metric metric);

#endif
