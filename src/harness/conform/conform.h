/*
 * conform.h - is this design right?  The contract of impls/backend.h as something that can be run.
 *
 * Used by `twbench conform`, by the tests for every design in the registry, and by the fuzzer.
 * Everything here judges a design through its table alone, against a model that is a plain array of
 * due ticks, and holds it to exactly the traits it declares.
 */
#ifndef TWBENCH_CONFORM_H
#define TWBENCH_CONFORM_H

#include "impls/backend.h"

/* What was found.  `rule` is NULL when the contract held. */
struct conform_report {
    const char *rule;        /* the broken rule, in the words of backend.h */
    char detail[512];        /* what was expected and what came */
    char operations[4096];   /* shortest operation list that shows it, one operation per line */
    uint64_t seed;           /* that the list was found with; 0 for a written case */
    uint64_t operations_run; /* in all, while looking */
};

struct conform_options {
    const struct tw_setting *settings; /* for open; none: the design's defaults */
    size_t setting_count;
    uint64_t seed;       /* of the random streams */
    uint64_t operations; /* how many random operations to run, over all shapes; 0: written cases only */
    bool check_always;   /* `check` after every operation (else after every stream) */
};

/* Runs the written cases, then random streams.  0 when the contract holds, 1 with *report filled. */
int conform_run(const struct tw_backend *backend, const struct conform_options *options,
                struct conform_report *report);

/* Runs the operations that `bytes` encode, with `check` after each: what the fuzzer calls. */
int conform_run_bytes(const struct tw_backend *backend, const uint8_t *bytes, size_t size,
                      struct conform_report *report);

/* Names of the written cases, NULL after the last; conform_case runs one of them alone. */
const char *conform_case_name(size_t index);
int conform_case(const struct tw_backend *backend, const struct conform_options *options,
                 size_t index, struct conform_report *report);

#endif
