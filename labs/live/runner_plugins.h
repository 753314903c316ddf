/*
 * runner_plugins.h - runners of shared objects (TW_RUNNER_PLUGIN), as plugins.h has designs.
 *
 * Only children load one.  Other processes have a copy of its table without functions.
 */
#ifndef TWBENCH_RUNNER_PLUGINS_H
#define TWBENCH_RUNNER_PLUGINS_H

#include "harness/base/diag.h"
#include "labs/live/runners/runner.h"

/* Does the file say that it brings a runner?  Nothing of it is executed; false when it cannot be read. */
bool runner_plugins_is_one(const char *path);

/* The runner in the file, loaded in a child and looked at.  runner_plugins_close frees it.  NULL with the reason in
 * *diag: loading it does harm, its table is not whole or was made for another version of the contract. */
const struct tw_runner_entry *runner_plugins_open(const char *given, struct diag *diag);
/* Frees the entry. */
void runner_plugins_close(const struct tw_runner_entry *entry);

/* The absolute path of the file; NULL for a runner of the program, or in a child that has loaded it. */
const char *runner_plugins_path(const struct tw_runner_entry *entry);

/* Loads it into this process, for the rest of its life, and both tables have functions.  DIAG_OK, also for a runner of
 * the program; DIAG_RUN when the file is not what it was when it was tried. */
int runner_plugins_load(const struct tw_runner_entry *entry, struct diag *diag);

#endif
