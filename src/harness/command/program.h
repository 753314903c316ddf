/*
 * program.h - finds the command or the lab that has it, and runs it.
 */
#ifndef TWBENCH_PROGRAM_H
#define TWBENCH_PROGRAM_H

#include "harness/command/command.h"

/* Finds the command ("run" when there is none), does it, or starts the lab that has it; answers the exit status. */
int program_main(int argc, char **argv);

#endif
