/* case_plan.h - what a written case is made from and for. */
#ifndef TWBENCH_CONFORM_CASE_PLAN_H
#define TWBENCH_CONFORM_CASE_PLAN_H

#include "harness/prove/operations.h"
#include "harness/prove/report.h"
#include "harness/prove/strides.h"

struct case_plan {
    const struct tw_backend *backend;
    const struct strides *strides;
    struct operations *operations; /* initialised, with the settings in place */
    uint32_t many_max;             /* most timers of the case of very many; 0: some thousands */
    uint32_t patience;             /* how many times the usual processor time */
    uint32_t life_starts;          /* starts in the longest life; 0: some thousands */
};

#endif
