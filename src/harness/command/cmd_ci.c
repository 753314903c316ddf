/* cmd_ci.c - ci: builds, tests and compares a plugin as a project file says. */
#include "harness/base/file.h"
#include "harness/base/json.h"
#include "harness/base/memory.h"
#include "harness/base/paths.h"
#include "harness/command/command.h"
#include "harness/command/project.h"
#include "harness/command/setup_flags.h"
#include "harness/measure/designs/designs.h"
#include "harness/tell/report/plot.h"

#include <sys/stat.h>
#include <sys/wait.h>

struct ci_options {
    const char *config, *base; /* paths, or NULL */
    unsigned fail_on;          /* 0: as the project says; else an enum fail_on, and 1 */
    enum setup_progress progress;
    bool save_baseline;
};

static const char *const fail_on_words[] = {"project", "work", "regressed", "inconclusive", NULL};

#define OF struct ci_options
static const struct flag flags[] = {
    FLAG_WORD("fail-on", "WHAT",
              "project, work, regressed or inconclusive: what ends in status 3 or 4 (default "
              "project: as the file says)",
              OF, fail_on, fail_on_words),
    FLAG_FILE("config", "FILE", "the project file (default twbench.json)", OF, config),
    FLAG_FILE("base", "DIR|OLD.so",
              "compare with this checkout of the base, built the same way, or with this plugin", OF,
              base),
    FLAG_SWITCH("save-baseline", "save the plugin's counts as the baseline; compares nothing", OF,
                save_baseline),
    FLAG_WORD("progress", "WHEN", "auto, bar, lines, never (default: a bar on a terminal)", OF,
              progress, setup_progress_words),
};
#undef OF
static const struct flag_group groups[] = {{.flags = flags, .count = FLAGS(flags)}, {0}};

/* What lives as long as the command. */
struct ci {
    const struct call *call;
    const struct ci_options *options;
    struct project project;
    const char *plugin;     /* of the project file */
    char base[PATH_MAX];    /* of --base, absolute; "": not given */
    bool base_is_tree;      /* a directory, in which the plugin is built too */
    bool is_same;           /* OLD and NEW have the same bytes */
    char old[2 * PATH_MAX]; /* the base's plugin */
    char *said;             /* what conform printed; owned */
    char old_commit[64], new_commit[64];
    cJSON *changed, *accepted; /* owned */
    struct contract contract;
    struct project_arguments arguments; /* of the command that is called next */
};

/* ---- The project and its base. --------------------------------------------------------------- */

/* Paths of the file are seen from its own directory. */
static int enter_project(const char *path, struct diag *diag)
{
    char directory[PATH_MAX];
    snprintf(directory, sizeof directory, "%s", path);
    char *slash = strrchr(directory, '/');
    if (!slash)
        return DIAG_OK;
    slash[slash == directory] = '\0';
    if (chdir(directory) != 0)
        return diag_usage(diag, "%s: its directory: %s", path, strerror(errno));
    return DIAG_OK;
}

static int find_base(struct ci *ci, struct diag *diag)
{
    struct stat status;
    const char *given = ci->options->base;
    if (!given)
        return DIAG_OK;
    if (!realpath(given, ci->base) || stat(ci->base, &status) != 0)
        return diag_usage(diag, "--base=%s: %s; expected a plugin, or a checkout (git worktree)",
                          given, strerror(errno));
    ci->base_is_tree = S_ISDIR(status.st_mode);
    snprintf(ci->old, sizeof ci->old, ci->base_is_tree ? "%s/%s" : "%s", ci->base, ci->plugin);
    return DIAG_OK;
}

/* A job that compares with nothing would be green for ever. */
static int check_other_side(const struct ci *ci, struct diag *diag)
{
    const struct ci_options *options = ci->options;
    const char *path = ci->project.path, *baseline = project_text(&ci->project, "baseline");
    if (ci->call->operand_count > 0)
        return diag_usage(diag, "%s: ci takes no operands; did you mean --config=%s?",
                          ci->call->operands[0], ci->call->operands[0]);
    if (options->save_baseline && options->base)
        return diag_usage(diag, "--base and --save-baseline: expected only one of them");
    if (options->save_baseline && !baseline)
        return diag_usage(diag, "--save-baseline: %s has no key 'baseline' that names the file",
                          path);
    if (!options->save_baseline && !options->base && !baseline)
        return diag_usage(diag,
                          "%s: nothing to compare with; expected --base=DIR (a checkout of the "
                          "base), --base=OLD.so or the key 'baseline'",
                          path);
    if (!options->save_baseline && !options->base && access(baseline, R_OK) != 0)
        return diag_usage(diag, "%s: baseline: %s: %s; save one: twbench ci --save-baseline", path,
                          baseline, strerror(errno));
    return DIAG_OK;
}

static const char *const documents[][2] = {
    {"json", "json"}, {"summary", "export-markdown"}, {"junit", "export-junit"}};
#define DOCUMENTS (sizeof documents / sizeof *documents)

/* What an earlier call left must not pass for what this one finds. */
static int remove_documents(const struct ci *ci, struct diag *diag)
{
    static const char *const inputs[] = {"plugin", "baseline"};
    for (size_t i = 0; i < DOCUMENTS; i++) {
        const char *path = project_text(&ci->project, documents[i][0]);
        const char *file = strrchr(ci->project.path, '/');
        bool is_input = path && strcmp(path, file ? file + 1 : ci->project.path) == 0;
        for (size_t j = 0; path && j < sizeof inputs / sizeof *inputs; j++) {
            const char *input = project_text(&ci->project, inputs[j]);
            is_input = is_input || (input && strcmp(path, input) == 0);
        }
        if (is_input)
            return diag_usage(diag, "%s: %s: %s is read as well; expected a file of its own",
                              ci->project.path, documents[i][0], path);
        if (path && unlink(path) != 0 && errno != ENOENT)
            return diag_usage(diag, "%s: %s: %s: %s", ci->project.path, documents[i][0], path,
                              strerror(errno));
    }
    return DIAG_OK;
}

static int ci_open(struct ci *ci, struct diag *diag)
{
    const char *path = ci->options->config ? ci->options->config : "twbench.json";
    if (!ci->options->config && access(path, F_OK) != 0)
        return diag_usage(
            diag, "ci: no twbench.json in this directory; expected one that names "
                  "your plugin, or --config=FILE; 'twbench init DIR' writes one with a timer to "
                  "begin with");
    int status = project_load(path, &ci->project, diag);
    if (status != DIAG_OK)
        return status;
    ci->plugin = project_text(&ci->project, "plugin");
    if (ci->plugin[0] == '/' && ci->options->base)
        return diag_usage(diag,
                          "%s: plugin: %s: expected a path that is seen from the file's "
                          "directory, in the base as well",
                          path, ci->plugin);
    status = find_base(ci, diag);
    if (status == DIAG_OK)
        status = enter_project(path, diag);
    if (status == DIAG_OK)
        status = check_other_side(ci, diag);
    return status == DIAG_OK && !ci->options->save_baseline ? remove_documents(ci, diag) : status;
}

/* ---- Building. ------------------------------------------------------------------------------- */

/* What the build prints is said about the result, and goes to stderr. */
static void become_build(const char *directory, const char *command)
{
    if (chdir(directory) != 0 || dup2(STDERR_FILENO, STDOUT_FILENO) < 0)
        _exit(127);
    execl("/bin/sh", "sh", "-c", command, (char *)NULL);
    _exit(127);
}

static int build_in(const struct ci *ci, const char *directory, const char *side, struct diag *diag)
{
    int ended = 0;
    const char *command = project_text(&ci->project, "build"), *path = ci->project.path;
    if (!command)
        return DIAG_OK;
    fprintf(stderr, "twbench: building the %s: %s\n", side, command);
    fflush(NULL);
    pid_t child = fork();
    if (child == 0)
        become_build(directory, command);
    while (child > 0 && waitpid(child, &ended, 0) < 0)
        if (errno != EINTR)
            break;
    if (child < 0)
        return diag_run(diag, "%s: build: %s", path, strerror(errno));
    if (!WIFEXITED(ended) || WEXITSTATUS(ended) != 0)
        return diag_usage(diag,
                          "%s: build: '%.200s' failed in the %s (%s %d); the lines above say why",
                          path, command, side, WIFEXITED(ended) ? "status" : "signal",
                          WIFEXITED(ended) ? WEXITSTATUS(ended) : WTERMSIG(ended));
    return DIAG_OK;
}

static int check_plugin(const struct ci *ci, const char *path, const char *side, struct diag *diag)
{
    if (access(path, R_OK) == 0)
        return DIAG_OK;
    bool has_build = project_text(&ci->project, "build");
    return diag_usage(diag, "%s: plugin: %s: %s in the %s%s", ci->project.path, path,
                      strerror(errno), side,
                      has_build ? " after the build" : "; there is no key 'build' that makes it");
}

/* A parameter that the plugin has not got is said before minutes of conform. */
static int check_parameters(const struct ci *ci, struct diag *diag)
{
    int status = DIAG_OK;
    const struct tw_design *design = plugins_open(ci->plugin, diag);
    if (!design) {
        diag_name(diag, "plugin");
        diag_name(diag, ci->project.path);
        return DIAG_USAGE;
    }
    json_each(parameter, ci->project.json, "parameters")
        if (status == DIAG_OK && !param_find(design->timed->params, parameter->string))
            status =
                diag_usage(diag,
                           "%s: parameters.%.80s: the design '%s' of %s has no such "
                           "parameter",
                           ci->project.path, parameter->string, design->timed->name, ci->plugin);
    plugins_close(design);
    return status;
}

static int ci_build(const struct ci *ci, struct diag *diag)
{
    int status = DIAG_OK;
    if (ci->base_is_tree)
        status = build_in(ci, ci->base, "base", diag);
    if (status == DIAG_OK && ci->base[0])
        status = check_plugin(ci, ci->old, "base", diag);
    if (status == DIAG_OK)
        status = build_in(ci, ".", "head", diag);
    if (status == DIAG_OK)
        status = check_plugin(ci, ci->plugin, "head", diag);
    return status == DIAG_OK ? check_parameters(ci, diag) : status;
}

/* ---- The contract. --------------------------------------------------------------------------- */

/* Unless a step before has failed. */
#define THEN(...) (status == DIAG_OK ? (__VA_ARGS__) : status)
#define ADD(...)  THEN(project_argument(&ci->project, &ci->arguments, diag, __VA_ARGS__))

/* The exit status of conform, with what it printed shown and kept. */
static int call_conform(struct ci *ci, struct conform_heard *heard)
{
    int exit_status = command_call(&cmd_conform, ci->arguments.words, ci->arguments.count, heard,
                                   ci->project.path);
    fclose(heard->out);
    if (heard->broken || exit_status != EXIT_OK)
        fputs(ci->said, stdout);
    fflush(stdout);
    ci->contract.status = heard->broken            ? CONTRACT_BROKEN
                          : exit_status == EXIT_OK ? CONTRACT_HELD
                                                   : CONTRACT_NOT_TESTED;
    ci->contract.text = ci->said;
    return exit_status;
}

/* EXIT_OK, with the contract in *ci, broken or not; or why it could not be tested. */
static int ci_conform(struct ci *ci, struct diag *diag)
{
    const char *how = project_text(&ci->project, "conform");
    struct conform_heard heard = {.out = NULL};
    size_t size = 0;
    ci->contract.status = CONTRACT_NOT_TESTED;
    ci->contract.text = "";
    if (how && strcmp(how, "off") == 0)
        return EXIT_OK;
    ci->said = ci_tree_held(ci->plugin, how ? how : "on");
    if (ci->said) {
        ci->contract.status = CONTRACT_HELD;
        ci->contract.text = ci->said;
        return EXIT_OK;
    }
    int status = DIAG_OK;
    ci->arguments.count = 0;
    status = ADD("--plugin=%s", ci->plugin);
    if (how && strcmp(how, "thorough") == 0)
        status = ADD("--thorough");
    heard.out = status == DIAG_OK ? open_memstream(&ci->said, &size) : NULL;
    if (status != DIAG_OK)
        return command_fail(status, diag);
    int exit_status = call_conform(ci, &heard);
    if (ci->contract.status == CONTRACT_HELD)
        ci_tree_keep(ci->plugin, how ? how : "on", ci->said);
    /* Where the machine's time ran out before conform had its answer, the comparison goes on and says that nothing was tested. */
    return heard.broken || exit_status == EXIT_INCONCLUSIVE ? EXIT_OK : exit_status;
}

/* ---- The comparison. ------------------------------------------------------------------------- */

static int make_directory_of(const char *path, struct diag *diag)
{
    char directory[PATH_MAX];
    snprintf(directory, sizeof directory, "%s", path);
    char *slash = strrchr(directory, '/');
    if (!slash || slash == directory)
        return DIAG_OK;
    *slash = '\0';
    return gnuplot_directory(directory, diag);
}

/* The documents that the file names are written anew each time. */
static int add_documents(struct ci *ci, struct diag *diag)
{
    int status = DIAG_OK;
    for (size_t i = 0; i < DOCUMENTS; i++) {
        const char *path = project_text(&ci->project, documents[i][0]);
        if (!path)
            continue;
        status = THEN(make_directory_of(path, diag));
        status = ADD("--%s=%s", documents[i][1], path);
    }
    return ADD("--force");
}

/* compare with the contract; or run, which shows its table only with `is_shown`. */
static int call_compare(struct ci *ci)
{
    return command_call(&cmd_compare, ci->arguments.words, ci->arguments.count, &ci->contract,
                        ci->project.path);
}

static int call_run(struct ci *ci, bool is_shown)
{
    return command_call(&cmd_run, ci->arguments.words, ci->arguments.count, is_shown ? NULL : ci,
                        ci->project.path);
}

/* OLD and NEW side by side; `uses`: what of the file says how. */
static int compare(struct ci *ci, const char *old, const char *new, unsigned uses,
                   struct diag *diag)
{
    /* The flag wins over what the file says. */
    const char *fail_on = ci->options->fail_on > 0 ? fail_on_words[ci->options->fail_on]
                                                   : project_text(&ci->project, "fail_on");
    int status = DIAG_OK;
    ci->arguments.count = 0;
    status = ADD("%s", old);
    status = ADD("%s", new);
    status = THEN(project_arguments(&ci->project, uses, &ci->arguments, diag));
    if (uses & PROJECT_LIMITS)
        status = THEN(project_accepted(&ci->project, &ci->arguments, &ci->accepted, diag));
    ci->contract.accepted = ci->accepted;
    if (ci->is_same)
        status = ADD("--pairs=0");
    if (fail_on)
        status = ADD("--fail-on=%s", fail_on);
    status = THEN(add_documents(ci, diag));
    if ((uses & PROJECT_PAIRS) || ci->is_same)
        status = ADD("--progress=%s", setup_progress_words[ci->options->progress]);
    return status == DIAG_OK ? call_compare(ci) : command_fail(status, diag);
}

/* The plugin's counts and instructions, as a result. */
static int run_counts(struct ci *ci, const char *json, struct diag *diag)
{
    int status = DIAG_OK;
    ci->arguments.count = 0;
    status = ADD("--plugin=%s", ci->plugin);
    status = ADD("--preset=ci");
    status = THEN(project_arguments(&ci->project, PROJECT_MATRIX, &ci->arguments, diag));
    status = ADD("--runs=1");
    status = ADD("--warmup=0");
    status = ADD("--min-time=1ns");
    status = ADD("--counters=step");
    status = ADD("--no-system-check");
    status = ADD("--force");
    status = ADD("--json=%s", json);
    if (ci->new_commit[0])
        status = ADD("--commit=%s", ci->new_commit);
    status = THEN(make_directory_of(json, diag));
    status = ADD("--progress=%s", setup_progress_words[ci->options->progress]);
    return status == DIAG_OK ? call_run(ci, false) : command_fail(status, diag);
}

static int compare_with_baseline(struct ci *ci, struct diag *diag)
{
    char new[4096];
    paths_temporary(new, sizeof new, "twbench-ci");
    int fd = mkstemp(new);
    if (fd < 0)
        return command_fail(diag_run(diag, "%s: %s", new, strerror(errno)), diag);
    close(fd);
    int exit_status = run_counts(ci, new, diag);
    if (exit_status == EXIT_OK)
        exit_status =
            compare(ci, project_text(&ci->project, "baseline"), new, PROJECT_LIMITS, diag);
    unlink(new);
    return exit_status;
}

/* The table of the file's designs beside the plugin, folded, behind what the summary has. */
static int append_table(const char *summary, const char *path, struct diag *diag)
{
    char *text = NULL;
    size_t size = 0;
    int status = file_read(path, &text, &size, diag);
    FILE *out = status == DIAG_OK ? fopen(summary, "a") : NULL;
    if (out)
        fprintf(out, "\n<details><summary>Other designs</summary>\n\n%s\n</details>\n", text);
    if (status == DIAG_OK && (!out || fclose(out) != 0))
        status = diag_run(diag, "%s: %s", summary, strerror(errno));
    free(text);
    return status == DIAG_OK ? EXIT_OK : command_fail(status, diag);
}

/* Shown, never judged: where the plugin stands among designs that everybody knows; in the summary, if there is one. */
static int show_designs(struct ci *ci, struct diag *diag)
{
    const char *summary = project_text(&ci->project, "summary");
    char table[4096];
    paths_temporary(table, sizeof table, "twbench-ci");
    int fd = mkstemp(table), status = DIAG_OK;
    if (fd < 0)
        return command_fail(diag_run(diag, "%s: %s", table, strerror(errno)), diag);
    close(fd);
    ci->arguments.count = 0;
    status = ADD("--plugin=%s", ci->plugin);
    status = ADD("--preset=ci");
    status = THEN(
        project_arguments(&ci->project, PROJECT_MATRIX | PROJECT_DESIGNS, &ci->arguments, diag));
    status = ADD("--min-time=2ms");
    status = ADD("--no-system-check");
    status = ADD("--force");
    status = ADD("--export-markdown=%s", table);
    status = ADD("--progress=%s", setup_progress_words[ci->options->progress]);
    int exit_status = status == DIAG_OK ? call_run(ci, !summary) : command_fail(status, diag);
    if (exit_status == EXIT_OK && summary) {
        printf("beside other designs: %s\n", summary);
        exit_status = append_table(summary, table, diag);
    }
    unlink(table);
    return exit_status;
}

/* What breaks the contract is not compared: how fast a wrong timer is says nothing. */
static int report_broken(struct ci *ci, struct diag *diag)
{
    const char *old = ci->base[0] ? ci->old : project_text(&ci->project, "baseline");
    int status = DIAG_OK;
    ci->arguments.count = 0;
    status = ADD("%s", ci->plugin);
    status = THEN(add_documents(ci, diag));
    if (status != DIAG_OK)
        return command_fail(status, diag);
    ci->contract.old = old;
    fprintf(stderr, "twbench: %s breaks the contract, so it is not compared\n", ci->plugin);
    return call_compare(ci);
}

static int save_baseline(struct ci *ci, struct diag *diag)
{
    const char *path = project_text(&ci->project, "baseline");
    int exit_status =
        ci->contract.status == CONTRACT_BROKEN ? EXIT_FAILED : run_counts(ci, path, diag);
    if (exit_status == EXIT_OK)
        fprintf(stderr, "twbench: the counts of %s are saved as %s\n", ci->plugin, path);
    return exit_status;
}

static int ci_judge(struct ci *ci, struct diag *diag)
{
    /* Equal bytes take equal times. */
    ci->is_same = ci->base[0] && ci_tree_equal(ci->old, ci->plugin);
    unsigned uses = PROJECT_MATRIX | PROJECT_LIMITS | (ci->is_same ? 0 : PROJECT_PAIRS);
    if (ci->is_same)
        fprintf(stderr, "twbench: OLD and NEW are identical files: no times are taken\n");
    if (ci->options->save_baseline)
        return save_baseline(ci, diag);
    if (ci->contract.status == CONTRACT_BROKEN)
        return report_broken(ci, diag);
    int verdict = ci->base[0] ? compare(ci, ci->old, ci->plugin, uses, diag)
                              : compare_with_baseline(ci, diag);
    bool judged = verdict == EXIT_OK || verdict == EXIT_REGRESSED || verdict == EXIT_INCONCLUSIVE;
    int shown = judged && json_get(ci->project.json, "designs") ? show_designs(ci, diag) : EXIT_OK;
    return verdict == EXIT_OK ? shown : verdict;
}

/* Whose commits OLD and NEW are: the plugin's. */
static void name_commits(struct ci *ci)
{
    if (ci->base_is_tree) {
        ci_tree_commit(ci->base, ci->old_commit, sizeof ci->old_commit);
        ci->changed = ci_tree_changed(ci->old_commit);
    }
    ci_tree_commit(".", ci->new_commit, sizeof ci->new_commit);
    cJSON *baseline = NULL;
    struct diag unused;
    if (!ci->base[0] && !ci->options->save_baseline &&
        json_load(project_text(&ci->project, "baseline"), "a result", &baseline, &unused) ==
            DIAG_OK)
        snprintf(ci->old_commit, sizeof ci->old_commit, "%s",
                 json_get_text(baseline, "subject.commit"));
    cJSON_Delete(baseline);
    ci->contract.old_commit = ci->old_commit;
    ci->contract.new_commit = ci->new_commit;
    ci->contract.changed = ci->changed;
}

static int run(struct call *call)
{
    struct diag diag;
    struct ci *ci = memory_take(1, sizeof *ci);
    ci->call = call;
    ci->options = call->options;
    int status = ci_open(ci, &diag);
    if (status == DIAG_OK)
        status = ci_build(ci, &diag);
    if (status == DIAG_OK)
        name_commits(ci);
    int exit_status = status == DIAG_OK ? ci_conform(ci, &diag) : command_fail(status, &diag);
    if (exit_status == EXIT_OK)
        exit_status = ci_judge(ci, &diag);
    cJSON_Delete(ci->changed);
    cJSON_Delete(ci->accepted);
    project_free(&ci->project);
    free(ci->said);
    free(ci);
    return exit_status;
}

const struct command cmd_ci = {
    .name = "ci",
    .usage = "[FLAGS]",
    .summary = "Build, test and compare your own plugin as twbench.json says.",
    .topic = "My CI",
    .groups = groups,
    .size = sizeof(struct ci_options),
    .run = run,
};
