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

#define TW_BATCHED(design)                                                                         \
    extern const struct tw_batch tw_##design##_batch_timed, tw_##design##_batch_counted;
#include "batches.def"
#undef TW_BATCHED

const struct tw_batch *registry_batch(const struct tw_backend *backend)
{
    static const struct {
        const struct tw_backend *backend;
        const struct tw_batch *batch;
    } rows[] = {
#define TW_BATCHED(design)                                                                         \
    {&tw_##design##_timed, &tw_##design##_batch_timed},                                            \
        {&tw_##design##_counted, &tw_##design##_batch_counted},
#include "batches.def"
#undef TW_BATCHED
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
        if (rows[i].backend == backend)
            return rows[i].batch;
    return NULL;
}
