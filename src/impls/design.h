/*
 * design.h - what nearly every design says alike: the begin and the end of its open, its description, the
 * rows of its table.
 */
#ifndef TWBENCH_DESIGN_H
#define TWBENCH_DESIGN_H

#include "backend.h"

#include <stdlib.h>

/* Begins an open: sets *out to an instance of `bytes` zeros, unless the settings are refused or there is no memory. */
static inline int open_begin(struct tw_timers **out, size_t bytes, const struct tw_param *params,
                             const struct tw_config *config, struct tw_error *error)
{
    int status = params_check(params, config, error);
    if (status != TW_OK)
        return status;
    struct tw_timers *timers = calloc(1, bytes);
    if (!timers)
        return params_no_memory(error, bytes);
    *out = timers;
    return TW_OK;
}

/* Ends an open: gives the instance to the caller, or closes it when not all of its memory is there. */
static inline int open_end(struct tw_timers **out, struct tw_timers *timers, bool is_whole,
                           struct tw_footprint (*footprint)(const struct tw_timers *timers),
                           void (*close)(struct tw_timers *timers), struct tw_error *error)
{
    if (is_whole) {
        *out = timers;
        return TW_OK;
    }
    struct tw_footprint wanted = footprint(timers);
    close(timers);
    return params_no_memory(error, wanted.fixed_bytes + wanted.capacity_bytes);
}

/* The setting of one value as it is given, or the usual one. */
static inline uint64_t setting_of(const struct tw_config *config, const char *name, uint64_t usual)
{
    const struct tw_setting *given = params_find(config, name);
    return given ? given->values[0] : usual;
}

/* A description with one setting of one value. */
static inline void describe_one(struct tw_description *out, tw_tick span, const char *name,
                                uint64_t value)
{
    *out = (struct tw_description){
        .span = span,
        .setting_count = 1,
        .settings = {{.name = name, .count = 1, .values = {value}}},
    };
}

/* DESIGN_params and DESIGN_describe of a design that has no setting. */
#define TW_NO_SETTINGS(design, reach)                                                              \
    static const struct tw_param design##_params[] = {{NULL, NULL, 0, 0, 0}};                      \
    static void design##_describe(const struct tw_timers *timers, struct tw_description *out)      \
    {                                                                                              \
        (void)timers;                                                                              \
        *out = (struct tw_description){.span = (reach)};                                           \
    }                                                                                              \
    struct tw_timers

/* DESIGN_work, behind struct tw_timers. */
#define TW_TELL_WORK(design)                                                                       \
    static const struct tw_work *design##_work(const struct tw_timers *timers)                     \
    {                                                                                              \
        (void)timers;                                                                              \
        return TW_WORK_OF(timers);                                                                 \
    }                                                                                              \
    struct tw_timers

/* The rows of the table behind the traits: DESIGN_params, DESIGN_open and so on, with STARTER_start and STARTER_stop,
 * which a shared header may have. */
#define TW_HOOKS(design, starter)                                                                  \
    .params = design##_params, .open = design##_open, .close = design##_close,                     \
    .start = starter##_start, .stop = starter##_stop, .advance = design##_advance,                 \
    .next = design##_next, .visit = design##_visit, .check = design##_check,                       \
    .footprint = design##_footprint, .describe = design##_describe, .work = design##_work

#endif
