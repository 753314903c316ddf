/* cases.h - the written cases: each names one thing that designs get wrong.
 *
 * A case is an operation list made for the design at hand (its span, the sizes it describes),
 * judged against the model like any other list.  The few things that a list cannot say have a
 * function of their own.
 */
#ifndef TWBENCH_CONFORM_CASES_H
#define TWBENCH_CONFORM_CASES_H

#include "harness/prove/case_plan.h"

struct written_case {
    const char *name;
    void (*build)(struct case_plan *plan); /* makes the list; NULL when `run` judges by itself */
    void (*run)(struct case_plan *plan, struct conform_report *report);
};

/* Ends with a NULL name. */
extern const struct written_case written_cases[];

/* Is it run with the defaults, or the settings that are asked for, and not with every variant of them?  It
 * takes long then, or has settings of its own. */
bool case_is_once(const struct written_case *written);

#endif
