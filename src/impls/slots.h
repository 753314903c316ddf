/*
 * slots.h - how many slots a wheel of one level has.
 */
#ifndef TWBENCH_SLOTS_H
#define TWBENCH_SLOTS_H

#include "backend.h"

/* More would leave no room for as many timers and the list of the due in a 32-bit index space. */
#define SLOTS_MAX (UINT64_C(1) << 30)
/* Fewer slots by default would save less than 2 KiB. */
#define SLOTS_DEFAULT_MIN 256

/* As given.  By default as many as timers, the rule of 4.4BSD, which keeps slots at about one timer;
 * beyond the horizon each slot would hold timers of one tick only. */
static inline uint64_t slots_asked(const struct tw_config *config)
{
    const struct tw_setting *given = params_find(config, "slots");
    if (given)
        return given->values[0];
    uint64_t slots = config->capacity;
    if (slots < SLOTS_DEFAULT_MIN)
        slots = SLOTS_DEFAULT_MIN;
    if (config->horizon != 0 && slots > config->horizon)
        slots = config->horizon;
    return slots;
}

#endif
