/* store_opening.h - what every open of a store checks first, so that their refusals read alike. */
#ifndef TWBENCH_STORE_OPENING_H
#define TWBENCH_STORE_OPENING_H

#include "store.h"

/* TW_STORE_OK, or TW_STORE_BAD with *error filled: a setting that the store does not have, has too many values or is
 * out of its limits; a policy that it cannot keep; an interval of 0; a directory that is not absolute; no seats. */
static inline int store_check(const struct tw_store_backend *store,
                              const struct tw_store_config *config, struct tw_error *error)
{
    static const char *const policies[] = {"always", "group", "interval", "none"};
    const struct tw_config settings = {
        .capacity = 1, .settings = config->settings, .setting_count = config->setting_count};
    if (params_check(store->params, &settings, error) != TW_OK)
        return TW_STORE_BAD;
    if ((unsigned)config->sync > TW_SYNC_NONE || !(store->policies & 1u << config->sync))
        snprintf(error->text, sizeof error->text, "sync: %s cannot keep the policy %s", store->name,
                 (unsigned)config->sync > TW_SYNC_NONE ? "given" : policies[config->sync]);
    else if (config->sync == TW_SYNC_INTERVAL && config->interval_ms == 0)
        snprintf(error->text, sizeof error->text, "interval: 0 ms given; expected 1 or more");
    else if (!config->directory || config->directory[0] != '/')
        snprintf(error->text, sizeof error->text,
                 "directory: '%s' given; expected an absolute path",
                 config->directory ? config->directory : "");
    else if (config->seats == 0)
        snprintf(error->text, sizeof error->text, "seats: 0 given; expected 1 or more");
    else
        return TW_STORE_OK;
    return TW_STORE_BAD;
}

/* The value of a setting of one value; `otherwise` if it was not given. */
static inline uint64_t store_setting(const struct tw_store_config *config, const char *name,
                                     uint64_t otherwise)
{
    for (size_t i = 0; i < config->setting_count; i++)
        if (strcmp(config->settings[i].name, name) == 0)
            return config->settings[i].values[0];
    return otherwise;
}

/* The answer of an open that could not get its memory. */
static inline int store_no_memory(struct tw_error *error)
{
    snprintf(error->text, sizeof error->text, "no memory");
    return TW_STORE_MEMORY;
}

#endif
