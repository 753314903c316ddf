/*
 * file.h - reads whole files, replaces files by rename, and locks them.
 */
#ifndef TWBENCH_FILE_H
#define TWBENCH_FILE_H

#include "harness/base/diag.h"
#include "harness/base/libc.h"

#include <sys/types.h>

/* The text of `path` ("-": stdin), ended by a zero byte that `size` does not count; free it. */
int file_read(const char *path, char **text, size_t *size, struct diag *diag);
/* The same of what is open; `path` names it in messages. */
int file_read_stream(FILE *file, const char *path, char **text, size_t *size, struct diag *diag);

/* Writes what `print` prints.  A regular file is replaced at once when all of it is on the disk; a
 * device or pipe is written to as it is; "-" is stdout.  SIGINT, SIGTERM and SIGHUP wait until a regular
 * file is whole, and end the process while a pipe has no reader. */
typedef void file_print_fn(FILE *out, const void *ctx);
int file_replace(const char *path, file_print_fn *print, const void *ctx, struct diag *diag);
/* Is that what file_replace does, so that it can be done again and again?  A pipe takes one text. */
bool file_is_replaced(const char *path);

/* DIAG_USAGE, ending with `advice`, when something that file_replace would replace is there: a file, a
 * link that leads nowhere; or a directory.  "-", pipes and devices are written to. */
int file_refuse_existing(const char *path, const char *advice, struct diag *diag);

/* ---- Reads the small text files of /proc and /sys (sysfile.c). -------------------------------- */

/* The file's text without the newline at its end, cut at size - 1 bytes; "" when it cannot be read.
 * `root` is put before the path: "" reads this machine, tests give a directory of their own. */
void sysfile_read(char *out, size_t size, const char *root, const char *path);

/* ---- One writer per document (lock.c). -------------------------------------------------------- */

/* A document is written again and again by renaming, so a lock on its own file would go with the first
 * writing.  The lock is on an empty file beside it, FILE.lock, which is removed at the end.  The kernel
 * gives the lock up when its process ends, however it ends: a FILE.lock that was left behind holds nobody. */

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
