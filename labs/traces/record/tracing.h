/* tracing.h - an instance of tracefs: events of the kernel and of probes, on one clock, with nothing lost in silence. */
#ifndef TWBENCH_TRACING_H
#define TWBENCH_TRACING_H

#include "harness/base/diag.h"
#include "labs/traces/record/command.h"

#include <stddef.h>

struct tracing {
    char instance[128]; /* its directory; "": none */
    char group[32];     /* of the probes */
    char made[4][40];   /* probes that are there, by name */
    size_t made_count;
    const char *events[4]; /* those that are on */
    size_t event_count;
};

/* Mounts tracefs where it is not, and makes the instance.  DIAG_USAGE: no rights, or no tracefs here.
 * tracing_close in any case. */
int tracing_open(struct tracing *tracing, uint64_t buffer_kb, struct diag *diag);
/* Switches off, and removes from the kernel, what was made there; harmless without. */
void tracing_close(struct tracing *tracing);

/* Adds the probe NAME at that offset of the file, with what it fetches; "" or a filter for its events. */
int tracing_probe(struct tracing *tracing, const char *name, const char *file, uint64_t offset,
                  const char *fetches, const char *filter, struct diag *diag);
/* Events begin: of the kernel ("timer/timer_start"), or of all probes made (the group). */
int tracing_enable(struct tracing *tracing, const char *event, struct diag *diag);
/* Events end; they go into the log, and how many there are and were lost into `end`. */
int tracing_save(struct tracing *tracing, const char *log, struct record_end *end,
                 struct diag *diag);

/* ---- Probes on the timer functions of libuv and libevent, so that no program is rebuilt or restarted (probes.c). ---- */

/* Probes of the library's file, NULL: the one that the linker finds.  DIAG_USAGE: it is not installed, or what the
 * offsets in libuv's structs are asked of (headers, a compiler) is not here.  The file is loaded to find its functions. */
int probes_libuv(struct tracing *tracing, const char *file, struct diag *diag);
int probes_libevent(struct tracing *tracing, const char *file, struct diag *diag);

#endif
