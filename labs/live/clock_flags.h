/*
 * clock_flags.h - flags of runs on the real clock: who drives, from how many threads, which load.
 */
#ifndef TWBENCH_CLOCK_FLAGS_H
#define TWBENCH_CLOCK_FLAGS_H

#include "harness/command/options.h"

/* The functions behind the flags of their names, as flag_take_fn. */
int clock_flags_runner(struct options *options, const char *flag, const char *value,
                       struct diag *diag);
int clock_flags_original(struct options *options, const char *flag, const char *value,
                         struct diag *diag);
int clock_flags_threads(struct options *options, const char *flag, const char *value,
                        struct diag *diag);
int clock_flags_speed(struct options *options, const char *flag, const char *value,
                      struct diag *diag);
int clock_flags_work(struct options *options, const char *flag, const char *value,
                     struct diag *diag);

/* A setting of runners, such as --transfer; NULL: none has it. */
const struct tw_param *clock_flags_param(const struct options *options, const char *name);
int clock_flags_setting(struct options *options, const struct tw_param *param, const char *flag,
                        const char *value, struct diag *diag);

/* Words of --load, in the order of enum clock_load; ended by NULL. */
extern const char *const clock_flags_loads[];

/* What must not be said together, or not without a runner; and what follows from there being one. */
int clock_flags_finish(struct options *options, struct diag *diag);

#endif
