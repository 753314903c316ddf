/* interrupt.h - turns SIGINT, SIGTERM and SIGHUP into something to be polled, without handler or global.
 *
 * While it is open the signals are blocked in this process and its children inherit that, so a child
 * that should die of them has to be killed or to unblock them (interrupt_unblock).
 */
#ifndef TWBENCH_INTERRUPT_H
#define TWBENCH_INTERRUPT_H

#include "harness/base/diag.h"
#include "harness/base/libc.h"

#include <signal.h>

struct interrupt {
    int fd; /* readable once one has come; for poll() */
    sigset_t signals, before;
};

/* Blocks the signals in this thread and opens the descriptor.  DIAG_RUN without one; interrupt_close only after DIAG_OK. */
int interrupt_open(struct interrupt *interrupt, struct diag *diag);
/* What interrupted is done with: it does not strike when the mask is lifted. */
void interrupt_close(struct interrupt *interrupt);

/* Has a signal come since interrupt_open?  Asks, and takes nothing away. */
bool interrupt_is_pending(const struct interrupt *interrupt);

/* In a child, before exec: the mask as it was before interrupt_open. */
void interrupt_unblock(const struct interrupt *interrupt);

/* Around what may wait for another process for ever, such as writing to a pipe: from now on the signals end
 * this process.  What had come before, while they were blocked, is dropped: it was noticed, or comes too
 * late. */
void interrupt_admit(sigset_t *before);
/* Around what must not be left half done and waits for nobody: the signals wait. */
void interrupt_hold(sigset_t *before);
/* Ends either of the two. */
void interrupt_restore(const sigset_t *before);

#endif
