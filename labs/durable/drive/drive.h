/*
 * drive.h - the work of a durable run: producers that put and cancel, a dispatcher that polls and handles, over one open
 * of the store.
 *
 * Runs in a child process, which may be killed at any moment.  All that it learns is in the book.  The clock is virtual
 * unless asked otherwise: it follows the arrivals of what is put, and when all is put it goes from step to step as
 * fast as the store hands out.
 */
#ifndef TWBENCH_DRIVE_H
#define TWBENCH_DRIVE_H

#include "labs/durable/drive/book.h"

/* How the worker ended, as its exit status. */
enum drive_end {
    DRIVE_FINISHED = 0, /* all is put, handed out and done; the store is closed */
    DRIVE_SERVED =
        9, /* no_drain: the first messages after the recovery are handed out, and the process is to be
                       * killed; without measures_recovery all is put, and the store is closed */
    DRIVE_FILLED =
        10, /* all is put and measured; the store is open, and the process is to be killed */
    DRIVE_BROKE = 11, /* the store answered an error; book->failure has it */
    DRIVE_ABSENT = 12,
    DRIVE_REFUSED = 13, /* open refused the settings or the policy */
};

/* Opens the store in `directory`, recovers, and goes on with the load from where the book says.  `alarm_fd` is
 * written to when the book's alarm rings; below 0: never. */
enum drive_end drive(const struct durable_request *request, const char *directory,
                     struct book *book, int alarm_fd);

#endif
