/*
 * pairing.h - what compare and selftest share: the matrix, the surroundings, the interrupt.
 */
#ifndef TWBENCH_PAIRING_H
#define TWBENCH_PAIRING_H

#include "harness/base/interrupt.h"
#include "harness/compare/binaries.h"
#include "harness/measure/session/origin.h"
#include "harness/measure/session/progress.h"

/* What to compare, as plain data; all that it points to outlives the pairing. */
struct pairing_wishes {
    const struct setup *setup;
    struct plan_selection selection;
    uint64_t pairs, max_pairs; /* per cell */
    uint64_t samples;          /* of a process */
    const struct limits *limits;
};

/* A comparison under way. */
struct pairing {
    struct pairing_wishes wishes;
    struct plan plan;
    struct result_origin origin;
    struct origin_watch watch;
    struct interrupt interrupt;
    struct progress progress;
    struct binaries_request request;
};

/* Plans, looks at the system (which takes 100 ms) and warns, and from then on takes interrupts; the
 * request is complete but for what it compares, `before` and `after`.  The pairing must not move.
 * pairing_close in any case. */
int pairing_open(struct pairing *pairing, const struct pairing_wishes *wishes, struct diag *diag);

struct pairing_sides {
    const char *before, *after; /* paths */
    bool are_plugins;           /* which this program loads; else programs */
};

/* Compares them in a pairing that is open (compare_binaries), and says what went on meanwhile. */
int pairing_compare(struct pairing *pairing, const struct pairing_sides *sides,
                    struct comparison *comparison, struct diag *diag);

/* What happened since; may be called before pairing_close, once. */
struct origin_disturbance pairing_disturbance(struct pairing *pairing);

/* Once, whatever pairing_open answered: takes the progress line away and gives the signals back. */
void pairing_close(struct pairing *pairing);

#endif
