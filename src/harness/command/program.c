/* program.c - the program, from its arguments to its exit status. */
#include "harness/command/command.h"

#include "build_info.h"
#include "harness/base/memory.h"
#include "harness/base/text.h"
#include "harness/base/units.h"
#include "harness/command/flags.h"
#include "harness/command/labs.h"

#include <fcntl.h>
#include <locale.h>
#include <signal.h>

/* The command of that name; NULL: this program has none. */
static const struct command *program_command(const char *name)
{
    for (const struct command *const *command = program.commands; *command; command++)
        if (strcmp((*command)->name, name) == 0 ||
            ((*command)->old_name && strcmp((*command)->old_name, name) == 0))
            return *command;
    /* The core's `list` asks every lab. */
    return program.lab && strcmp(name, "list") == 0 ? &cmd_list : NULL;
}

/* "lab": what the commands do that begin with this word, if `out` is not NULL.  False: none does. */
static bool print_subcommands(const char *word, FILE *out)
{
    size_t length = strlen(word);
    bool any = false;
    for (size_t i = 0; i < lab_row_count; i++)
        if (lab_rows[i].kind == LAB_COMMAND && strncmp(lab_rows[i].name, word, length) == 0 &&
            lab_rows[i].name[length] == ' ') {
            if (out)
                fprintf(out, "  twbench %-14s %s\n", lab_rows[i].name, lab_rows[i].text);
            any = true;
        }
    return any;
}

static int refuse_command(const char *name, const char *behind)
{
    struct diag diag;
    char hint[80];
    struct nearest nearest = nearest_to(name);
    for (const struct command *const *command = program.commands; *command; command++)
        if ((*command)->topic)
            nearest_offer(&nearest, (*command)->name);
    for (size_t i = 0; i < lab_row_count; i++)
        if (lab_rows[i].kind == LAB_COMMAND)
            nearest_offer(&nearest, lab_rows[i].name);
    nearest_offer(&nearest, "help");
    nearest_offer(&nearest, "version");
    if (behind && print_subcommands(name, NULL))
        diag_usage(&diag, "no command '%s %s'; 'twbench %s' lists the commands", name, behind,
                   name);
    else
        diag_usage(&diag, "no command '%s'%s 'twbench --help' lists the commands", name,
                   nearest.word[0] ? nearest_hint(&nearest, hint, sizeof hint) : ";");
    return command_fail(DIAG_USAGE, &diag);
}

static int print_version(void)
{
    printf("twbench %s (%s), %s\n", BUILD_VERSION, BUILD_COMMIT, BUILD_COMPILER);
    return EXIT_OK;
}

static bool asks(int argc, char **argv, const char *flag)
{
    for (int i = 1; i < argc && strcmp(argv[i], "--") != 0; i++)
        if (strcmp(argv[i], flag) == 0)
            return true;
    return false;
}

/* Answers only when the lab's program cannot be started. */
static int hand_over(const struct lab_row *row, char **argv)
{
    struct diag diag;
    return command_fail(lab_become(row, argv, &diag), &diag);
}

/* The lab that does this line: none in the lab's own program. */
static const struct lab_row *other_lab(const char *word, int argc, char **argv)
{
    return program.lab ? NULL : lab_for(word, argc, argv);
}

static int run_command(const struct command *command, int argc, char **argv, int first)
{
    struct call call = {.given = NULL};
    struct diag diag;
    int status = command_read(command, argc, argv, first, &call, &diag);
    int exit_status = status == DIAG_OK ? command->run(&call) : command_fail(status, &diag);
    command_release(&call);
    return exit_status;
}

/* "help", "help COMMAND", "version"; the flags that ask the same stand anywhere behind a command. */
static int answer_word(int argc, char **argv)
{
    struct diag diag;
    bool is_version = strcmp(argv[1], "version") == 0;
    int taken = is_version ? 2 : 3;
    if (argc > taken) {
        diag_usage(&diag, "%s: %s takes %s", argv[taken], argv[1],
                   is_version ? "no operands and no flags" : "one command");
        return command_fail(DIAG_USAGE, &diag);
    }
    if (is_version)
        return print_version();
    if (argc == 2) {
        help_commands(stdout);
        return EXIT_OK;
    }
    const struct lab_row *row = other_lab(argv[2], 1, argv);
    if (row)
        return hand_over(row, argv);
    const struct command *command = program_command(argv[2]);
    if (!command)
        return print_subcommands(argv[2], stdout) ? EXIT_OK : refuse_command(argv[2], argv[3]);
    help_command(stdout, command, false);
    return EXIT_OK;
}

/* "lab" "grade" becomes the one word of that command, of this program or a lab's; behind "help" too. */
static void join_words(int *argc, char ***argv, void **memory)
{
    char both[80];
    int at = *argc > 1 && strcmp((*argv)[1], "help") == 0 ? 2 : 1;
    if (*argc < at + 2)
        return;
    snprintf(both, sizeof both, "%s %s", (*argv)[at], (*argv)[at + 1]);
    if (!program_command(both) && !lab_for(both, 1, *argv))
        return;
    char **joined = lists_keep_bytes(memory, (size_t)*argc, sizeof *joined);
    memcpy(joined, *argv, (size_t)at * sizeof *joined);
    joined[at] = lists_keep(memory, both);
    for (int i = at + 2; i < *argc; i++)
        joined[i - 1] = (*argv)[i];
    *argv = joined;
    *argc -= 1;
}

static int find_and_run(int argc, char **argv, void **memory)
{
    struct diag diag;
    join_words(&argc, &argv, memory);
    bool named = argc > 1 && argv[1][0] != '-';
    bool wants_all = asks(argc, argv, "--help=all");
    bool wants_help = wants_all || asks(argc, argv, "--help") || asks(argc, argv, "-h");
    if (argc < 2 || (!named && wants_help)) {
        help_commands(stdout);
        return EXIT_OK;
    }
    if (!named && asks(argc, argv, "--version"))
        return print_version();
    if (strcmp(argv[1], "help") == 0 || strcmp(argv[1], "version") == 0)
        return answer_word(argc, argv);
    const char *word = named ? argv[1] : "run";
    const struct command *command = program_command(word);
    if ((strcmp(word, "run") == 0 || strcmp(word, "replay") == 0) && command &&
        resume_arguments(command, named ? 2 : 1, &argc, &argv, memory, &diag) != DIAG_OK)
        return command_fail(DIAG_USAGE, &diag);
    const struct lab_row *row = other_lab(word, argc, argv);
    if (row)
        return hand_over(row, argv);
    if (!command)
        return (argc == 2 || wants_help) && print_subcommands(word, stdout)
                   ? EXIT_OK
                   : refuse_command(word, argv[2]);
    if (!wants_help)
        return run_command(command, argc, argv, named ? 2 : 1);
    help_command(stdout, command, wants_all);
    return EXIT_OK;
}

/* A stream that came closed must not become the next file that is opened; writing to it then fails. */
static void keep_streams(void)
{
    for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++)
        if (fcntl(fd, F_GETFD) < 0 && open("/dev/null", fd ? O_RDONLY : O_WRONLY) < 0)
            return;
}

/* Whatever was printed, by whichever command: when it did not get there, that is no success.  A command
 * that failed has said why. */
static int end_stdout(int status)
{
    errno = 0;
    bool failed = fflush(stdout) != 0 || ferror(stdout);
    if (failed && errno == 0) /* it failed earlier: the next byte fails for the same reason */
        (void)!write(STDOUT_FILENO, "\n", 1);
    if (failed && status != EXIT_FAILED)
        fprintf(stderr, "twbench: standard output: cannot be written%s%s\n", errno ? ": " : "",
                errno ? strerror(errno) : "");
    return failed && status == EXIT_OK ? EXIT_FAILED : status;
}

int program_main(int argc, char **argv)
{
    setlocale(LC_CTYPE, "");
    keep_streams();
    memory_for_json();
    /* A file that may not grow is an error of the write, which is reported, and not the end. */
    signal(SIGXFSZ, SIG_IGN);
    void *memory = NULL;
    int status = end_stdout(find_and_run(argc, argv, &memory));
    lists_release(&memory);
    return status;
}
