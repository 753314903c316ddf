/*
 * commands.h - a matrix of cells as command lines that other processes understand.
 */
#ifndef TWBENCH_COMMANDS_H
#define TWBENCH_COMMANDS_H

#include "harness/compare/blocks.h"
#include "harness/measure/plan/plan.h"

struct matrix {
    const struct plan *plan;
    const struct plan_sweep *sweeps; /* that the plan was made from */
    size_t sweep_count;
    const char *workload_directory;
    const struct workload_setting *sets;
    size_t set_count;
    uint64_t tick_ns; /* 0: the workload's */
    uint64_t seed, max_pending;
    uint64_t samples, min_time_ns, patience_ns; /* of a probe */
};

/* Cells are numbered group by group. */
size_t matrix_count(const struct matrix *matrix);

/* PROGRAM probe: one cell, without what depends on the role. */
void command_of_probe(struct probe_command *command, const struct matrix *matrix, size_t cell);

/* PROGRAM run: the whole matrix once, for what does not depend on the clock.  `plugin` (may be NULL) is the
 * file that plugins of the matrix are to be loaded from instead of their own. */
void command_of_run(struct probe_command *command, const struct matrix *matrix, const char *plugin,
                    uint64_t budget_ns, const char *json);

/* PROGRAM run: one cell, its document on standard output. */
void command_of_cell(struct probe_command *command, const struct matrix *matrix, size_t cell,
                     uint64_t budget_ns);

#endif
