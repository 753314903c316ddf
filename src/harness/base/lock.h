/*
 * lock.h - one writer per document.
 *
 * A document is written again and again by renaming, so a lock on its own file would go with the first
 * writing.  The lock is on an empty file beside it, FILE.lock, which is removed at the end.  The kernel
 * gives the lock up when its process ends, however it ends: a FILE.lock that was left behind holds nobody.
 */
#ifndef TWBENCH_LOCK_H
#define TWBENCH_LOCK_H

#include "harness/base/diag.h"

#include <sys/types.h>

struct lock {
    int fd;             /* below 0: nothing is held */
    char *path;         /* of FILE.lock */
    struct lock *outer; /* what the process held already */
    pid_t owner;
};

/* Takes the lock of the document `path`; lock_drop in any case.  "-", pipes and devices have none.
 * DIAG_USAGE when another process has it, with that process's number and command, or when no file can
 * be made there.  Where the file system knows no locks, none is taken and stderr says so.  A SIGINT, SIGTERM or SIGHUP
 * that ends the process removes FILE.lock first; the lock stays where it is until it is dropped. */
int lock_take(const char *path, struct lock *lock, struct diag *diag);
/* Removes the lock's file while it is still held; harmless without a lock. */
void lock_drop(struct lock *lock);

#endif
