/*
 * arguments.h - the command line read into options.
 *
 * Every message names the flag, what was given and what was expected.
 */
#ifndef TWBENCH_ARGUMENTS_H
#define TWBENCH_ARGUMENTS_H

#include "harness/cli/options.h"

/* Parses argv[first ..] as flags and operands of the command, and checks them together; the options keep pointers
 * into argv.  options_free in any case.  DIAG_USAGE with the text filled. */
int arguments_parse(int argc, char **argv, int first, const struct command *command,
                    struct options *options, struct diag *diag);

#endif
