/* paths.h - finds the files of the program: workloads, experiments, plot scripts, style, libraries, stores.
 *
 * In a source tree they lie beside the binary or in build/release; after `make install` in ../share/twbench
 * and the directory of the libraries seen from it, so that an installed tree can be moved, or under the PREFIX that was
 * built in.
 */
#ifndef TWBENCH_PATHS_H
#define TWBENCH_PATHS_H

#include "harness/base/diag.h"
#include "harness/base/libc.h"

/* The first of these that is there; `installed` when none is.  `name`: "workloads", "claims", "plots", "report",
 * "libraries", "stores". */
void paths_find(const char *name, const char *installed, char *out, size_t size);

/* The same of any program, whose path has a slash and goes through no link; false when none is there. */
bool paths_beside(const char *program, const char *name, char *out, size_t size);

/* The program that runs, wherever it was found.  DIAG_RUN. */
int paths_program(char *out, size_t size, struct diag *diag);

/* Can a file be written there, or files into a directory that may still have to be made?  "-" and what is there and is
 * neither a regular file nor a directory are left to whoever writes.  DIAG_USAGE: "FLAG: PATH: cannot be written: ..". */
int paths_check_file(const char *flag, const char *path, struct diag *diag);
int paths_check_directory(const char *flag, const char *path, struct diag *diag);

/* A name for mkstemp or mkdtemp: NAME.XXXXXX in $TMPDIR, or in /tmp where that is not set. */
void paths_temporary(char *out, size_t size, const char *name);

/* Is there a command of that name in $PATH? */
bool paths_has_command(const char *name);

#endif
