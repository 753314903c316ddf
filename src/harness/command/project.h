/*
 * project.h - reads a project file (twbench.json): what `twbench ci` builds, tests, compares and writes.
 *
 * The file says what the flags of other commands say, in keys: a value is checked by the row of the flag
 * (flags.h), so that its limits are in one place.  schema/project-1.json has the same keys for editors.
 */
#ifndef TWBENCH_PROJECT_H
#define TWBENCH_PROJECT_H

#include "harness/base/diag.h"
#include "harness/base/libc.h"

#include <cjson/cJSON.h>

struct project {
    const char *path; /* as it was given */
    cJSON *json;
    void *memory; /* of what project_arguments answered */
};

/* Reads and checks the whole file; project_free in any case.  DIAG_USAGE: "twbench.json: key: what was found,
 * expected ..." */
int project_load(const char *path, struct project *project, struct diag *diag);
/* Frees what its members point to. */
void project_free(struct project *project);

/* The text of that key; NULL when the file has not got it. */
const char *project_text(const struct project *project, const char *key);

/* Which commands take a key as flags. */
enum project_use {
    PROJECT_MATRIX = 1, /* parameters, workloads, tasks */
    PROJECT_LIMITS = 2, /* how far what may move, and what fails */
    PROJECT_PAIRS = 4,  /* times in pairs */
    PROJECT_DESIGNS = 8 /* other designs beside the plugin */
};

#define PROJECT_ARGUMENTS_MAX 160

struct project_arguments {
    char *words[PROJECT_ARGUMENTS_MAX]; /* each lives as long as the project */
    size_t count;
};

/* Adds "--FLAG=VALUE" for each key of these uses (bits of project_use) that the file has.  DIAG_USAGE when there are too
 * many, DIAG_RUN without memory. */
int project_arguments(struct project *project, unsigned uses, struct project_arguments *arguments,
                      struct diag *diag);
/* Adds a limit for each entry of the key accept whose day is not over, and answers these, owned by the caller; what is over is
 * said on stderr. */
int project_accepted(struct project *project, struct project_arguments *arguments, cJSON **accepted,
                     struct diag *diag);
/* Adds one word, printed. */
int project_argument(struct project *project, struct project_arguments *arguments,
                     struct diag *diag, const char *format, ...)
    __attribute__((format(printf, 4, 5)));

/* ---- What files and git say of the two sides (ci_tree.c): equal objects need no times, and an object that held
 * the contract once holds it again. ---- */

/* The commit that is checked out in that directory, shortened, with "-dirty" when tracked files differ from it; "" without
 * git or outside of a checkout. */
void ci_tree_commit(const char *directory, char *out, size_t size);
/* Names of the files of the working directory that differ from the commit, owned by the caller; an empty array when
 * unknown.  Commits nothing; takes as long as `git diff`. */
cJSON *ci_tree_changed(const char *commit);

/* The same bytes; false when a file cannot be read. */
bool ci_tree_equal(const char *left, const char *right);

/* Has this object held the contract, tested in this way by this very program?  Then what conform printed, owned by the
 * caller; else NULL.  Kept under $XDG_CACHE_HOME/twbench, or ~/.cache/twbench. */
char *ci_tree_held(const char *plugin, const char *how);
/* Keeps that it has.  Where nothing can be written nothing is kept. */
void ci_tree_keep(const char *plugin, const char *how, const char *text);

#endif
