/* cmd_take.c - take: writes a design, and a runner for it, as sources that need nothing of twbench. */
#include "labs/embed/taking.h"
#include "harness/command/cli.h"

int cmd_take(const struct options *options)
{
    struct diag diag;
    struct taking_files files = {.count = 0};
    int status = DIAG_OK;
    if (options->operand_count != 1)
        status = diag_usage(&diag,
                            "take: %zu operands given; expected one design "
                            "('twbench list' names them)",
                            options->operand_count);
    else if (!options->take_directory)
        status = diag_usage(&diag, "take: -o is missing; expected -o DIR to write into");
    else if (options->runner_count > 1)
        status = diag_usage(&diag, "take: --runner: %zu runners given; expected one",
                            options->runner_count);
    const char *runner = options->runner_count == 1 ? options->runners[0]->timed->name : NULL;
    if (status == DIAG_OK)
        status = taking_write(&(struct taking){.design = options->operands[0],
                                               .runner = runner,
                                               .directory = options->take_directory,
                                               .force = options->force},
                              &files, &diag);
    if (status != DIAG_OK)
        return cli_fail(status, &diag);
    for (size_t i = 0; i < files.count; i++)
        printf("%s/%s\n", options->take_directory, files.names[i]);
    fprintf(stderr, "twbench: 'make -C %s check' builds and tests it\n", options->take_directory);
    return EXIT_OK;
}
