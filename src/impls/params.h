/*
 * params.h - how a design reads its settings: shared by the designs, never by the harness.
 *
 * One function resolves a setting against its declared limits, so that the refusals of every design
 * read alike: "slots: 0 given; expected 1 .. 1073741824".
 */
#ifndef TWBENCH_PARAMS_H
#define TWBENCH_PARAMS_H

#include "backend.h"

#include <stdio.h>
#include <string.h>

/* The setting of that name, or NULL if the caller gave none. */
static inline const struct tw_setting *params_find(const struct tw_config *config, const char *name)
{
    for (size_t i = 0; i < config->setting_count; i++)
        if (strcmp(config->settings[i].name, name) == 0)
            return &config->settings[i];
    return NULL;
}

static inline int params_refuse(struct tw_error *error, const struct tw_param *param,
                                uint64_t given)
{
    snprintf(error->text, sizeof error->text, "%s: %llu given; expected %llu .. %llu", param->name,
             (unsigned long long)given, (unsigned long long)param->min,
             (unsigned long long)param->max);
    return TW_BAD_SETTING;
}

/* TW_OK when every setting given is one of `params` (ended by a NULL name), has 1 .. values_max
 * values and each is within its limits; else TW_BAD_SETTING with *error filled.  Also refuses a
 * capacity of 0 or beyond TW_CAPACITY_MAX.  Every open calls this first. */
static inline int params_check(const struct tw_param *params, const struct tw_config *config,
                               struct tw_error *error)
{
    if (config->capacity == 0 || config->capacity > TW_CAPACITY_MAX) {
        snprintf(error->text, sizeof error->text, "capacity: %u given; expected 1 .. %u",
                 config->capacity, TW_CAPACITY_MAX);
        return TW_BAD_SETTING;
    }
    for (size_t i = 0; i < config->setting_count; i++) {
        const struct tw_setting *setting = &config->settings[i];
        const struct tw_param *param = params;
        while (param->name && strcmp(param->name, setting->name) != 0)
            param++;
        if (!param->name) {
            snprintf(error->text, sizeof error->text, "%s: this design has no such setting",
                     setting->name);
            return TW_BAD_SETTING;
        }
        if (setting->count == 0 || setting->count > param->values_max) {
            snprintf(error->text, sizeof error->text, "%s: %u values given; expected 1 .. %u",
                     param->name, setting->count, param->values_max);
            return TW_BAD_SETTING;
        }
        for (uint32_t v = 0; v < setting->count; v++)
            if (setting->values[v] < param->min || setting->values[v] > param->max)
                return params_refuse(error, param, setting->values[v]);
    }
    return TW_OK;
}

/* The least power of two >= value; value must be 1 .. 2^63. */
static inline uint64_t params_power_of_two(uint64_t value)
{
    return value <= 1 ? 1 : UINT64_C(1) << (64 - __builtin_clzll(value - 1));
}

/* The status of an open that could not get its memory. */
static inline int params_no_memory(struct tw_error *error, uint64_t bytes)
{
    snprintf(error->text, sizeof error->text, "no memory for %llu bytes",
             (unsigned long long)bytes);
    return TW_REFUSED_MEMORY;
}

#endif
