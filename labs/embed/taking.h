/*
 * taking.h - writes a design, or one with a runner, into a directory as sources that need nothing of twbench.
 */
#ifndef TWBENCH_TAKING_H
#define TWBENCH_TAKING_H

#include "harness/command/command.h"

extern const struct command cmd_take;

struct taking {
    const char *design;    /* its name, as in the registry */
    const char *runner;    /* the same of a runner; NULL: none */
    const char *directory; /* made when it is not there, with those above it */
    bool force;            /* overwrite */
};

#define TAKING_FILES  12
#define TAKING_LENGTH 64

/* The names of the files that were written. */
struct taking_files {
    char names[TAKING_FILES][TAKING_LENGTH];
    size_t count;
};

/* Writes the header and the C file of each, the licence, an example, tests and their Makefile.  DIAG_USAGE when the
 * design cannot be taken, the runner is none of this program's, or when one of the files is there already, all of which
 * are named; nothing is written then.  DIAG_RUN when the disk says no. */
int taking_write(const struct taking *taking, struct taking_files *files, struct diag *diag);

#endif
