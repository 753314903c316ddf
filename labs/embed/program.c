/* program.c - twbench-embed: take, which writes designs and runners as sources of their own, and run --layer. */
#include "labs/embed/taking.h"

#include "harness/command/command.h"

static const struct command *const commands[] = {&cmd_take, &cmd_layered_run, &cmd_list, NULL};

const struct program program = {.lab = "embed", .commands = commands};
