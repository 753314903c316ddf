/* sysfile.h - reads the small text files of /proc and /sys. */
#ifndef TWBENCH_SYSFILE_H
#define TWBENCH_SYSFILE_H

#include <stddef.h>

/* The file's text without the newline at its end, cut at size - 1 bytes; "" when it cannot be read.
 * `root` is put before the path: "" reads this machine, tests give a directory of their own. */
void sysfile_read(char *out, size_t size, const char *root, const char *path);

#endif
