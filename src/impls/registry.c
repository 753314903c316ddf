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
#define TW_WITHIN(design)                                                                          \
    extern const struct tw_slack tw_##design##_slack_timed, tw_##design##_slack_counted;
#include "slacks.def"
#undef TW_WITHIN
#define TW_EXACTLY(design)                                                                         \
    extern const struct tw_exact tw_##design##_exact_timed, tw_##design##_exact_counted;
#include "exacts.def"
#undef TW_EXACTLY

/* An optional part of a design, one row for each of its two objects. */
struct part {
    const struct tw_backend *backend;
    const void *part;
};

#define PART(design, kind)                                                                         \
    {&tw_##design##_timed, &tw_##design##_##kind##_timed},                                         \
        {&tw_##design##_counted, &tw_##design##_##kind##_counted},

static const void *part_find(const struct part *parts, size_t count,
                             const struct tw_backend *backend)
{
    for (size_t i = 0; i < count; i++)
        if (parts[i].backend == backend)
            return parts[i].part;
    return NULL;
}

const struct tw_batch *registry_batch(const struct tw_backend *backend)
{
    static const struct part parts[] = {
#define TW_BATCHED(design) PART(design, batch)
#include "batches.def"
#undef TW_BATCHED
    };
    return part_find(parts, sizeof parts / sizeof parts[0], backend);
}

const struct tw_slack *registry_slack(const struct tw_backend *backend)
{
    static const struct part parts[] = {
#define TW_WITHIN(design) PART(design, slack)
#include "slacks.def"
#undef TW_WITHIN
    };
    return part_find(parts, sizeof parts / sizeof parts[0], backend);
}

const struct tw_exact *registry_exact(const struct tw_backend *backend)
{
    static const struct part parts[] = {
#define TW_EXACTLY(design) PART(design, exact)
#include "exacts.def"
#undef TW_EXACTLY
    };
    return part_find(parts, sizeof parts / sizeof parts[0], backend);
}
