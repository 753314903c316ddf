/* sysfile.c - reads small files of /proc and /sys. */
#include "harness/base/file.h"

void sysfile_read(char *out, size_t size, const char *root, const char *path)
{
    char full[512];
    snprintf(full, sizeof full, "%s%s", root, path);
    out[0] = '\0';
    FILE *file = fopen(full, "r");
    if (!file)
        return;
    out[fread(out, 1, size - 1, file)] = '\0';
    fclose(file);
    size_t length = strlen(out);
    if (length > 0 && out[length - 1] == '\n')
        out[length - 1] = '\0';
}
