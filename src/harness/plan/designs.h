/*
 * designs.h - every design by its name: those in the program, and the libraries.
 *
 * A real library is a design in a shared object of its own (src/libraries/), loaded when it is asked
 * for, so that it costs the others neither time nor memory; a plugin is one that somebody else wrote.
 * What is loaded stays loaded: an entry is good until the program ends.
 */
#ifndef TWBENCH_DESIGNS_H
#define TWBENCH_DESIGNS_H

#include "harness/base/diag.h"
#include "impls/registry.h"

/* A library that can be built as a design, whether it was or not. */
struct designs_library {
    const char *name;    /* "sd-event" */
    const char *package; /* of Debian, to build it with; "" when none is needed */
};

extern const struct designs_library designs_libraries[];
extern const size_t designs_library_count;

/* Where the shared object of a library is, or would be. */
void designs_library_path(const char *name, char *out, size_t size);
bool designs_library_is_built(const char *name);

/* Designs and libraries together, for whoever wants all: below registry_count those in the program, then
 * the libraries in their order.  NULL for a library that was not built. */
size_t designs_count(void);
const struct tw_design *designs_at(size_t index);

/* The design of that name: of the program, of a plugin that is loaded, or of a library, which is loaded
 * then.  NULL with the reason in *diag: no such name, or the library is not there. */
const struct tw_design *designs_find(const char *name, struct diag *diag);
/* The design of a plugin, in the file given.  It is tried in a child process first (trial.h).
 * NULL with the reason in *diag: it cannot be read or loaded, is no plugin, or was made for another
 * version of the contract; its table is not whole; its name is another design's already. */
const struct tw_design *designs_load(const char *given, struct diag *diag);
/* The same without loading it here: the name of its design (DESIGNS_NAME bytes), which may be another
 * design's.  DIAG_USAGE, DIAG_RUN. */
#define DESIGNS_NAME 32
int designs_try(const char *given, char *name, struct diag *diag);
/* Where the plugin was loaded from, as an absolute path; NULL for a design of the program or a library. */
const char *designs_plugin_path(const struct tw_design *design, char *out, size_t size);

#endif
