/*
 * comparison.h - the outcome of a comparison: verdicts, and the figures that led to them.
 *
 * Plain data, filled by the gates (gate_work.h, gate_time.h), made into a document by
 * comparison_json.  Ratios are NEW / OLD everywhere: above 1 is slower, more, larger.
 */
#ifndef TWBENCH_COMPARISON_H
#define TWBENCH_COMPARISON_H

#include "harness/base/diag.h"
#include "impls/backend.h"

#include <cjson/cJSON.h>

/* The worse ones come later. */
enum verdict { VERDICT_SAME, VERDICT_IMPROVED, VERDICT_INCONCLUSIVE, VERDICT_REGRESSED };

/* Word used in JSON: "same", "improved", "inconclusive", "regressed". */
const char *verdict_name(enum verdict verdict);

/* The verdict of several gates, or of several cells: regressed before inconclusive before improved
 * before same.  (The enum is in that order.) */
enum verdict verdict_worse(enum verdict a, enum verdict b);

/* ---- Limits: how far a metric may move before the gate that holds it says so. ---------------- */

/* The operation counters come first, in the order of struct tw_work. */
#define METRIC_OF_COUNTER(counter, since, meaning) METRIC_##counter,
enum metric {
    TW_WORK_COUNTERS(METRIC_OF_COUNTER) /* METRIC_comparisons, .. */
    METRIC_WORK_COUNT,                  /* how many of these there are */
    METRIC_MEMORY = METRIC_WORK_COUNT,  /* bytes per task */
    METRIC_INSTRUCTIONS,
    METRIC_ADVANCE_WORK, /* of the longest single advance, in counted steps */
    METRIC_TAIL,         /* single advances, by their own tail */
    METRIC_TIME,         /* the margin of the time gate */
    METRIC_LAYOUT,       /* that margin where work, instructions and memory are the same */
    METRICS
};
#undef METRIC_OF_COUNTER

/* Word used in JSON and by --limit: "comparisons", .., "link_writes", .., "memory", "instructions",
 * "advance_work", "tail", "time", "layout". */
const char *metric_name(enum metric metric);

#define LIMIT_RULES_MAX 32
#define LIMIT_NAME_MAX  64

/* Shares: 0.01 is 1 %.  NAN: shown, never judged. */
struct limits {
    double of[METRICS];
    /* Of some cells only; the last that fits a cell holds. */
    size_t rule_count;
    struct limit_rule {
        char design[LIMIT_NAME_MAX], workload[LIMIT_NAME_MAX]; /* "*": any */
        int first, end;                                        /* metrics, as in of[] */
        double share;
    } rules[LIMIT_RULES_MAX];
};

/* Work and instructions 1 %, memory and the longest advance's work 10 %, tail 50 %, time 3 %, layout 10 %
 * (docs/MEASUREMENT.md). */
struct limits limits_default(void);

/* "1%", "12.5 %", up to 1000 %: as a share.  False for anything else. */
bool share_parse(const char *text, double *share);

/* "instructions=1%", "comparisons=0.5%", "work=2%" (all operation counters), "memory=off" (not for
 * time and layout, whose gate needs a margin); of some cells: "keepalive:work=2%" of a workload,
 * "heap/keepalive:work=2%" of a design on it, "heap/" and a star of a design.  DIAG_USAGE naming `flag`, the metric and what was
 * expected; *limits is unchanged then. */
int limits_parse(const char *text, const char *flag, struct limits *limits, struct diag *diag);

/* ---- Gates: what a verdict rests on. ---------------------------------------------------------- */

/* A gate that was asked has one of three answers: equal (same), changed (improved, regressed), or
 * unknown (inconclusive) - a figure is absent on a side, or the pairs cannot tell.  Unknown is never
 * equal. */
enum gate { GATE_WORK, GATE_INSTRUCTIONS, GATE_MEMORY, GATE_TAIL, GATE_TIME, GATES };

/* "work", "instructions", "memory", "tail", "time". */
const char *gate_name(enum gate gate);

struct gate_answer {
    bool asked; /* false: without a limit, or without pairs; then it judges nothing */
    enum verdict verdict;
};

/* ---- One cell. ------------------------------------------------------------------------------- */

/* A metric of both sides that is exact or nearly so; NAN: unknown. */
struct change {
    double before, after; /* of the whole cell, one pass */
    double share;         /* after / before - 1; 0 when both are 0; INFINITY from 0 to something */
    enum verdict verdict; /* inconclusive: it has a limit, and a side is unknown */
};

struct interval {
    double median, low, high; /* NAN: unknown */
};

/* What the time gate saw of one pair of programs on one cell. */
struct timing {
    size_t pairs;
    double confidence;         /* of the intervals covering the true median */
    struct interval cpu;       /* ratio of thread CPU times: decides */
    struct interval wall;      /* ratio of wall times: beside it */
    double p_slower, p_faster; /* one-sided sign tests against the margin, after Holm */
    double margin;             /* that the interval was compared with; NAN: it was not judged */
};

#define COMPARED_TEXT    400
#define COMPARED_PHASES  16
#define COMPARED_REASONS 16

struct compared_phase {
    char name[64];
    double cpu_ratio; /* median of the pairs' ratios; of two runs the ratio; NAN: unknown */
    double share;     /* of the cell's time in OLD */
    double work_before[METRIC_WORK_COUNT], work_after[METRIC_WORK_COUNT];
};

#define COMPARED_FUNCTIONS 5

/* Instructions of a function in a probe's process; those of what it calls are not in it. */
struct compared_function {
    char name[96];
    double before, after;
};

/* Whether single advances changed (gate_tail.h). */
struct compared_tail {
    bool known; /* false: a side has no own tail, or of other calls, or there is no limit */
    enum verdict verdict;       /* inconclusive: found, and not repeated */
    char phase[64];             /* where; "" where nothing was found */
    bool wanders;               /* every pass has such a call, not always the same */
    uint64_t call;              /* else: its number in the phase */
    double before_ns, after_ns; /* of that rank among the slowest; NaN where nothing was found */
    size_t pairs, agreed;       /* repetitions, and how many found the same */
};

struct compared_cell {
    char impl[64], workload[64];
    uint64_t tasks, tick_ns, seed;
    cJSON *requested; /* parameters asked for, as in a result; owned */
    enum verdict verdict;
    char reason[COMPARED_TEXT]; /* one sentence, "" when there is nothing to say */

    bool failed; /* NEW came to fail where OLD did not, or has not got the cell's answer right */
    /* Why it cannot be the same, though no gate saw a change: lateness, refused starts, reach, settings; or "". */
    char apart[COMPARED_TEXT];
    bool apart_in_answer; /* and cannot be an improvement either: the two did not do the same */
    bool only_old;        /* NEW has no such cell */
    bool work_changed;    /* some operation counter is not exactly equal */
    struct change changes[METRICS]; /* operation counters, memory, instructions, advance_work */
    enum verdict work_verdict, instructions_verdict, time_verdict;
    char work_reason[COMPARED_TEXT]; /* why the work is unknown, or "" */
    bool instructions_known, time_known;
    char instructions_source[16];            /* "processor", "steps"; "" when unknown */
    char instructions_reason[COMPARED_TEXT]; /* why unknown, or "" */

    struct compared_tail tail;
    bool time_decides; /* false: the times were not taken side by side, and are advisory */
    /* Stored times of one machine, the whole interval beyond METRIC_TIME: they decide nothing, but are not the same. */
    bool stored_times_differ;
    bool layouts_vary; /* pairs differ in layout: the interval holds that, no margin for it */
    bool same_program; /* work, instructions and memory alike: what is left is layout */
    struct timing timing;
    struct timing control; /* OLD against a copy of OLD; no pairs: there was none */
    bool control_moved;
    /* Beyond METRIC_TIME with the same work, instructions and memory, but not beyond METRIC_LAYOUT: inconclusive. */
    bool layout_may_explain;
    bool extended; /* pairs were added once */
    bool confirm_tried, confirmed;
    struct interval confirm_cpu;
    /* Thread CPU time per call; NAN: unknown.  Their ratio is timing.cpu.median. */
    double before_ns_per_op, after_ns_per_op;

    size_t phase_count;
    struct compared_phase phases[COMPARED_PHASES];
    bool functions_known; /* false: not asked for, or callgrind could not follow a side */
    size_t function_count;
    struct compared_function functions[COMPARED_FUNCTIONS]; /* the largest change first */
};

/* What a gate says of the cell: whether it was asked at all, and its verdict, inconclusive where it knows nothing. */
struct gate_answer cell_gate(const struct compared_cell *cell, enum gate gate,
                             const struct limits *limits);

/* Sets the cell's verdict and reason from `failed` and its gates: the worst answer, and what led to
 * it.  Inconclusive is a cell of which no gate of work, instructions and time knows anything,
 * one whose memory was to be judged or whose times were taken and which are unknown, and one that is
 * the same but for `apart` or stored_times_differ.  To be called
 * once, after the gates.  A reason that is there already (NEW has no such cell) stays with its
 * verdict, unless a gate has regressed. */
void cell_conclude(struct compared_cell *cell, const struct limits *limits);

/* Has this gate come to the cell's verdict?  Of a cell that is concluded. */
bool cell_decided_by(const struct compared_cell *cell, enum gate gate, const struct limits *limits);

/* The limits of that cell, without rules. */
struct limits limits_for(const struct limits *limits, const struct compared_cell *cell);

/* ---- The whole. ------------------------------------------------------------------------------ */

/* One of the two sides. */
struct compared_side {
    char path[4096];
    char version[64], commit[64], compiler[128], flags[512]; /* "": unknown */
    const char *kind;                                        /* "program", "plugin", "result" */
    char hash[20]; /* of the file's bytes, in hex; "": unknown */
};

struct comparison {
    bool is_binaries; /* else result files */
    bool complete;    /* false: interrupted */
    struct compared_side before, after;
    struct limits limits;
    enum verdict verdict;
    char reasons[COMPARED_REASONS][COMPARED_TEXT]; /* the verdict's, the gravest first */
    size_t reason_count;
    /* How the times were taken; binaries only. */
    uint64_t pairs, pairs_max, confirm_pairs, samples_per_process, min_work_ns, seed;
    uint64_t layouts;                   /* of each side; 1: as built */
    char layouts_reason[COMPARED_TEXT]; /* why no more, when more were asked for; or "" */
    double alpha;                       /* over all cells together */
    int pin_cpu;                        /* below 0: unpinned */
    /* What went on meanwhile; NAN: unknown. */
    double steal_share, busy_share, load_1min;
    double slow_share; /* of the samples, on a core that was shared unseen (pace.h) */
    size_t cell_count;
    struct compared_cell *cells; /* owned */
    size_t added;                /* cells that only NEW has, which are not among them */
    cJSON *one_side;             /* of one side only, as the document has them; owned, NULL: none */
    bool missing_ignored;
    char notes[COMPARED_TEXT]; /* of the documents as wholes: "NEW was interrupted"; or "" */
};

/* Frees the cells; the comparison is empty then. */
void comparison_free(struct comparison *comparison);

/* Lets cells of one side only pass (--ignore-missing): those of OLD are taken out of the cells.  They stay listed in
 * one_side. */
void comparison_ignore_missing(struct comparison *comparison);

/* Sets verdict and reasons from the cells, which are concluded.  Cells that only NEW has make it inconclusive.  One that was interrupted, or has
 * no cells, is inconclusive at best. */
void comparison_conclude(struct comparison *comparison);

/* What makes the command fail (--fail-on): each takes in the ones before it. */
enum fail_on { FAIL_ON_WORK, FAIL_ON_REGRESSED, FAIL_ON_INCONCLUSIVE };

/* "work", "regressed", "inconclusive". */
const char *fail_on_name(enum fail_on fail_on);

/* 3 when something regressed that `fail_on` takes in, 4 when asked to fail on inconclusive and it
 * is, 0 else.  FAIL_ON_WORK looks at work, instructions, memory when it has a limit, and designs
 * that came to fail. */
int comparison_exit_status(const struct comparison *comparison, enum fail_on fail_on);

/* The document of schema/comparison-1.json, owned by the caller; `head` (owned by the caller, may be
 * NULL) brings tool, machine and command. */
cJSON *comparison_json(const struct comparison *comparison, const cJSON *head,
                       enum fail_on fail_on);

#endif
