/*
 * plugin_flag.h - --plugin=FILE[,NAME=VALUES]...: a design from a shared object.
 */
#ifndef TWBENCH_PLUGIN_FLAG_H
#define TWBENCH_PLUGIN_FLAG_H

#include "harness/cli/options.h"

/* Loads the plugin and takes its parameters, which are written as on the command line, lists and all:
 * "./my.so,slots=64,512,levels=256,64/60,60,24".  They are for this plugin alone. */
int plugin_flag_take(struct options *options, const char *flag, const char *value,
                     struct diag *diag);

/* The values of one parameter: --slots=64,512,4096 are three settings; --levels=256,64/60,60,24 are two of several
 * values.  `only`: the plugin that they are for; NULL: every design that has the parameter. */
int plugin_flag_sweep(struct options *options, const struct tw_design *only,
                      const struct tw_param *param, const char *flag, const char *values,
                      struct diag *diag);

/* A plugin, tried and not loaded, among those of the options, which close it.  DIAG_USAGE when it is none, or its name is
 * another design's. */
int plugin_flag_open(struct options *options, const char *path, const struct tw_design **out,
                     struct diag *diag);

/* After all flags: the plugins join the designs of --impl, or stand alone where it was not given. */
int plugin_flag_select(struct options *options, struct diag *diag);

#endif
