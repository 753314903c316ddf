/* registry.c - one explicit array, made from registry.def; no constructors, no hidden order. */
#include "registry.h"

#include <string.h>

#define TW_DESIGN(design) extern const struct tw_backend tw_##design##_timed, tw_##design##_counted;
#include "registry.def"
#undef TW_DESIGN

const struct tw_design registry[] = {
#define TW_DESIGN(design) {TW_ABI_VERSION, &tw_##design##_timed, &tw_##design##_counted},
#include "registry.def"
#undef TW_DESIGN
};

const size_t registry_count = sizeof registry / sizeof registry[0];

const struct tw_design *registry_find(const char *name)
{
    for (size_t i = 0; i < registry_count; i++)
        if (strcmp(registry[i].timed->name, name) == 0)
            return &registry[i];
    return NULL;
}

#define TW_PART(design, kind)                                                                      \
    extern const struct tw_##kind tw_##design##_##kind##_timed, tw_##design##_##kind##_counted;
#include "parts.def"
#undef TW_PART

const void *registry_part(const struct tw_backend *backend, const char *kind)
{
    static const struct {
        const char *kind;
        const struct tw_backend *backend;
        const void *part;
    } parts[] = {
#define TW_PART(design, kind)                                                                      \
    {#kind, &tw_##design##_timed, &tw_##design##_##kind##_timed},                                  \
        {#kind, &tw_##design##_counted, &tw_##design##_##kind##_counted},
#include "parts.def"
#undef TW_PART
    };
    for (size_t i = 0; i < sizeof parts / sizeof parts[0]; i++)
        if (parts[i].backend == backend && strcmp(parts[i].kind, kind) == 0)
            return parts[i].part;
    return NULL;
}
