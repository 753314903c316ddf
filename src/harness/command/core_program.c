/* core_program.c - the program of the core; a lab's program is another. */
#include "harness/command/command.h"

const struct program program = {.commands = core_commands};
