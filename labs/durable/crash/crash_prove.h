/*
 * crash_prove.h - proves a store: that it loses and repeats nothing, whatever ends it.
 *
 *     even      runs without harm, under every policy
 *     kills     kill -9 at random moments: client, server, both; during recovery and checkpoint
 *     power     every state that a disk may be left in when power is lost (disk_states.h); without --thorough some of
 *               them, and each step by which the store is made
 *     errors    a full disk, a disk that may not be written, failed writes, failed syncs
 *     flips     a bit of a file, of a store that was killed or closed in order, is another one: what is served is what was put; with TW_STORE_FINDS_DAMAGE what is lost
 *               was named
 *
 * Power, errors and flips are for stores that write their files from their own process.
 */
#ifndef TWBENCH_CRASH_H
#define TWBENCH_CRASH_H

#include "harness/base/diag.h"
#include "labs/durable/crash/crash_data.h"

/* DIAG_OK with the report filled, broken or not; DIAG_RUN when it cannot be proved: not built, no server here. */
int crash_prove(const struct tw_store_backend *store, const struct crash_options *options,
                struct crash_report *report, struct diag *diag);

/* Is the layer that records the disk loaded?  Else the caller begins this program again with it before all others:
 * crash_layer_path answers where it is, or "". */
bool crash_has_layer(void);
void crash_layer_path(char *out, size_t size);

#endif
