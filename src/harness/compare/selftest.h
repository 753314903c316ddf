/*
 * selftest.h - how often the verdict of compare is wrong on this machine, and what it can see.
 *
 * This program is compared with itself, cell by cell and by the very gates of compare: once as it is,
 * where any verdict but `same` or `inconclusive` is a false alarm, and once slowed down by a known amount
 * (instance.h), where any verdict but `regressed` has missed it.
 */
#ifndef TWBENCH_SELFTEST_H
#define TWBENCH_SELFTEST_H

#include "harness/compare/pairing.h"

#define SELFTEST_SIZES     3
#define SELFTEST_WORKLOADS 16
#define SELFTEST_LEFT_OUT  4
#define SELFTEST_TEXT      600

/* Out of `trials`. */
struct selftest_rate {
    size_t trials, hits, inconclusive;
};

/* One size of slowdown. */
struct selftest_size {
    double percent;             /* injected */
    double measured_percent;    /* median over the cells of what the pairs showed */
    struct selftest_rate found; /* regressed, and confirmed */
    size_t seen;                /* the interval lies above 0: slower, by whatever */
};

/* ---- Is a chained call told as long as it takes (calibration.c)? ------------------------------- */

#define CALIBRATIONS           2
#define CALIBRATION_TOLERANCE  0.05 /* of the ratio */
#define CALIBRATION_ROUNDS_MAX 200

/* null with so many dependent additions in each start, as --between=chain has it, less null. */
struct calibration {
    unsigned additions;          /* 0: it could not be measured */
    double told_ns, expected_ns; /* medians; expected: as many times the time of one addition */
    double ratio, ratio_low,
        ratio_high;     /* told over expected, round by round, with its exact 99 % interval */
    const char *status; /* "ok": the interval is within the tolerance; "wrong": outside */
};

/* Measures 20 and 100 additions in this process, side by side; takes about 30 ms.  All zero without memory. */
void calibration_measure(struct calibration out[CALIBRATIONS]);
/* What rounds[0 .. count) say, at most CALIBRATION_ROUNDS_MAX of them; all of `out` but the additions. */
void calibration_judge(struct calibration *out, const double *told_ns, const double *expected_ns,
                       size_t count);

struct selftest {
    bool complete;
    struct calibration calibration[CALIBRATIONS];
    struct selftest_rate false_alarms;          /* cells compared with themselves */
    size_t presets, presets_alarmed;            /* the same by whole comparisons of all cells */
    struct selftest_size sizes[SELFTEST_SIZES]; /* 2, 5, 10 % */
    double smallest_percent;  /* slowdown found in 95 % of all cells; NaN: none up to 50 % */
    double harness_ns_per_op; /* null through the same path; NaN: unknown */
    /* Of the clock around single calls; what went on meanwhile, NaN: unknown.  Known to selftest_document. */
    double timer_overhead_ns, steal_share, busy_share, load_1min;
    size_t cell_count; /* that were compared in each round */
    double seconds, budget_seconds;
    double slow_share;          /* of the samples, on a core shared unseen (pace.h); NaN: unknown */
    double pair_spread_percent; /* median over the cells: how far two samples of a pair lie apart */
    /* What the budget was too short for, in sentences. */
    char left_out[SELFTEST_LEFT_OUT][SELFTEST_TEXT];
    size_t left_out_count;
};

/* Compares until `budget_ns` of wall time behind `begin_ns` are used up, and not longer: cells for which
 * there is no time are left out, and so is a round that is not finished.  The request is that of
 * compare_binaries with `before` naming this program (`after` is not looked at); the limits are the
 * shipped ones unless others were given.  DIAG_OK, BINARIES_INTERRUPTED (what was found until then is
 * in *selftest), DIAG_USAGE, DIAG_RUN. */
int selftest_run(const struct binaries_request *request, uint64_t begin_ns, uint64_t budget_ns,
                 struct selftest *selftest, struct diag *diag);

/* What was found, as schema/selftest-1.json has it; owned by the caller.  `head` (tool, machine, command)
 * stays the caller's. */
cJSON *selftest_json(const struct selftest *selftest, const struct binaries_request *request,
                     const cJSON *head);

/* The same of a pairing that is over: its head, and what went on meanwhile.  To be called once. */
cJSON *selftest_document(struct selftest *selftest, struct pairing *pairing);

#endif
