/* answers.h - asks an open design for its description and its footprint, and checks what it answers.
 *
 * Both come as structures that a mistake makes longer, or fills with anything; what has passed here can be copied,
 * printed and added up.
 */
#ifndef TWBENCH_ANSWERS_H
#define TWBENCH_ANSWERS_H

#include "impls/backend.h"

#define ANSWERS_REASON 200

/* Settings of the design with 1 .. TW_VALUES_MAX values each, at most as many as there is room for, and a span above 0.
 * Else false, with `reason` (ANSWERS_REASON bytes) filled and a description without settings and any span. */
bool answers_describe(const struct tw_backend *design, const struct tw_timers *timers,
                      struct tw_description *out, char *reason);

/* Bytes that a machine can have; else false, with `reason` filled and zeros. */
bool answers_footprint(const struct tw_backend *design, const struct tw_timers *timers,
                       struct tw_footprint *out, char *reason);

#endif
