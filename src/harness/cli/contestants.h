/*
 * contestants.h - what OLD and NEW of compare are: two programs, two plugins or two results.
 */
#ifndef TWBENCH_CONTESTANTS_H
#define TWBENCH_CONTESTANTS_H

#include "harness/cli/options.h"

enum contestants { CONTESTANTS_RESULTS, CONTESTANTS_PROGRAMS, CONTESTANTS_PLUGINS };

/* Called with each operand before it is added.  A plugin as OLD is loaded, so that the flags behind it can
 * name its parameters; one as NEW is tried (trial.h) and must hold the same design.  DIAG_USAGE. */
int contestants_take(struct options *options, const char *path, struct diag *diag);

/* Of two files, when all flags are known.  DIAG_USAGE when they are not of one kind, or the flags ask for
 * what this kind cannot have. */
int contestants_find(const struct options *options, const char *before, const char *after,
                     enum contestants *kind, struct diag *diag);

#endif
