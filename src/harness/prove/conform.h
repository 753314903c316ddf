/* conform.h - proves a design: written cases and random lists against the model of the contract.
 *
 * Used by `twbench conform`, by the tests for every design in the registry, and by the fuzzer.
 * Everything here judges a design through its table alone, against a model that is a plain array of
 * due ticks, and holds it to exactly the traits it declares.
 *
 * A design that crashes or hangs takes the caller with it: run what is not trusted in a child
 * process.  Nothing here is kept between calls, so that a child can be given any one of them.
 */
#ifndef TWBENCH_CONFORM_H
#define TWBENCH_CONFORM_H

#include "harness/prove/report.h"
#include "impls/backend.h"

struct conform_options {
    const struct tw_setting *settings; /* for open; none: the design's defaults */
    size_t setting_count;
    uint64_t seed;       /* of the random streams: stream k is made from seed + k */
    uint64_t operations; /* random ones to run, over all shapes; 0: written cases only */
    bool check_always; /* `check` after every operation (else now and then, and after every stream).
                          Written cases always do */
    bool streams_only; /* leave the written cases out */
    bool cases_only;   /* ... or the streams */
    bool vary;         /* then the same with all variants of the settings, and fewer operations */
    bool with_huge;    /* isolate_conform: instances for up to 10^9 timers too */
    uint32_t shrink_replays; /* for a shorter list; 0: the usual */
    double seconds;    /* of processor time, for a piece and for a shorter list; 0: the usual */
    uint32_t patience; /* the cases that end by processor time have so many times the usual; 0: 1 */
    uint32_t many_max; /* most timers of the case of very many; 0: some thousands, fewer sizes */
    uint32_t life_starts; /* starts in the case of one long life; 0: some thousands */
    const struct tw_backend
        *counted; /* the design's table beside it that counts, so that it counts nothing; or NULL */
    const struct tw_backend *twin; /* isolate_conform: not run when its functions are the same */
    struct watch *watch; /* notes go there (watch.h); lists are then left as long as they are */
};

/* Runs the written cases, then random streams.  0 when the contract holds, 1 with *report filled.
 * A design with TW_KEEPS_NOTHING is exempt: 0, with no operation run. */
int conform_run(const struct tw_backend *backend, const struct conform_options *options,
                struct conform_report *report);

/* Runs the operations that `bytes` encode, with `check` after each: what the fuzzer calls.  Any
 * bytes are good; they choose settings, capacity and clock too. */
int conform_run_bytes(const struct tw_backend *backend, const uint8_t *bytes, size_t size,
                      struct conform_report *report);

/* Runs an operation list given as text (operations.h), with `check` after each operation: how a
 * shrunken list is replayed.  -1, with the reason in report->detail, when it is not understood. */
int conform_run_text(const struct tw_backend *backend, const char *text,
                     struct conform_report *report);

/* Names of the written cases, NULL after the last; conform_case runs one of them alone. */
const char *conform_case_name(size_t index);
int conform_case(const struct tw_backend *backend, const struct conform_options *options,
                 size_t index, struct conform_report *report);

/* Most settings of a variant. */
#define CONFORM_SETTINGS_MAX 4

/* Settings worth testing a design with, made from the limits that its table declares: variant 0 is the
 * defaults (*count 0), each further one sets one parameter, and the last few set all at once.  Lists
 * of values that open refuses are left out, because limits do not say it all (ascending, say); so this
 * opens instances.  `settings` has room for CONFORM_SETTINGS_MAX.  False after the last. */
bool conform_variant(const struct tw_backend *backend, size_t index, struct tw_setting *settings,
                     size_t *count);

#endif
