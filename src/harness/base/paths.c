/* paths.c - finds the data directories: beside the binary, or where they were installed. */
#include "harness/base/paths.h"

#include <stdio.h>
#include <string.h>
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
    static const char *const beside[] = {"", "../share/twbench/", "../lib/twbench/",
                                         "build/release/"};
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
