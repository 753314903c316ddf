/* labs.c - finds the lab that has a command, and starts its program. */
#include "harness/command/labs.h"

#include "build_info.h"
#include "harness/base/file.h"
#include "harness/base/json.h"
#include "harness/base/object.h"
#include "harness/base/paths.h"
#include "harness/command/command.h"
#include "harness/tell/report/documents.h"

#include <fcntl.h>
#include <sys/wait.h>

const struct lab_row lab_rows[] = {
#define COMMAND(lab, name, topic, summary) {lab, LAB_COMMAND, name, summary, topic, NULL},
#define FLAG(lab, command, flag)           {lab, LAB_FLAG, flag, NULL, NULL, command},
#define PLUGIN(lab, command, symbol)       {lab, LAB_PLUGIN, symbol, NULL, NULL, command},
#define KIND(lab, kind)                    {lab, LAB_KIND, kind, NULL, NULL, NULL},
#define LIST(lab)                          {lab, LAB_LIST, NULL, NULL, NULL, NULL},
#define DESIGN(lab, name, package)         {lab, LAB_DESIGN, name, package, NULL, NULL},
#include "labs.def"
    {NULL, LAB_LIST, NULL, NULL, NULL, NULL},
};
const size_t lab_row_count = sizeof lab_rows / sizeof *lab_rows - 1;

bool lab_program(const char *lab, char *out, size_t size)
{
    char name[64], installed[4096];
    snprintf(name, sizeof name, "twbench-%s", lab);
    snprintf(installed, sizeof installed, "%s/%s", BUILD_LABS_DIR, name);
    paths_find(name, installed, out, size);
    return access(out, X_OK) == 0;
}

/* ---- Which lab. ------------------------------------------------------------------------------- */

/* The value of argv[i] if it is that flag: of "--flag=value", or the next word ("" when there is none). */
static const char *value_of(int argc, char **argv, int i, const char *flag)
{
    size_t length = strlen(flag);
    if (strncmp(argv[i], "--", 2) != 0 || strncmp(argv[i] + 2, flag, length) != 0)
        return NULL;
    if (argv[i][2 + length] == '=')
        return argv[i] + length + 3;
    return argv[i][2 + length] != '\0' ? NULL : i + 1 < argc ? argv[i + 1] : "";
}

static bool has_flag(int argc, char **argv, const char *flag)
{
    for (int i = 1; i < argc && strcmp(argv[i], "--") != 0; i++)
        if (value_of(argc, argv, i, flag))
            return true;
    return false;
}

static bool has_plugin(int argc, char **argv, const char *symbol)
{
    for (int i = 1; i < argc && strcmp(argv[i], "--") != 0; i++) {
        const char *value = value_of(argc, argv, i, "plugin");
        char path[4096];
        if (!value)
            continue;
        snprintf(path, sizeof path, "%.*s", (int)strcspn(value, ","), value);
        if (object_has_symbol(path, symbol))
            return true;
    }
    return false;
}

static bool applies(const struct lab_row *row, const char *command, int argc, char **argv)
{
    if (row->kind == LAB_COMMAND)
        return strcmp(row->name, command) == 0;
    if (!row->of || strcmp(row->of, command) != 0)
        return false;
    return row->kind == LAB_FLAG ? has_flag(argc, argv, row->name)
                                 : has_plugin(argc, argv, row->name);
}

const struct lab_row *lab_for(const char *command, int argc, char **argv)
{
    for (size_t i = 0; i < lab_row_count; i++)
        if (applies(&lab_rows[i], command, argc, argv))
            return &lab_rows[i];
    return NULL;
}

const struct lab_row *lab_for_document(const char *text, size_t size)
{
    const struct lab_row *row = NULL;
    struct diag unused;
    cJSON *json = NULL;
    if (!program.lab && jsontext_read("", text, size, "", &json, &unused) == DIAG_OK &&
        !document_kind_of(json))
        for (size_t i = 0; i < lab_row_count && !row; i++)
            if (lab_rows[i].kind == LAB_KIND &&
                strcmp(lab_rows[i].name, json_get_text(json, "kind")) == 0)
                row = &lab_rows[i];
    cJSON_Delete(json);
    return row;
}

/* ---- Its program. ----------------------------------------------------------------------------- */

static int say_missing(const struct lab_row *row, struct diag *diag)
{
    static const char *const before[] = {[LAB_COMMAND] = "",
                                         [LAB_FLAG] = "--",
                                         [LAB_PLUGIN] = "a plugin with ",
                                         [LAB_KIND] = "a document of kind "};
    return diag_usage(diag, "%s%s is in the lab %s: 'make %s', or apt install twbench-%s",
                      before[row->kind], row->name, row->lab, row->lab, row->lab);
}

int lab_become(const struct lab_row *row, char **argv, struct diag *diag)
{
    char path[4200];
    if (!lab_program(row->lab, path, sizeof path))
        return say_missing(row, diag);
    fflush(NULL);
    execv(path, argv);
    return diag_run(diag, "%s: cannot be started: %s", path, strerror(errno));
}

/* In the child: becomes the program, with its stdout at `fd` (below 0: as it is). */
static void child_become(const char *path, const char *const *words, int fd)
{
    if (fd >= 0)
        dup2(fd, STDOUT_FILENO);
    execv(path, (char *const *)(uintptr_t)words);
    _exit(127);
}

static void read_end(int fd, char **out)
{
    size_t size;
    struct diag unused;
    FILE *end = fdopen(fd, "r");
    if (!end || file_read_stream(end, "a lab", out, &size, &unused) != DIAG_OK)
        *out = NULL;
    if (end)
        fclose(end);
}

bool lab_run(const char *lab, const char *const *words, char **out)
{
    char path[4200];
    int ends[2] = {-1, -1}, ended = 0;
    if (!lab_program(lab, path, sizeof path) || (out && pipe2(ends, O_CLOEXEC) != 0))
        return false;
    fflush(NULL);
    pid_t child = fork();
    if (child == 0)
        child_become(path, words, ends[1]);
    if (out) {
        close(ends[1]);
        read_end(ends[0], out);
    }
    while (child > 0 && waitpid(child, &ended, 0) < 0 && errno == EINTR)
        ;
    bool good = child > 0 && WIFEXITED(ended) && WEXITSTATUS(ended) == 0;
    bool said = good || (child > 0 && WIFEXITED(ended) && WEXITSTATUS(ended) == EXIT_FAILED);
    if (!said && out) {
        free(*out);
        *out = NULL;
    }
    return good;
}
