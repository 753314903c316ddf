/* cmd_init.c - init: writes a timer of your own to begin with, its build, its project file and its workflows. */
#include "harness/command/command.h"
#include "harness/tell/report/plot.h"

/* The files as they are in the tree: what is written cannot differ from what the pages show. */
#define CARRY(name, path)                                                                          \
    __asm__(".pushsection .rodata\n.globl tw_init_" #name "\ntw_init_" #name ":\n.incbin \"" path  \
            "\"\n.byte 0\n.popsection\n");                                                         \
    extern const char tw_init_##name[] __attribute__((visibility("hidden")))
CARRY(skeleton, "docs/skeleton.c");
CARRY(backend, "src/impls/backend.h");
CARRY(plugin, "docs/ci/init/plugin.c");
CARRY(makefile, "docs/ci/init/Makefile");
CARRY(gitignore, "docs/ci/init/gitignore");
CARRY(project, "docs/ci/twbench.json");
CARRY(workflow, "docs/ci/plugin-github-actions.yml");
CARRY(comment, "docs/ci/plugin-github-comment.yml");

static const struct {
    const char *path, *text;
} carried[] = {
    {"mytimer.c", tw_init_skeleton},
    {"backend.h", tw_init_backend},
    {"plugin.c", tw_init_plugin},
    {"Makefile", tw_init_makefile},
    {".gitignore", tw_init_gitignore},
    {"twbench.json", tw_init_project},
    {".github/workflows/timer.yml", tw_init_workflow},
    {".github/workflows/timer-comment.yml", tw_init_comment},
};
#define CARRIED (sizeof carried / sizeof *carried)

/* The skeleton under its own name. */
static void print_renamed(FILE *out, const char *text)
{
    static const char old[] = "skeleton", new[] = "mytimer";
    for (const char *found; (found = strstr(text, old)); text = found + strlen(old))
        fprintf(out, "%.*s%s", (int)(found - text), text, new);
    fputs(text, out);
}

static void print_carried(FILE *out, const void *ctx)
{
    const size_t *i = ctx;
    print_renamed(out, carried[*i].text);
}

/* Nothing is written when one of the files is there. */
static int check(const char *directory, struct diag *diag)
{
    char path[PATH_MAX];
    int status = DIAG_OK;
    for (size_t i = 0; i < CARRIED && status == DIAG_OK; i++) {
        snprintf(path, sizeof path, "%s/%s", directory, carried[i].path);
        status =
            file_refuse_existing(path, "init overwrites nothing: choose another directory", diag);
    }
    return status;
}

static int write_all(const char *directory, struct diag *diag)
{
    char path[PATH_MAX];
    snprintf(path, sizeof path, "%s/.github/workflows", directory);
    int status = check(directory, diag);
    if (status == DIAG_OK)
        status = gnuplot_directory(path, diag);
    for (size_t i = 0; i < CARRIED && status == DIAG_OK; i++) {
        snprintf(path, sizeof path, "%s/%s", directory, carried[i].path);
        status = file_replace(path, print_carried, &i, diag);
        if (status == DIAG_OK)
            printf("%s\n", path);
    }
    return status;
}

static int run(struct call *call)
{
    struct diag diag;
    int status = call->operand_count == 1 ? write_all(call->operands[0], &diag)
                                          : command_operands(call, "a directory", &diag);
    if (status != DIAG_OK)
        return command_fail(status, &diag);
    printf(
        "\ncd %s && make && twbench ci --base=.\nPut your timer in the place of mytimer.c, and in "
        ".github/workflows/timer.yml fill in TWBENCH_URL.\n",
        call->operands[0]);
    return EXIT_OK;
}

static const struct flag_group groups[] = {{0}};

const struct command cmd_init = {
    .name = "init",
    .usage = "DIR",
    .summary =
        "Create a repository for your own timer: skeleton, Makefile, twbench.json, workflows.",
    .topic = "My CI",
    .groups = groups,
    .run = run,
};
