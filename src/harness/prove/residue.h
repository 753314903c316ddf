/* residue.h - looks after each function of a design whether it has left something in its process.
 *
 * The same design gets a table whose functions compare the process before and after (base/process_state.h): what is
 * found is told with the name of the function.  A look costs some 0.1 ms; guard_inspect, which looks when an instance
 * has been closed, knows no function, and so what it finds is replayed with this table.
 */
#ifndef TWBENCH_CONFORM_RESIDUE_H
#define TWBENCH_CONFORM_RESIDUE_H

#include "harness/prove/case_plan.h"

/* So many calls are looked at: some seconds of processor time. */
#define RESIDUE_CALLS 20000u

/* The table, which breaks RULE_PROCESS in *report.  It looks at the first RESIDUE_CALLS calls of one part of a search: the
 * written case, or the stream of that seed when `story` is NULL; of everything, with NULL and 0.  Only the
 * latest table may be called; it stays until the child ends, and so must `backend` and `report`.  Without a guard it is
 * `backend` itself. */
const struct tw_backend *residue_table(const struct tw_backend *backend,
                                       struct conform_report *report, const char *story,
                                       uint64_t seed);

#endif
