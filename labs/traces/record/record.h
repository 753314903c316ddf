/* record.h - records the timer calls of programs and of the kernel while a command runs, as a log that import reads.
 *
 * nginx is started with a configuration of its own that makes it report timers; all else is recorded by tracefs of the
 * whole machine, in an instance that disturbs no other tracing.  What is missing (rights, tracefs, a package) is said
 * with what to do, as DIAG_USAGE, before the command starts.
 */
#ifndef TWBENCH_RECORD_H
#define TWBENCH_RECORD_H

#include "harness/base/diag.h"
#include "labs/traces/record/command.h"

#include <stdbool.h>
#include <stdint.h>

struct tracing;

struct record_wishes {
    uint64_t duration_ns; /* the command is ended after it; 0: when it ends, or a signal comes */
    uint64_t buffer_kb;   /* of tracefs, per processor; 0: 200000 */
    const char *library;  /* the library's file; NULL: the one that the linker finds */
    const char *log;      /* where the log stays; NULL: it is removed after the import */
};

struct recorder {
    const char *name, *records; /* the name is import's too */
    const char *events[3];      /* of the kernel */
    int (*probes)(struct tracing *tracing, const char *library, struct diag *diag); /* or NULL */
    bool clocks; /* LOG.clocks is written beside the log */
};

/* Ended by one without a name. */
extern const struct recorder recorders[];

struct record_request {
    const struct recorder *recorder;
    char *const *command; /* at least one word; ends with NULL */
    const char *log;      /* file to write; it is replaced */
    const struct record_wishes *wishes;
};

/* The kind of that name; DIAG_USAGE names all kinds when there is none. */
int recorder_take(const char *name, const struct recorder **out, struct diag *diag);

/* Records until the command has ended.  A first SIGINT, SIGTERM or SIGHUP is passed to the command; what was recorded
 * until then is kept.  On an error nothing of the recording is left in the system. */
int record_run(const struct record_request *request, struct record_end *end, struct diag *diag);

#endif
