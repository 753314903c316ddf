/*
 * help.h - what commands take, from the rows of the table of flags (flags.h).
 */
#ifndef TWBENCH_HELP_H
#define TWBENCH_HELP_H

#include "harness/cli/options.h"

/* Usage, summary, flags and parameters of designs, in at most 80 columns, and fewer on a narrower terminal.  Loads the
 * libraries where designs have parameters.  Errors of `out` are left to the caller. */
void help_command(FILE *out, const struct command *command);

#endif
