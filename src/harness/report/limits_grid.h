/*
 * limits_grid.h - the tables of a limits document as grids, whatever they are printed as.
 */
#ifndef TWBENCH_LIMITS_GRID_H
#define TWBENCH_LIMITS_GRID_H

#include "harness/report/grid.h"

#include <cjson/cJSON.h>
#include <stdio.h>

#define LIMITS_TITLE_SIZE 160

/* What is done with a table; the title is of plain text. */
typedef void limits_grid_fn(void *ctx, const char *title, struct grid *grid);

/* The table of limits, then those of multiples: one for each workload and phase, a row for each design and a column for
 * each number of tasks, the limit itself below. */
void limits_grids(const cJSON *document, limits_grid_fn *take, void *ctx);

/* What stands below: single figures, huge pages, failed points, disturbances; a sentence each. */
typedef void limits_line_fn(void *ctx, const char *line);
void limits_lines(const cJSON *document, limits_line_fn *take, void *ctx);

#endif
