/* program.c - twbench-embed: take, which writes designs and runners as sources of their own. */
#include "labs/embed/taking.h"

#include "harness/command/program.h"

static const struct command *const commands[] = {&cmd_take, NULL};

const struct program program = {.lab = "embed", .commands = commands};
