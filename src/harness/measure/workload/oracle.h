/* oracle.h - says what a stream has to do, by a structure with nothing in common with the designs.
 *
 * It decodes the words by itself and keeps the timers in an agenda (agenda.h), whose truth is an
 * array of due ticks.  The tests hold it against a brute-force scan of such an array.
 */
#ifndef TWBENCH_ORACLE_H
#define TWBENCH_ORACLE_H

#include "harness/measure/workload/stream.h"

/* Finishes a stream that has been built: seals it and fills `expected`.  O(operations * log n) time, O(ids +
 * operations) memory.  DIAG_RUN without memory; DIAG_USAGE when the stream is beyond bounds; DEADLINE_OVER when its
 * deadline is over before the end. */
int oracle_finish(struct stream *stream, struct diag *diag);
/* Caps the running timers of a finished stream at `max_pending` >= 1: a start that would make more of them run has
 * to be refused.  Part of what the stream is: hash and `expected` are made anew. */
int oracle_cap(struct stream *stream, uint32_t max_pending, struct diag *diag);

#endif
