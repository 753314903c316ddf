/* cmd_take.c - take: writes a design, and a runner for it, as sources that do not need twbench. */
#include "labs/embed/taking.h"

#define OF struct taking
static const struct flag flags[] = {
    FLAG_FILE("-o", "DIR", "the directory to write into", OF, directory),
    FLAG_FILE("runner", "R", "also write a runner, which owns the clock and the threads", OF,
              runner),
    FLAG_SWITCH("growable", "also write a layer with timers in your objects: no ids, any number",
                OF, growable),
    FLAG_SWITCH("force", "overwrite files", OF, force),
};
#undef OF
static const struct flag_group groups[] = {{.flags = flags, .count = FLAGS(flags)}, {0}};

static int run(struct call *call)
{
    struct diag diag;
    struct taking *taking = call->options;
    struct taking_files files = {.count = 0};
    int status = DIAG_OK;
    if (call->operand_count != 1)
        status = command_operands(call, "one design ('twbench list' names them)", &diag);
    else if (!taking->directory)
        status = diag_usage(&diag, "take: -o is missing; expected -o DIR to write into");
    if (status == DIAG_OK) {
        taking->design = call->operands[0];
        status = taking_write(taking, &files, &diag);
    }
    if (status != DIAG_OK)
        return command_fail(status, &diag);
    for (size_t i = 0; i < files.count; i++)
        printf("%s/%s\n", taking->directory, files.names[i]);
    fprintf(stderr, "twbench: 'make -C %s check' builds and tests it\n", taking->directory);
    return EXIT_OK;
}

const struct command cmd_take = {
    .name = "take",
    .usage = "[FLAGS] DESIGN -o DIR",
    .summary = "Write a design, and a runner over it, as sources that do not need twbench.",
    .topic = "My program",
    .groups = groups,
    .size = sizeof(struct taking),
    .run = run,
};
