/*
 * interrupt.h - SIGINT, SIGTERM and SIGHUP as something to be polled, without handler or global.
 *
 * While it is open the signals are blocked in this process and its children inherit that, so a child
 * that should die of them has to be killed or to unblock them (interrupt_unblock).
 */
#ifndef TWBENCH_INTERRUPT_H
#define TWBENCH_INTERRUPT_H

#include "harness/base/diag.h"

#include <signal.h>
#include <stdbool.h>

struct interrupt {
    int fd; /* readable once one has come; for poll() */
    sigset_t signals, before;
};

int interrupt_open(struct interrupt *interrupt, struct diag *diag);
/* What interrupted is done with: it does not strike when the mask is lifted. */
void interrupt_close(struct interrupt *interrupt);

bool interrupt_is_pending(const struct interrupt *interrupt);

/* In a child, before exec: the mask as it was before interrupt_open. */
void interrupt_unblock(const struct interrupt *interrupt);

#endif
