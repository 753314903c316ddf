/* oracle.h - says what a stream has to do, by a structure with nothing in common with the designs.
 *
 * It decodes the words by itself and keeps the timers in an agenda (agenda.h), whose truth is an
 * array of due ticks.  The tests hold it against a brute-force scan of such an array.
 */
#ifndef TWBENCH_ORACLE_H
#define TWBENCH_ORACLE_H

#include "harness/measure/workload/stream.h"

/* Runs the stream and fills *expected.  O(operations * log n) time, O(ids + operations) memory. */
int oracle_run(const struct stream *stream, struct stream_expected *expected, struct diag *diag);

#endif
