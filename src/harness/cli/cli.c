/* cli.c - finds the command, and runs it. */
#include "harness/cli/cli.h"

#include "build_info.h"
#include "harness/base/lock.h"
#include "harness/base/nearest.h"
#include "harness/base/paths.h"
#include "harness/cli/arguments.h"
#include "harness/cli/help.h"
#include "harness/cli/outputs.h"
#include "harness/measure/run/job_pool.h"
#include "harness/tell/report/standing.h"

#include <errno.h>
#include <fcntl.h>
#include <locale.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const struct command commands[] = {
    {"run", "[FLAGS]", "Run designs on workloads and show a table.",
     FLAGS_MATRIX | FLAGS_RUN | FLAGS_REPORT | FLAGS_PAGE | FLAGS_STYLE | FLAGS_JSON, cmd_run},
    {"replay", "[FLAGS] TRACE...", "Run designs on recorded traces (FILE.tt[.xz|.gz], or a name).",
     FLAGS_MATRIX | FLAGS_RUN | FLAGS_REPORT | FLAGS_PAGE | FLAGS_STYLE | FLAGS_JSON, cmd_run},
    {"list", "", "Name the designs, their parameters and the workloads.", FLAGS_DATA | FLAGS_LIST,
     cmd_list},
    {"report", "[FLAGS] DOCUMENT.json [-o REPORT.html]",
     "Show any document of twbench again, as text or as a page (-o); nothing is run.",
     FLAGS_REPORT | FLAGS_PAGE | FLAGS_STYLE | FLAGS_OLD, cmd_report},
    {"merge", "[FLAGS] SHARD.json ...",
     "Put the results of 'run --shard=I/N' on several machines together.",
     FLAGS_MERGE | FLAGS_REPORT | FLAGS_PAGE | FLAGS_STYLE | FLAGS_JSON, cmd_merge},
    {"plot", "[FLAGS] RESULT.json", "Draw the pictures of a result.", FLAGS_PLOT, cmd_plot},
    {"conform", "[FLAGS]", "Test designs against the contract; prints the first broken rule.",
     FLAGS_CONFORM, cmd_conform},
    {"show", "[FLAGS] [EXAMPLE|SCRIPT|FILE|-]",
     "Draw a running design slot by slot, step by step; the worked examples.",
     FLAGS_SHOW | FLAGS_PAGE | FLAGS_STYLE, cmd_show},
    {"compare", "[FLAGS] OLD NEW", "Did it get slower? OLD and NEW: programs, plugins or results.",
     FLAGS_MATRIX | FLAGS_PAIRS | FLAGS_COMPARE | FLAGS_PAGE | FLAGS_STYLE | FLAGS_JSON,
     cmd_compare},
    {"history", "[FLAGS] DIR|RESULT.json ...",
     "At which commit did a figure change?  Results of many commits on a line.",
     FLAGS_HISTORY | FLAGS_PAGE | FLAGS_STYLE | FLAGS_JSON, cmd_history},
    {"ci", "[FLAGS]", "Build, test and compare your own plugin as twbench.json says.", FLAGS_CI,
     cmd_ci},
    {"selftest", "[FLAGS]", "How often compare is wrong here, and how small a slowdown it sees.",
     FLAGS_MATRIX | FLAGS_PAIRS | FLAGS_SELFTEST | FLAGS_PAGE | FLAGS_STYLE | FLAGS_JSON,
     cmd_selftest},
    {"claims", "[FLAGS] [T6 ...]",
     "Does it hold here, what documents (A to E, docs/CLAIMS-FORMAT.md) claim of timers?",
     FLAGS_CLAIMS | FLAGS_PAGE | FLAGS_STYLE | FLAGS_JSON, cmd_claims},
    {"trace", "[FLAGS] FILE|NAME",
     "Say what is in a trace: operations, ends, delays, armed over time.",
     FLAGS_TRACE | FLAGS_PAGE | FLAGS_STYLE, cmd_trace},
    {"advise", "[FLAGS] TRACE|WORKLOAD",
     "Which design and settings for this load here, by measurement; with --durable which store.",
     FLAGS_ADVISE | FLAGS_DURABLE | FLAGS_PAGE | FLAGS_STYLE | FLAGS_JSON, cmd_advise},
    {"limits", "[FLAGS]", "What this machine can do at best; designs as multiples of that.",
     FLAGS_LIMITS | FLAGS_PAGE | FLAGS_STYLE | FLAGS_JSON, cmd_limits},
    {"stores", "[FLAGS]",
     "Run stores that survive a crash, end them at random moments, and show ledger and figures.",
     FLAGS_STORES | FLAGS_PAGE | FLAGS_STYLE | FLAGS_JSON, cmd_stores},
    {"store", "dump DIR", "Print the files of a wheel-log, and name what is damaged.", 0,
     cmd_store},
    {"import", "[FLAGS] KIND LOG|- -o TRACE.tt[.xz|.gz] [KEY=VALUE...]",
     "Make a log of a program or kernel into a trace.", FLAGS_IMPORT | FLAGS_PAGE | FLAGS_STYLE,
     cmd_import},
    {"record", "[FLAGS] KIND [-o TRACE.tt[.xz|.gz]] -- COMMAND",
     "Record the timers of nginx, libuv, libevent or the kernel while a command runs.",
     FLAGS_RECORD, cmd_record},
    {"take", "[FLAGS] DESIGN -o DIR",
     "Write a design, and a runner over it, as sources that need nothing of twbench.", FLAGS_TAKE,
     cmd_take},
    {"probe", "[FLAGS]", "What compare asks of a program: one cell, timed, as a line of JSON.",
     FLAGS_MATRIX | FLAGS_PROBE, cmd_probe},
};

#define COMMAND_COUNT (sizeof commands / sizeof commands[0])

const struct command *cli_commands(size_t *count)
{
    *count = COMMAND_COUNT;
    return commands;
}

int cli_fail(int status, const struct diag *diag)
{
    fprintf(stderr, "twbench: %s\n", diag->text);
    return -status;
}

/* Which design is the fastest; where memory is short the result goes without. */
static void attach_standing(const struct options *options, struct result_document *document)
{
    struct diag diag;
    if (options->command->flags & FLAGS_RUN)
        (void)result_attach(document, "standing", standing_make(result_json(document)), &diag);
}

int cli_rescue(const struct options *options, struct result_document *document, int status,
               const struct diag *diag)
{
    struct diag unused;
    if (status == DIAG_RUN && document && result_count_cells(document) > 0) {
        attach_standing(options, document);
        outputs_write(options, document, &unused);
    }
    return cli_fail(status, diag);
}

int cli_finish(const struct options *options, struct result_document *document, int status)
{
    struct diag diag;
    bool interrupted = status == POOL_INTERRUPTED, broken = false;
    size_t cells = result_count_cells(document);
    if (!(options->command->flags & FLAGS_MERGE)) /* which knows what its shards lack */
        result_set_complete(document, !interrupted);
    attach_standing(options, document);
    int left = options->setup.json ? result_write(document, options->setup.json, &diag) : DIAG_OK;
    if (left != DIAG_OK)
        return cli_rescue(options, document, left, &diag);
    if (cells > 0 || !(options->command->flags & FLAGS_RUN))
        left = outputs_write(options, document, &diag);
    if (interrupted)
        fprintf(stderr, "twbench: interrupted after %zu finished cells%s\n", cells,
                options->setup.json ? "; --resume goes on from there" : "");
    if (left == DIAG_OK && !interrupted)
        left = outputs_assert(options, document, &broken, &diag);
    if (left != DIAG_OK)
        return cli_fail(left, &diag);
    if (interrupted)
        return EXIT_INTERRUPTED;
    if (result_count_failed(document) > 0)
        return EXIT_FAILED;
    return broken ? EXIT_REGRESSED : EXIT_OK;
}

static const struct command *command_find(const char *name)
{
    for (size_t i = 0; i < COMMAND_COUNT; i++)
        if (strcmp(commands[i].name, name) == 0)
            return &commands[i];
    return NULL;
}

static int refuse_command(const char *name)
{
    struct diag diag;
    char hint[80];
    struct nearest nearest = nearest_to(name);
    for (size_t i = 0; i < COMMAND_COUNT; i++)
        nearest_offer(&nearest, commands[i].name);
    nearest_offer(&nearest, "help");
    nearest_offer(&nearest, "version");
    diag_usage(&diag, "no command '%s'%s 'twbench --help' lists the commands", name,
               nearest.word[0] ? nearest_hint(&nearest, hint, sizeof hint) : ";");
    return cli_fail(DIAG_USAGE, &diag);
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

/* Where the program's own files are: what no flag has said. */
struct places {
    char workloads[4200], plots[4200], claims[4200], assets[4200];
};

static void find_places(struct places *places, struct options *options)
{
    if (!options->setup.workload_directory) {
        paths_find("workloads", BUILD_WORKLOADS_DIR, places->workloads, sizeof places->workloads);
        options->setup.workload_directory = places->workloads;
    }
    if (!options->claims_directory) {
        paths_find("claims", BUILD_CLAIMS_DIR, places->claims, sizeof places->claims);
        options->claims_directory = places->claims;
    }
    paths_find("plots", BUILD_PLOTS_DIR, places->plots, sizeof places->plots);
    options->plot_scripts = places->plots;
    paths_find("report", BUILD_REPORT_DIR, places->assets, sizeof places->assets);
    options->report_assets = places->assets;
}

/* The document is this command's alone from before anything runs until all of it is written. */
static int run_locked(const struct command *command, const struct options *options)
{
    struct diag diag;
    struct lock lock = {.fd = -1};
    int status = options->setup.json ? lock_take(options->setup.json, &lock, &diag) : DIAG_OK;
    int exit_status = status == DIAG_OK ? command->run(options) : cli_fail(status, &diag);
    lock_drop(&lock);
    return exit_status;
}

static int run_command(const struct command *command, int argc, char **argv, int first)
{
    struct options options;
    struct places places;
    struct diag diag;
    int status = arguments_parse(argc, argv, first, command, &options, &diag);
    if (status == DIAG_OK) {
        find_places(&places, &options);
        status = run_locked(command, &options);
    } else {
        status = cli_fail(status, &diag);
    }
    options_free(&options);
    return status;
}

int cli_call(const struct cli_call *call)
{
    struct options options;
    struct places places;
    struct diag diag;
    const struct command *command = command_find(call->command);
    char name[] = "twbench", word[16];
    char **argv = calloc(call->count + 3, sizeof *argv);
    if (!argv)
        return cli_fail(diag_run(&diag, "no memory for the command line"), &diag);
    snprintf(word, sizeof word, "%s", command->name);
    argv[0] = name;
    argv[1] = word;
    memcpy(argv + 2, call->words, call->count * sizeof *argv);
    int status = arguments_parse((int)call->count + 2, argv, 2, command, &options, &diag);
    options.heard = call->heard;
    options.contract = call->contract;
    options.silent = call->silent;
    if (status == DIAG_OK) {
        find_places(&places, &options);
        status = run_locked(command, &options);
    } else {
        diag_name(&diag, call->named);
        status = cli_fail(status, &diag);
    }
    options_free(&options);
    free(argv);
    return status;
}

static int show_help(const struct command *command)
{
    help_command(stdout, command);
    if (command->flags & FLAGS_IMPORT)
        cmd_import_help(stdout);
    if (command->flags & FLAGS_RECORD)
        cmd_record_help(stdout);
    return EXIT_OK;
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
        return cli_fail(DIAG_USAGE, &diag);
    }
    if (is_version)
        return print_version();
    if (argc == 2) {
        help_commands(stdout, commands, COMMAND_COUNT);
        return EXIT_OK;
    }
    const struct command *command = command_find(argv[2]);
    return command ? show_help(command) : refuse_command(argv[2]);
}

static int find_and_run(int argc, char **argv)
{
    bool named = argc > 1 && argv[1][0] != '-';
    bool wants_help = asks(argc, argv, "--help") || asks(argc, argv, "-h");
    if (argc < 2 || (!named && wants_help)) {
        help_commands(stdout, commands, COMMAND_COUNT);
        return EXIT_OK;
    }
    if (!named && asks(argc, argv, "--version"))
        return print_version();
    if (strcmp(argv[1], "help") == 0 || strcmp(argv[1], "version") == 0)
        return answer_word(argc, argv);
    const struct command *command = command_find(named ? argv[1] : "run");
    if (!command)
        return refuse_command(argv[1]);
    return wants_help ? show_help(command) : run_command(command, argc, argv, named ? 2 : 1);
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
    if (failed && status != EXIT_FAILED)
        fprintf(stderr, "twbench: standard output: cannot be written%s%s\n", errno ? ": " : "",
                errno ? strerror(errno) : "");
    return failed && status == EXIT_OK ? EXIT_FAILED : status;
}

int cli_main(int argc, char **argv)
{
    setlocale(LC_CTYPE, "");
    keep_streams();
    /* A file that may not grow is an error of the write, which is reported, and not the end. */
    signal(SIGXFSZ, SIG_IGN);
    return end_stdout(find_and_run(argc, argv));
}
