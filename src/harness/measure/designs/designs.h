/*
 * designs.h - finds every design by its name: those in the program, the libraries, and plugins.
 *
 * A real library is a design in a shared object of its own, which a lab builds, loaded when it is asked
 * for, so that it costs the others neither time nor memory.  What is loaded stays loaded: an entry is good
 * until the program ends.  Designs that somebody else wrote are plugins, below.
 */
#ifndef TWBENCH_DESIGNS_H
#define TWBENCH_DESIGNS_H

#include "harness/base/diag.h"
#include "impls/backend.h"
#include "impls/registry.h"

/* A library that can be built as a design, whether it was or not. */
struct designs_library {
    const char *lab;     /* that builds it */
    const char *name;    /* "sd-event" */
    const char *package; /* of Debian, to build it with; "" when none is needed */
};

/* All libraries of the labs, in the order of their rows. */
extern const struct designs_library designs_libraries[];

/* Designs and libraries together, for whoever wants all: below registry_count those in the program, then
 * the libraries in their order.  NULL for a library that was not built. */
size_t designs_count(void);
const struct tw_design *designs_at(size_t index);

/* The design of that name: of the program, or of a library, which is loaded then.  NULL with the reason in *diag: no
 * such name, or the library is not there. */
const struct tw_design *designs_find(const char *name, struct diag *diag);
/* Is it the name of a design of the program or of a library, built or not? */
bool designs_name_is_taken(const char *name);

/* ---- Loads designs from shared objects that somebody else wrote (plugins.c). ------------------ */

/* A plugin's code never runs in this process: its table is read in a child (plugin_table.h), and what stands here
 * is a copy that has words and traits but no functions.  Who wants to call a function forks a child (base/isolate.h) and calls
 * plugins_load there, which puts the functions into the copy: that whoever drives a design need not know of any of
 * this. */

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

/* A symbol of the object that a plugin's table was loaded from: what it defines beside the table; NULL: nothing of that name.  In a
 * process that has loaded it. */
void *plugins_symbol(const struct tw_backend *table, const char *name);

/* Loads the plugin of the table into this process, for the rest of its life, and both of its tables have functions.
 * DIAG_OK, also when it is loaded or no plugin; DIAG_RUN when the file is not what it was when it was tried. */
int plugins_load(const struct tw_backend *table, struct diag *diag);

#endif
