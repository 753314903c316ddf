/*
 * conform_runners.h - conform --runner: proves runners, and says what broke and how to see it again.
 */
#ifndef TWBENCH_CONFORM_RUNNERS_H
#define TWBENCH_CONFORM_RUNNERS_H

#include "harness/command/options.h"

/* All runners of the options, over the designs that were given or all that are fit; `settings` are of the only design.
 * 0, 1 when one is broken, or a status with *diag filled. */
int conform_runners(const struct options *options, const struct tw_setting *settings, size_t count,
                    struct diag *diag);

#endif
