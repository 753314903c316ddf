/* twtimers.c - the tables of libtwtimers by name, from the registries of designs and runners. */
#include "labs/embed/twtimers.h"

#include "build_info.h"

#include <string.h>

#define TW_DESIGN(design) extern const struct tw_backend tw_##design##_timed;
#include "impls/registry.def"
#undef TW_DESIGN

static const struct tw_backend *const designs[] = {
#define TW_DESIGN(design) &tw_##design##_timed,
#include "impls/registry.def"
#undef TW_DESIGN
};

const char *twtimers_version(void)
{
    return BUILD_VERSION;
}

/* What keeps no timers is for the benchmark alone. */
const struct tw_backend *twtimers_design_at(size_t index)
{
    for (size_t i = 0; i < sizeof designs / sizeof designs[0]; i++) {
        if (designs[i]->traits.flags & TW_KEEPS_NOTHING)
            continue;
        if (index-- == 0)
            return designs[i];
    }
    return NULL;
}

const struct tw_backend *twtimers_design(const char *name)
{
    const struct tw_backend *design = twtimers_design_at(0);
    for (size_t i = 1; design && strcmp(design->name, name) != 0; i++)
        design = twtimers_design_at(i);
    return design;
}

#if __has_include("labs/live/runners/registry.def")
#define TW_RUNNER_ROW(runner) extern const struct tw_runner tw_##runner##_runner_timed;
#include "labs/live/runners/registry.def"
#undef TW_RUNNER_ROW

static const struct tw_runner *const runners[] = {
#define TW_RUNNER_ROW(runner) &tw_##runner##_runner_timed,
#include "labs/live/runners/registry.def"
#undef TW_RUNNER_ROW
};

const struct tw_runner *twtimers_runner_at(size_t index)
{
    return index < sizeof runners / sizeof runners[0] ? runners[index] : NULL;
}

const struct tw_runner *twtimers_runner(const char *name)
{
    size_t at = 0;
    while (twtimers_runner_at(at) && strcmp(runners[at]->name, name) != 0)
        at++;
    return twtimers_runner_at(at);
}
#endif
