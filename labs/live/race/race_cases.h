/*
 * race_cases.h - the written cases: each proves one thing that random services show too seldom.
 */
#ifndef TWBENCH_RACE_CASES_H
#define TWBENCH_RACE_CASES_H

#include "labs/live/race/race_service.h"

struct race_case {
    const char *name;
    /* Opens the service, plays, shuts and closes it; service->design, seed and point_weight are set. */
    void (*play)(struct race_service *service);
};

/* NULL name after the last. */
extern const struct race_case race_cases[];

#endif
