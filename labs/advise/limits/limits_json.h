/*
 * limits_json.h - the limits of a machine as a document.
 *
 * labs/advise/docs/LIMITS.md explains the keys, schema/limits-1.json states them for machines.
 */
#ifndef TWBENCH_LIMITS_JSON_H
#define TWBENCH_LIMITS_JSON_H

#include "harness/base/diag.h"
#include "labs/advise/limits/limit_rounds.h"

#include <cjson/cJSON.h>

/* How it was measured, beyond what the results say. */
struct limits_method {
    uint64_t runs, seed, memory_limit_bytes, budget_ns, patience_ns;
    bool huge_pages;                           /* were asked for too */
    const char *null_workload;                 /* of which the null calls are */
    int pin_cpu;                               /* below 0: not pinned */
    double steal_share, busy_share, load_1min; /* meanwhile; NaN: not known */
    double seconds;                            /* it took */
};

/* `head` is a result's document, whose tool, machine and command are copied.  Results without a sample and
 * without a reason, which an interruption leaves, are left out.  The caller's. */
cJSON *limits_json(const struct limit_result *results, size_t count,
                   const struct limits_method *method, bool complete, const cJSON *head);

/* Reads a document; "-" is stdin.  DIAG_USAGE when it cannot be read, is not JSON or is none, with place or key. */
int limits_load(const char *path, cJSON **out, struct diag *diag);

#endif
