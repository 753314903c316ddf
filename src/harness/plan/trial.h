/*
 * trial.h - a plugin is loaded in a child process first.
 *
 * Loading a shared object runs its constructors, and nothing keeps them from crashing, hanging,
 * printing or closing our files.  What they would do to us they do to the child, and the plugin is
 * refused with a reason.  The table it brings is read there too.
 */
#ifndef TWBENCH_TRIAL_H
#define TWBENCH_TRIAL_H

#include "harness/base/diag.h"
#include "impls/backend.h"

#define TRIAL_NAME 32 /* bytes that a design's name takes */

/* DIAG_OK when the plugin can be loaded by us: it is a shared object with a table that is whole, of
 * this version of the contract, and loading and unloading it leaves the process as it was.
 * `name` (TRIAL_NAME bytes; may be NULL) is then its design's.  Milliseconds, or 10 s for one that hangs. */
int trial_load(const char *path, char *name, struct diag *diag);

/* The table of a loaded object.  DIAG_USAGE when there is none, or it is not what backend.h says:
 * versions, names, functions, traits, parameters. */
int trial_check(const char *path, const struct tw_design *design, struct diag *diag);

#endif
