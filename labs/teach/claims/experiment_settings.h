/* experiment_settings.h - reads the object "settings" of an experiment file: of designs, of a runner, of stores. */
#ifndef TWBENCH_EXPERIMENT_SETTINGS_H
#define TWBENCH_EXPERIMENT_SETTINGS_H

#include "labs/teach/claims/reader.h"
#include "impls/backend.h"

/* Where read settings go, and which there are. */
struct experiment_settings {
    struct tw_setting *settings;
    size_t *count; /* how many there are already */
    size_t room;
    /* The parameter of this name, whose texts stay; NULL: there is none. */
    const struct tw_param *(*find)(const void *ctx, const char *name);
    const void *ctx;
    const char *unknown; /* what is said of a name without a parameter */
};

/* Reads { NAME: number or array of numbers, .. } at "settings" of `outer`.  A setting that is there already is replaced.
 * Refuses what is no object, unknown names, values outside the parameter's limits, and more than there is room for.
 * `object` NULL: nothing is changed. */
void experiment_settings_read(struct reader *reader, const struct reader_place *outer,
                              const cJSON *object, const struct experiment_settings *out);

#endif
