/* plugins.h - loads designs from shared objects that somebody else wrote.
 *
 * A plugin's code never runs in this process: its table is read in a child (plugin_table.h), and what stands here is a copy
 * that has words and traits but no functions.  Who wants to call a function forks a child (base/ward.h) and calls
 * plugins_load there, which puts the functions into the copy: that whoever drives a design need not know of any of
 * this.
 */
#ifndef TWBENCH_PLUGINS_H
#define TWBENCH_PLUGINS_H

#include "harness/base/diag.h"
#include "impls/backend.h"

/* The design in the file, tried and not loaded.  plugins_close frees it.  NULL with the reason in *diag: the file cannot be
 * read or loaded, is no plugin, or was made for another version of the contract; loading it does harm; its table is not
 * whole. */
const struct tw_design *plugins_open(const char *given, struct diag *diag);
/* Frees the copy of its table. */
void plugins_close(const struct tw_design *design);

/* A plugin's table in a process that has not loaded it?  Its `open` then refuses, and there is no other function. */
bool plugins_is_unloaded(const struct tw_backend *table);

/* The absolute path of the file; NULL for a design that is no plugin, or in a child that has loaded it. */
const char *plugins_path(const struct tw_design *design);

/* Loads the plugin of the table into this process, for the rest of its life, and both of its tables have functions.
 * DIAG_OK, also when it is loaded or no plugin; DIAG_RUN when the file is not what it was when it was tried. */
int plugins_load(const struct tw_backend *table, struct diag *diag);

#endif
