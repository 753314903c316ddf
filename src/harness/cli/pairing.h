/*
 * pairing.h - what compare and selftest share: the matrix, the surroundings, the interrupt.
 */
#ifndef TWBENCH_PAIRING_H
#define TWBENCH_PAIRING_H

#include "harness/cli/origin.h"
#include "harness/cli/progress.h"
#include "harness/compare/binaries.h"

struct pairing {
    const struct options *options;
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
int pairing_open(struct pairing *pairing, const struct options *options, struct diag *diag);

/* What happened since; may be called before pairing_close, once. */
struct origin_disturbance pairing_disturbance(struct pairing *pairing);

void pairing_close(struct pairing *pairing);

#endif
