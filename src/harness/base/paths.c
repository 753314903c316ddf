/* paths.c - finds the data directories: beside the binary, or where they were installed. */
#include "harness/base/paths.h"

#include <stdbool.h>
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

/* The directory of the running binary, without a slash at the end. */
static bool binary_directory(char *out, size_t size)
{
    struct diag unused;
    if (paths_program(out, size, &unused) != DIAG_OK)
        return false;
    char *slash = strrchr(out, '/');
    if (slash)
        *slash = '\0';
    return true;
}

void paths_find(const char *name, const char *installed, char *out, size_t size)
{
    static const char *const beside[] = {"", "../share/twbench/", "../lib/twbench/",
                                         "build/release/"};
    char binary[4096];
    if (binary_directory(binary, sizeof binary))
        for (size_t i = 0; i < sizeof beside / sizeof beside[0]; i++) {
            snprintf(out, size, "%s/%s%s", binary, beside[i], name);
            if (access(out, R_OK | X_OK) == 0)
                return;
        }
    snprintf(out, size, "%s", installed);
}
