/* power.h - proves that a store survives the loss of power, and a disk that fails. */
#ifndef TWBENCH_POWER_H
#define TWBENCH_POWER_H

#include "labs/durable/crash/crash_case.h"

/* Under that policy, at as many states as the options say.  False when something is broken. */
bool crash_power(const struct crash_case *this, enum tw_sync_policy sync);
bool crash_errors(const struct crash_case *this, enum tw_sync_policy sync);

#endif
