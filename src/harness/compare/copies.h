/*
 * copies.h - copies of the programs and plugins that are compared, in a directory of our own.
 *
 * So that OLD and the control are two files, as far from each other as OLD and NEW are; that all paths
 * have one length, because a longer one moves the stack; and that building something meanwhile does not
 * change what is compared.  A program is copied with its libraries' modules, which it looks for beside itself.
 */
#ifndef TWBENCH_COPIES_H
#define TWBENCH_COPIES_H

#include "harness/base/diag.h"

#include <stddef.h>
#include <stdint.h>

#define COPIES_MAX 4

struct copies {
    char directory[64];
    char paths[COPIES_MAX][96];
    uint64_t hashes[COPIES_MAX]; /* of the files' bytes: XXH3 */
    size_t count;
};

/* DIAG_RUN when the directory cannot be made.  copies_remove in any case. */
int copies_begin(struct copies *copies, struct diag *diag);
/* A copy of `file`, a plugin, named by copies->paths[count - 1] afterwards.  DIAG_USAGE when it cannot be read,
 * DIAG_RUN when it cannot be written. */
int copies_add(struct copies *copies, const char *file, struct diag *diag);
/* The same of a program and its libraries. */
int copies_add_program(struct copies *copies, const char *program, struct diag *diag);
/* Removes the directory with all copies; nothing if none was made. */
void copies_remove(struct copies *copies);

#endif
