/* ci_tree.c - asks git for commits and changed files, and keeps by the hash of its bytes that an object held the contract. */
#include "harness/command/project.h"

#include "harness/base/file.h"
#include "harness/base/hash.h"
#include "harness/base/json.h"
#include "harness/base/paths.h"

#include <sys/stat.h>
#include <unistd.h>

#define NAMED                                                                                      \
    "TWBENCH_CI_OF" /* how a path or a commit comes to the shell: no quoting can be wrong */

static FILE *ask(const char *named, const char *command)
{
    fflush(NULL);
    return setenv(NAMED, named, 1) == 0 ? popen(command, "r") : NULL;
}

static void end_line(char *line)
{
    line[strcspn(line, "\n")] = '\0';
}

void ci_tree_commit(const char *directory, char *out, size_t size)
{
    FILE *git = ask(directory, "git -C \"$" NAMED "\" describe --always --abbrev=12 --exclude='*' "
                               "--dirty 2>/dev/null");
    if (!git || !fgets(out, (int)size, git))
        out[0] = '\0';
    if (git)
        pclose(git);
    end_line(out);
}

cJSON *ci_tree_changed(const char *commit)
{
    char name[4096];
    cJSON *names = cJSON_CreateArray();
    FILE *git = NULL;
    if (commit[0])
        git = ask(commit, "git diff --name-only --relative \"${" NAMED "%-dirty}\" 2>/dev/null");
    while (git && fgets(name, sizeof name, git)) {
        end_line(name);
        cJSON_AddItemToArray(names, json_text(name));
    }
    if (git)
        pclose(git);
    return names;
}

/* ---- Bytes. ---------------------------------------------------------------------------------- */

/* 0: cannot be read. */
static uint64_t hash_file(const char *path)
{
    struct diag unused;
    char *bytes = NULL;
    size_t size = 0;
    if (file_read(path, &bytes, &size, &unused) != DIAG_OK)
        return 0;
    uint64_t hash = hash_bytes(HASH_BEGIN, bytes, size);
    free(bytes);
    return hash;
}

bool ci_tree_equal(const char *left, const char *right)
{
    uint64_t hash = hash_file(left);
    return hash != 0 && hash == hash_file(right);
}

/* ---- What held. ------------------------------------------------------------------------------ */

/* Of the object and of the libraries that the loader finds for it: another one may break the contract. */
static uint64_t hash_loaded(const char *plugin)
{
    char library[4096];
    uint64_t hash = hash_file(plugin);
    FILE *names = ask(plugin, "ldd \"$" NAMED "\" 2>/dev/null | "
                              "sed -n 's,^\\t\\(.* => \\)\\{0\\,1\\}\\(.*/.*\\) (0x.*,\\2,p'");
    while (names && fgets(library, sizeof library, names)) {
        end_line(library);
        hash = hash * UINT64_C(0x9e3779b97f4a7c15) + hash_file(library);
    }
    if (names)
        pclose(names);
    return hash;
}

/* Makes the directory of it, too. */
static bool place_of_held(const char *plugin, const char *how, char *out, size_t size)
{
    char directory[3072], program[4096];
    struct diag unused;
    const char *cache = getenv("XDG_CACHE_HOME"), *home = getenv("HOME");
    bool has_cache = cache && cache[0];
    if ((!has_cache && (!home || !home[0])) ||
        paths_program(program, sizeof program, &unused) != DIAG_OK)
        return false;
    snprintf(directory, sizeof directory, "%.2000s%s", has_cache ? cache : home,
             has_cache ? "" : "/.cache");
    mkdir(directory, 0777);
    strcat(directory, "/twbench");
    mkdir(directory, 0777);
    uint64_t object = hash_loaded(plugin), judge = hash_file(program);
    snprintf(out, size, "%s/held-%016" PRIx64 "-%016" PRIx64 "-%.20s", directory, object, judge,
             how);
    return object != 0 && judge != 0;
}

char *ci_tree_held(const char *plugin, const char *how)
{
    char path[4096], *text = NULL;
    struct diag unused;
    size_t size = 0;
    bool is_there = place_of_held(plugin, how, path, sizeof path) &&
                    file_read(path, &text, &size, &unused) == DIAG_OK && size > 0;
    return is_there ? text : NULL;
}

void ci_tree_keep(const char *plugin, const char *how, const char *text)
{
    char path[4096], half[4200];
    if (!place_of_held(plugin, how, path, sizeof path))
        return;
    snprintf(half, sizeof half, "%s.%d", path, (int)getpid());
    FILE *out = fopen(half, "w");
    if (!out)
        return;
    fputs(text, out);
    if (fclose(out) != 0 || rename(half, path) != 0)
        unlink(half);
}
