/*
 * runner_plugins.h - runners of shared objects (TW_RUNNER_PLUGIN).
 */
#ifndef TWBENCH_RUNNER_PLUGINS_H
#define TWBENCH_RUNNER_PLUGINS_H

#include "harness/base/diag.h"
#include "labs/live/runners/runner.h"

/* Loads the runner in the file, for the rest of the process.  NULL with the reason in *diag: it cannot be loaded, its table
 * is not whole or was made for another version of the contract. */
const struct tw_runner_entry *runner_plugins_open(const char *given, struct diag *diag);

/* The absolute path of the file; NULL for a runner of the program. */
const char *runner_plugins_path(const struct tw_runner_entry *entry);

#endif
