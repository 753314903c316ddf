/* advise_stores.h - advise --durable: which store, for messages that a crash must not lose. */
#ifndef TWBENCH_ADVISE_STORES_H
#define TWBENCH_ADVISE_STORES_H

#include "harness/cli/options.h"

/* Answers the exit status, and has said on stderr what went wrong: 1 a store lost or repeated messages, 4 nothing was
 * measured. */
int advise_stores(const struct options *options);

#endif
