/* paths.c - beside the binary, else where it was installed to. */
#include "harness/cli/paths.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

void paths_find(const char *name, const char *installed, char *out, size_t size)
{
    char binary[4096];
    ssize_t length = readlink("/proc/self/exe", binary, sizeof binary - 1);
    if (length > 0) {
        binary[length] = '\0';
        char *slash = strrchr(binary, '/');
        if (slash)
            *slash = '\0';
        snprintf(out, size, "%s/%s", binary, name);
        if (access(out, R_OK | X_OK) == 0)
            return;
    }
    snprintf(out, size, "%s", installed);
}
