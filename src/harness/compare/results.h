/*
 * results.h - compares two result documents cell by cell.
 *
 * Cells are the same when design, settings asked for, workload and tasks are; then they must have
 * run the same operations.  Which machine measured does not matter to anything but the times.
 */
#ifndef TWBENCH_RESULTS_H
#define TWBENCH_RESULTS_H

#include "harness/compare/comparison.h"

/* Fills before and after (all but the path), limits, cells, `added`, `one_side` and `notes` of *out, whose
 * cells comparison_free then frees; the rest of *out stays as it was.  The cells are in the
 * order of OLD and hold the verdicts of all gates but that of time, which is advisory
 * (gate_work.h); they are not concluded.  The names are for messages: "OLD.json".
 *
 * A cell that NEW lacks, or that came to fail on a side, has its verdict and reason already, and
 * what was not compared is NAN.  DIAG_USAGE, with *out unchanged: two cells of one document are
 * the same, a pair did not run the same operations, no cell is in both.  DIAG_RUN without
 * memory. */
int compare_documents(const cJSON *before, const char *before_name, const cJSON *after,
                      const char *after_name, const struct limits *limits, struct comparison *out,
                      struct diag *diag);

/* The same of two files, and the cells are concluded; what went on meanwhile is NAN.  DIAG_USAGE too when a file is no
 * result. */
int compare_results(const char *before_path, const char *after_path, const struct limits *limits,
                    struct comparison *out, struct diag *diag);

/* The document's cell that is the same as `cell`, and was compared with it; NULL when it has
 * none. */
const cJSON *results_find_cell(const cJSON *document, const struct compared_cell *cell);

#endif
