/* cli.c - which command is meant. */
#include "harness/cli/cli.h"

#include "build_info.h"
#include "harness/base/paths.h"

#include <locale.h>
#include <string.h>

static const struct command commands[] = {
    {"run", "[FLAGS]", "Run designs on workloads and show a table.",
     FLAGS_MATRIX | FLAGS_RUN | FLAGS_REPORT | FLAGS_STYLE | FLAGS_JSON, cmd_run},
    {"replay", "[FLAGS] TRACE...", "Run designs on recorded traces (FILE.tt[.xz|.gz], or a name).",
     FLAGS_MATRIX | FLAGS_RUN | FLAGS_REPORT | FLAGS_STYLE | FLAGS_JSON, cmd_run},
    {"list", "", "Name the designs, their parameters and the workloads.", FLAGS_DATA, cmd_list},
    {"report", "[FLAGS] RESULT.json [-o REPORT.html]",
     "Show an old result again, as a table or as a page (-o); nothing is run.",
     FLAGS_REPORT | FLAGS_STYLE | FLAGS_OLD, cmd_report},
    {"plot", "[FLAGS] RESULT.json", "Draw the pictures of a result.", FLAGS_PLOT, cmd_plot},
    {"conform", "[FLAGS]", "Test designs against the contract; prints the first broken rule.",
     FLAGS_CONFORM, cmd_conform},
    {"show", "[FLAGS] [EXAMPLE|SCRIPT|FILE|-]",
     "Draw a running design slot by slot, step by step; the worked examples.",
     FLAGS_SHOW | FLAGS_STYLE, cmd_show},
    {"compare", "[FLAGS] OLD NEW", "Did it get slower? OLD and NEW: programs, plugins or results.",
     FLAGS_MATRIX | FLAGS_PAIRS | FLAGS_COMPARE | FLAGS_STYLE | FLAGS_JSON, cmd_compare},
    {"selftest", "[FLAGS]", "How often compare is wrong here, and how small a slowdown it sees.",
     FLAGS_MATRIX | FLAGS_PAIRS | FLAGS_SELFTEST | FLAGS_STYLE | FLAGS_JSON, cmd_selftest},
    {"claims", "[FLAGS] [T6 ...]",
     "What documents claim of timers, each put to an experiment: does it hold here?",
     FLAGS_CLAIMS | FLAGS_STYLE | FLAGS_JSON, cmd_claims},
    {"trace", "[FLAGS] FILE|NAME",
     "Say what is in a trace: operations, ends, delays, armed over time.",
     FLAGS_TRACE | FLAGS_STYLE, cmd_trace},
    {"advise", "[FLAGS] TRACE|WORKLOAD",
     "Which design and which settings for this load, on this machine, by measurement.",
     FLAGS_ADVISE | FLAGS_STYLE | FLAGS_JSON, cmd_advise},
    {"limits", "[FLAGS]", "What this machine can do at best; designs as multiples of that.",
     FLAGS_LIMITS | FLAGS_STYLE | FLAGS_JSON, cmd_limits},
    {"import", "[FLAGS] KIND LOG|- -o TRACE.tt[.xz|.gz] [KEY=VALUE...]",
     "Make a log of a program or kernel into a trace.", FLAGS_IMPORT, cmd_import},
    {"probe", "[FLAGS]", "What compare asks of a program: one cell, timed, as a line of JSON.",
     FLAGS_MATRIX | FLAGS_PROBE, cmd_probe},
};

#define COMMAND_COUNT (sizeof commands / sizeof commands[0])

int cli_fail(int status, const struct diag *diag)
{
    fprintf(stderr, "twbench: %s\n", diag->text);
    return -status;
}

static const struct command *command_find(const char *name)
{
    for (size_t i = 0; i < COMMAND_COUNT; i++)
        if (strcmp(commands[i].name, name) == 0)
            return &commands[i];
    return NULL;
}

static int print_help(void)
{
    printf("usage: twbench [COMMAND] [FLAGS]\n\n"
           "Compares timer data structures on identical start/stop/expire workloads.\n\n");
    for (size_t i = 0; i < COMMAND_COUNT; i++)
        printf("  %-10s %s\n", commands[i].name, commands[i].summary);
    printf("\nWithout a command: run.  'twbench COMMAND --help' lists the flags of a command.\n"
           "Example: twbench --impl=hashed,heap --tasks=1e3..1e6\n");
    return EXIT_OK;
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

static int run_command(const struct command *command, int argc, char **argv, int first)
{
    struct options options;
    struct diag diag;
    char workloads[4200], plots[4200], claims[4200], assets[4200];
    int status = options_parse(argc, argv, first, command, &options, &diag);
    if (status == DIAG_OK) {
        if (!options.workload_directory) {
            paths_find("workloads", BUILD_WORKLOADS_DIR, workloads, sizeof workloads);
            options.workload_directory = workloads;
        }
        if (!options.claims_directory) {
            paths_find("claims", BUILD_CLAIMS_DIR, claims, sizeof claims);
            options.claims_directory = claims;
        }
        paths_find("plots", BUILD_PLOTS_DIR, plots, sizeof plots);
        options.plot_scripts = plots;
        paths_find("report", BUILD_REPORT_DIR, assets, sizeof assets);
        options.report_assets = assets;
        status = command->run(&options);
        if (status == EXIT_OK && (fflush(stdout) != 0 || ferror(stdout))) {
            diag_run(&diag, "writing to stdout failed");
            status = cli_fail(DIAG_RUN, &diag);
        }
    } else {
        status = cli_fail(status, &diag);
    }
    options_free(&options);
    return status;
}

int cli_main(int argc, char **argv)
{
    setlocale(LC_CTYPE, "");
    bool named = argc > 1 && argv[1][0] != '-';
    const struct command *command = command_find(named ? argv[1] : "run");
    if (!command) {
        struct diag diag;
        diag_usage(&diag, "no command '%s'; 'twbench --help' lists the commands", argv[1]);
        return cli_fail(DIAG_USAGE, &diag);
    }
    if (!named && asks(argc, argv, "--help"))
        return print_help();
    if (!named && asks(argc, argv, "--version"))
        return print_version();
    if (asks(argc, argv, "--help")) {
        options_help(stdout, command);
        if (command->flags & FLAGS_IMPORT)
            cmd_import_help(stdout);
        return EXIT_OK;
    }
    return run_command(command, argc, argv, named ? 2 : 1);
}
