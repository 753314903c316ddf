/* paths.c - finds the data directories: beside the binary, or where they were installed. */
#include "harness/base/paths.h"

#include "build_info.h"

#include <sys/stat.h>
#include <unistd.h>

int paths_program(char *out, size_t size, struct diag *diag)
{
    ssize_t length = readlink("/proc/self/exe", out, size - 1);
    if (length <= 0)
        return diag_run(diag, "/proc/self/exe: cannot be read; it names this program");
    out[length] = '\0';
    return DIAG_OK;
}

bool paths_beside(const char *program, const char *name, char *out, size_t size)
{
    static const char *const beside[] = {"", "../share/twbench/", BUILD_LABS_BESIDE,
                                         BUILD_SHARE_BESIDE, "build/release/"};
    const char *slash = strrchr(program, '/');
    for (size_t i = 0; slash && i < sizeof beside / sizeof beside[0]; i++) {
        snprintf(out, size, "%.*s/%s%s", (int)(slash - program), program, beside[i], name);
        if (access(out, R_OK | X_OK) == 0)
            return true;
    }
    return false;
}

void paths_find(const char *name, const char *installed, char *out, size_t size)
{
    char program[4096];
    struct diag unused;
    if (paths_program(program, sizeof program, &unused) != DIAG_OK ||
        !paths_beside(program, name, out, size))
        snprintf(out, size, "%s", installed);
}

/* ---- Before anything is written. ------------------------------------------------------------- */

/* Cuts the last part off: "a/b" becomes "a", "a" becomes ".", "/a" becomes "/". */
static void cut_last(char *path)
{
    char *slash = strrchr(path, '/');
    if (!slash)
        strcpy(path, ".");
    else
        slash[slash == path] = '\0';
}

void paths_temporary(char *out, size_t size, const char *name)
{
    const char *place = getenv("TMPDIR");
    snprintf(out, size, "%s/%s.XXXXXX", place && place[0] ? place : "/tmp", name);
}

static int refuse_path(const char *flag, const char *path, struct diag *diag)
{
    return diag_usage(diag, "%s: %s: cannot be written: %s", flag, path, strerror(errno));
}

/* Root passes access() even where the kernel refuses every new file, as /proc does. */
static bool paths_takes_files(const char *directory)
{
    char name[4096 + 32];
    snprintf(name, sizeof name, "%s/.twbench-XXXXXX", directory);
    int fd = mkstemp(name);
    if (fd < 0)
        return false;
    close(fd);
    unlink(name);
    return true;
}

int paths_check_file(const char *flag, const char *path, struct diag *diag)
{
    char parent[PATH_MAX];
    struct stat info;
    bool is_there = stat(path, &info) == 0;
    if (strcmp(path, "-") == 0 || (is_there && !S_ISREG(info.st_mode) && !S_ISDIR(info.st_mode)))
        return DIAG_OK;
    if (is_there && S_ISDIR(info.st_mode))
        return diag_usage(diag, "%s: %s: is a directory; expected a file", flag, path);
    if (strlen(path) >= sizeof parent)
        return diag_usage(diag, "%s: %.200s...: the name is too long", flag, path);
    /* What a link points to is replaced where it lies. */
    if (!realpath(path, parent))
        strcpy(parent, path);
    cut_last(parent);
    return paths_takes_files(parent) ? DIAG_OK : refuse_path(flag, path, diag);
}

int paths_check_directory(const char *flag, const char *path, struct diag *diag)
{
    char at[4096];
    struct stat info;
    if (snprintf(at, sizeof at, "%s", path) >= (int)sizeof at)
        return diag_usage(diag, "%s: %.200s...: the name is too long", flag, path);
    while (stat(at, &info) != 0 && errno == ENOENT && strcmp(at, ".") != 0 && strcmp(at, "/") != 0)
        cut_last(at);
    if (stat(at, &info) == 0 && !S_ISDIR(info.st_mode))
        errno = ENOTDIR;
    else if (paths_takes_files(at))
        return DIAG_OK;
    return refuse_path(flag, path, diag);
}

bool paths_has_command(const char *name)
{
    char path[4096];
    const char *at = getenv("PATH");
    while (at && *at) {
        size_t length = strcspn(at, ":");
        snprintf(path, sizeof path, "%.*s/%s", length ? (int)length : 1, length ? at : ".", name);
        if (access(path, X_OK) == 0)
            return true;
        at += length + (at[length] == ':');
    }
    return false;
}
