/*
 * contestants.h - what OLD and NEW of compare are: two programs, two plugins or two results.
 */
#ifndef TWBENCH_CONTESTANTS_H
#define TWBENCH_CONTESTANTS_H

#include "harness/base/diag.h"
#include "impls/backend.h"

/* What two files are. */
enum contestants { CONTESTANTS_RESULTS, CONTESTANTS_PROGRAMS, CONTESTANTS_PLUGINS };

/* What else was asked for. */
struct contest {
    const struct tw_design *design; /* what OLD is a plugin of; NULL: it is none */
    const struct tw_design *const *designs;
    size_t design_count;
    bool matrix_given; /* what to run: a result has run already */
};

/* A shared object of this system?  Reads its head. */
bool contestants_is_plugin(const char *path);

/* Tries (plugin_table.h) the plugin NEW, which must hold the design of OLD.  DIAG_USAGE. */
int contestants_match(const struct tw_design *old, const char *old_path, const char *path,
                      struct diag *diag);

/* Of two files, when all flags are known.  DIAG_USAGE when they are not of one kind, or what is asked for is what this
 * kind cannot have. */
int contestants_find(const struct contest *contest, const char *before, const char *after,
                     enum contestants *kind, struct diag *diag);

#endif
