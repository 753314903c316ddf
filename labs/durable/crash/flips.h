/* flips.h - proves that a store serves nothing that was not put when a bit of its files has flipped. */
#ifndef TWBENCH_FLIPS_H
#define TWBENCH_FLIPS_H

#include "labs/durable/crash/crash_case.h"

/* As many flips as the options say.  False when something is broken. */
bool crash_flips(const struct crash_case *this);

#endif
