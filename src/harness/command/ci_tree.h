/*
 * ci_tree.h - what files and git say of the two sides of `twbench ci`.
 *
 * Equal objects need no times, and an object that held the contract once holds it again.
 */
#ifndef TWBENCH_CI_TREE_H
#define TWBENCH_CI_TREE_H

#include "harness/base/libc.h"

#include <cjson/cJSON.h>

/* The commit that is checked out in that directory, shortened; "" without git or outside of a checkout. */
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
