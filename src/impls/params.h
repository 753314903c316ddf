/* params.h - reading settings is part of the contract's header, because a plugin has no other. */
#ifndef TWBENCH_PARAMS_H
#define TWBENCH_PARAMS_H

#include "backend.h"

#endif
