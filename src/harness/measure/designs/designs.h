/* designs.h - finds every design by its name: those in the program, and the libraries.
 *
 * A real library is a design in a shared object of its own, which a lab builds, loaded when it is asked
 * for, so that it costs the others neither time nor memory.  What is loaded stays loaded: an entry is good
 * until the program ends.  Designs that somebody else wrote are in plugins.h.
 */
#ifndef TWBENCH_DESIGNS_H
#define TWBENCH_DESIGNS_H

#include "harness/base/diag.h"
#include "impls/registry.h"

/* A library that can be built as a design, whether it was or not. */
struct designs_library {
    const char *lab;     /* that builds it */
    const char *name;    /* "sd-event" */
    const char *package; /* of Debian, to build it with; "" when none is needed */
};

/* All libraries of the labs, in the order of their rows. */
extern const struct designs_library designs_libraries[];
extern const size_t designs_library_count;

/* Designs and libraries together, for whoever wants all: below registry_count those in the program, then
 * the libraries in their order.  NULL for a library that was not built. */
size_t designs_count(void);
const struct tw_design *designs_at(size_t index);

/* The design of that name: of the program, or of a library, which is loaded then.  NULL with the reason in *diag: no
 * such name, or the library is not there. */
const struct tw_design *designs_find(const char *name, struct diag *diag);
/* Is it the name of a design of the program or of a library, built or not? */
bool designs_name_is_taken(const char *name);

#endif
