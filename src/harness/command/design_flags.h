/*
 * design_flags.h - --impl, --plugin and the parameters of designs: the designs that a command is about.
 */
#ifndef TWBENCH_DESIGN_FLAGS_H
#define TWBENCH_DESIGN_FLAGS_H

#include "harness/command/command.h"
#include "harness/measure/plan/plan.h"

#define DESIGNS_MAX 96

struct designs {
    const struct tw_design *chosen[DESIGNS_MAX];
    size_t count;
    const char
        *unknown[DESIGNS_MAX]; /* names of --impl that are no design's, until designs_finish */
    size_t unknown_count;
    bool given;                                   /* --impl or --plugin was */
    bool matrix_given;                            /* a parameter too */
    const struct tw_design *plugins[DESIGNS_MAX]; /* of --plugin, in the order given */
    size_t plugin_count;
    const struct tw_design *contested; /* compare: what OLD and NEW are two plugins of, or NULL */
    struct plan_sweep sweeps[PLAN_SWEEPS_MAX];
    size_t sweep_count;
    bool refuses_settings; /* the command chooses the parameters of plugins itself */
};

/* The group, as a row of a command's groups; `at`: where the struct lies in the options.  --impl, --plugin and, as flags, all parameters of any design. */
#define DESIGN_FLAGS(at)                                                                           \
    {                                                                                              \
        .title = "Designs", .flags = design_flags, .count = DESIGN_FLAG_COUNT, .offset = (at),     \
        .find = design_flags_find, .each = design_flags_each, .has_parameters = true               \
    }
/* The same without the parameters. */
#define DESIGN_FLAGS_ALONE(at)                                                                     \
    {                                                                                              \
        .title = "Designs", .flags = design_flags, .count = DESIGN_FLAG_COUNT, .offset = (at)      \
    }

#define DESIGN_FLAG_COUNT 2
/* The rows of the group. */
extern const struct flag design_flags[DESIGN_FLAG_COUNT];
bool design_flags_find(const void *of, const char *name, struct flag *out);
void design_flags_each(const void *of, flag_row_fn *row, void *ctx);

/* All designs of the program but those that keep nothing: before the first flag. */
void designs_select_all(struct designs *designs);

/* After the last flag: the plugins join the designs of --impl, or stand alone where it was not given; with `joins_all`
 * they join all.  designs_close in any case. */
int designs_finish(struct designs *designs, bool joins_all, struct diag *diag);
/* Closes the plugins. */
void designs_close(struct designs *designs);

/* A plugin, tried and not loaded, among those of `designs`, which close it.  DIAG_USAGE when it is none, or its name is
 * another design's. */
int designs_open_plugin(struct designs *designs, const char *path, const struct tw_design **out,
                        struct diag *diag);

/* Of conform: the settings given that this design has, one value of each; DIAG_USAGE where there are several. */
int designs_settings(const struct designs *designs, const struct tw_design *design,
                     struct tw_setting settings[PLAN_SETTINGS_MAX], size_t *count,
                     struct diag *diag);

/* --impl and --plugin. */
flag_take_fn design_flag_impl, design_flag_plugin;

#endif
