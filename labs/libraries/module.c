/* module.c - what makes a shared object of a design: compiled once for each, with its name. */
#include "impls/backend.h"

#define NAME_OF(design, kind)  NAME_OF_(design, kind)
#define NAME_OF_(design, kind) tw_##design##_##kind

extern const struct tw_backend NAME_OF(TW_MODULE, timed), NAME_OF(TW_MODULE, counted);

TW_PLUGIN(NAME_OF(TW_MODULE, timed), NAME_OF(TW_MODULE, counted));
/* Says that most of the memory is the library's, which may be compiled into this object. */
extern const char tw_adapts_library;
const char tw_adapts_library = 1;
