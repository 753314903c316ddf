/* command.h - runs the command that is recorded, and ends it: by a signal to us, or after a time. */
#ifndef TWBENCH_RECORD_COMMAND_H
#define TWBENCH_RECORD_COMMAND_H

#include "harness/base/diag.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* How it ended, once the log is written. */
struct record_end {
    bool interrupted; /* by a signal to this process */
    bool cut;         /* the command was ended: a signal, or the duration */
    int status;       /* of the command as a shell has it: 128 + N for a signal */
    uint64_t events;  /* lines in the log */
    uint64_t lost;    /* events that a buffer had no room for */
};

/* Takes what the command wrote to its standard error; size 0: there will be no more. */
typedef void command_said_fn(void *ctx, const char *text, size_t size);

struct command_run {
    char *const *words;
    uint64_t duration_ns;  /* 0: for as long as it takes */
    command_said_fn *said; /* NULL: standard error is ours */
    void *ctx;
};

/* Runs it to its end and fills interrupted, cut and status.  DIAG_USAGE: it cannot be started. */
int command_run(const struct command_run *run, struct record_end *end, struct diag *diag);

/* What the command prints, both streams, as a text to be freed; *status as in record_end. */
int command_output(char *const *words, char **text, int *status, struct diag *diag);

#endif
