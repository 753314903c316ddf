/* probes.h - probes on the timer functions of libuv and libevent, so that no program is rebuilt or restarted. */
#ifndef TWBENCH_PROBES_H
#define TWBENCH_PROBES_H

#include "labs/traces/record/tracing.h"

/* Probes of the library's file, NULL: the one that the linker finds.  DIAG_USAGE: it is not installed, or what the
 * offsets in libuv's structs are asked of (headers, a compiler) is not here.  The file is loaded to find its functions. */
int probes_libuv(struct tracing *tracing, const char *file, struct diag *diag);
int probes_libevent(struct tracing *tracing, const char *file, struct diag *diag);

#endif
