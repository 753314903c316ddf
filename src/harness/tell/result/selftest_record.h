/*
 * selftest_record.h - what the last selftest said of this machine, for the results that come after it.
 *
 * A complete selftest leaves a memo in $XDG_STATE_HOME/twbench/selftest.json (by default in
 * ~/.local/state; nowhere without HOME), and each result carries it in machine.selftest while it is at
 * most 30 days old and the machine is still the same.  The last selftest replaces the one before it.
 *
 * schema/selftest-1.json explains the keys.
 */
#ifndef TWBENCH_SELFTEST_RECORD_H
#define TWBENCH_SELFTEST_RECORD_H

#include "harness/base/diag.h"
#include "harness/measure/machine/machine.h"

#include <cjson/cJSON.h>
#include <time.h>

#define SELFTEST_RECORD_DAYS  30
#define SELFTEST_RECORD_SIZES 3

/* Shares are of 1; NaN is what was not known. */
struct selftest_record {
    char date_utc[24]; /* "": there is no record, and nothing else counts */
    char version[64], commit[64];
    double comparisons, cells; /* whole; comparisons are of a cell with itself */
    double false_alarm_rate, false_alarm_high;
    double detection[SELFTEST_RECORD_SIZES]; /* of slowdowns of 2, 5, 10 % */
    double smallest_reliable_slowdown, margin;
    double harness_ns_per_op, timer_overhead_ns;
    double busy_share; /* of all cores, used by others meanwhile */
};

/* Keeps what `selftest` (the document of selftest_json) found; one that was interrupted or compared
 * nothing leaves an older record as it is.  DIAG_RUN when the file cannot be written: a warning, because
 * the selftest itself is none the worse for it. */
int selftest_record_write(const cJSON *selftest, struct diag *diag);

/* The record, if it is fit for a result that `machine` makes at `now`; no record is no error, whatever
 * the reason.  `root` as in machine_read. */
void selftest_record_read(struct selftest_record *record, const struct machine *machine, time_t now,
                          const char *root);

/* As machine.selftest has it; null when there is none.  Owned by the caller. */
cJSON *selftest_record_json(const struct selftest_record *record);

#endif
