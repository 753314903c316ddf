/* plugin_table.h - checks the table that a shared object brings, and copies it out of the process that loaded it. */
#ifndef TWBENCH_PLUGIN_TABLE_H
#define TWBENCH_PLUGIN_TABLE_H

#include "harness/base/diag.h"
#include "impls/backend.h"

#define TABLE_NAME_SIZE  32  /* of a design or a parameter, its end included */
#define TABLE_TEXT_SIZE  400 /* of a summary or a help text */
#define TABLE_PARAMS_MAX 32

/* All of a table but its functions, without a pointer. */
struct table_copy {
    char name[TABLE_NAME_SIZE], summary[TABLE_TEXT_SIZE];
    struct tw_traits traits;
    size_t param_count;
    struct {
        char name[TABLE_NAME_SIZE], help[TABLE_TEXT_SIZE];
        uint64_t min, max;
        uint32_t values_max;
    } params[TABLE_PARAMS_MAX];
};

/* DIAG_OK when both tables of a loaded object are what backend.h says: versions, names, texts, functions, traits,
 * parameters, and the two alike but for their functions.  Else DIAG_USAGE, with the file and what is wrong.  `design`
 * may be NULL. */
int table_check(const char *path, const struct tw_design *design, struct diag *diag);

/* Is this a name for a command line, a file, CSV and JSON?  a-z, 0-9, '-', '_', '.', a letter first, and an end within
 * TABLE_NAME_SIZE bytes. */
bool table_name_is_good(const char *name);

/* May a design or a runner have this name?  A good name, and not "all", which --impl takes for every design. */
bool table_own_name_is_good(const char *name);
#define TABLE_OWN_NAME_RULE                                                                        \
    "name must be 1 to 31 of a-z, 0-9, '-', '_' and '.', a letter first, and not 'all'"

/* Copies a table that was checked.  Equal tables give equal bytes. */
void table_copy(const struct tw_backend *table, struct table_copy *copy);

/* A table of the copy's words, which has no functions; `params` has TABLE_PARAMS_MAX + 1 elements, and both have to
 * outlive the table.  The copy may come from a process that is not trusted: DIAG_USAGE when it is not whole. */
int table_restore(const char *path, const struct table_copy *copy, struct tw_param *params,
                  struct tw_backend *table, struct diag *diag);

/* ---- A plugin loaded in a child process (isolate_load.c). ----------------------------------------- */

/* Loading a shared object runs its constructors, and nothing keeps them from crashing, hanging,
 * printing or closing our files.  What they would do to us they do to the child, and the plugin is
 * refused with a reason. */

/* DIAG_OK when the plugin can be loaded: it is a shared object with a table that is whole, of this version of the
 * contract, and loading and unloading it leaves the process as it was.  *copy is then the table, as the child says it
 * is: table_restore checks it.  Milliseconds, or 10 s for one that hangs. */
int isolate_load(const char *path, struct table_copy *copy, struct diag *diag);

#endif
