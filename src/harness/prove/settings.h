/* settings.h - which settings a design is tried with, and whether it took them.
 */
#ifndef TWBENCH_CONFORM_SETTINGS_H
#define TWBENCH_CONFORM_SETTINGS_H

#include "harness/prove/operations.h"
#include "harness/prove/report.h"

/* As conform_variant (conform.h), noting what it calls; `watch` may be NULL. */
bool settings_variant(const struct tw_backend *backend, size_t index, struct tw_setting *settings,
                      size_t *count, struct watch *watch);

/* What open answers, of an instance that is closed again.  With a report, the refusal is judged too. */
int settings_try(const struct tw_backend *backend, const struct tw_config *config,
                 struct watch *watch, struct conform_report *report);

/* A list of values may be refused, but not every list of a parameter. */
void settings_judge_lists(const struct tw_backend *backend, struct conform_report *report);

/* Compares what describe says with what open was given (the header of the list).  Fills *report. */
void settings_judge(const struct tw_backend *backend, const struct operations *given,
                    const struct tw_description *description, struct conform_report *report);

/* A description does not change in the life of an instance. */
void settings_compare(const struct tw_description *first, const struct tw_description *now,
                      struct conform_report *report);

#endif
