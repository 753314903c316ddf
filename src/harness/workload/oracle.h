/*
 * oracle.h - what a stream has to do, said by the dumbest structure that is fast enough.
 *
 * An array of due ticks (TW_NEVER = idle) is the truth; a lazy binary heap of (due, id) pairs only
 * says where to look next, and an entry that disagrees with the array is thrown away.  There is no
 * back-index, no slot, no level, nothing that a design's bug could share.  tests/ hold it against a
 * brute-force scan of the array.
 */
#ifndef TWBENCH_ORACLE_H
#define TWBENCH_ORACLE_H

#include "harness/workload/stream.h"

/* Runs the stream and fills *expected.  O(operations * log n) time, O(ids + operations) memory. */
int oracle_run(const struct stream *stream, struct stream_expected *expected, struct diag *diag);

#endif
