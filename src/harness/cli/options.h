/*
 * options.h - the command line as plain data: filled in by arguments.h, const from then on.
 */
#ifndef TWBENCH_OPTIONS_H
#define TWBENCH_OPTIONS_H

#include "harness/ask/advise/choice.h"
#include "harness/ask/compare/pairing.h"
#include "harness/ask/history/history.h"
#include "harness/ask/stores/storing.h"
#include "harness/base/diag.h"
#include "harness/bring/record/record.h"
#include "harness/cli/exports.h"
#include "harness/measure/plan/plan.h"
#include "harness/measure/session/setup.h"
#include "harness/tell/report/plot.h"
#include "harness/tell/report/style.h"
#include "harness/tell/report/sweep.h"

#include <stdio.h>

#define OPTIONS_LIST_MAX      64
#define OPTIONS_OPERANDS_MAX  4096
#define OPTIONS_RUNNERS_MAX   32
#define OPTIONS_ORIGINALS_MAX 4

/* conform called by ci: where it prints, and what it found. */
struct conform_heard {
    FILE *out;
    bool broken;
};

/* compare called by ci: what conform found out of NEW. */
enum contract_status { CONTRACT_HELD, CONTRACT_BROKEN, CONTRACT_NOT_TESTED };

struct contract {
    enum contract_status status;
    const char *text; /* what conform printed; "": it did not run */
    const char
        *old; /* of a broken one, which is not compared: what it would have been compared with */
};

struct options {
    struct setup setup;                             /* how to measure */
    struct workload_setting sets[OPTIONS_LIST_MAX]; /* what setup.sets points to */
    const struct command *command;

    const char *operands[OPTIONS_OPERANDS_MAX]; /* what is left beside the flags */
    size_t operand_count;

    /* What to run. */
    const struct preset *preset; /* fills what of designs, workloads and tasks is not given */
    const struct tw_design *designs[OPTIONS_LIST_MAX];
    size_t design_count;
    const struct tw_design *plugins[OPTIONS_LIST_MAX]; /* of them, those of --plugin */
    size_t plugin_count;
    const struct tw_design *contested; /* compare: what OLD and NEW are two plugins of, or NULL */
    const char *workloads[OPTIONS_LIST_MAX];
    size_t workload_count;
    uint64_t tasks[OPTIONS_LIST_MAX];
    size_t task_count;
    struct plan_sweep sweeps[PLAN_SWEEPS_MAX];
    size_t sweep_count;
    enum plan_drive drives[PLAN_DRIVES]; /* none: by ticks */
    size_t drive_count;
    enum plan_pages pages[PLAN_PAGES]; /* none: any */
    size_t page_count;
    uint64_t batches[OPTIONS_LIST_MAX]; /* none: single calls */
    size_t batch_count;

    const struct tw_runner_entry
        *runners[OPTIONS_RUNNERS_MAX + OPTIONS_ORIGINALS_MAX]; /* none: virtual time */
    const struct tw_runner_entry *originals[OPTIONS_ORIGINALS_MAX];
    size_t original_count;
    size_t runner_count;
    const struct tw_runner_entry
        *runner_plugins[OPTIONS_RUNNERS_MAX]; /* of them, those of --plugin */
    size_t runner_plugin_count;
    uint64_t threads[OPTIONS_RUNNERS_MAX];
    size_t thread_count;

    uint64_t operations; /* conform */
    bool thorough;
    uint64_t proof_patience_ns; /* conform --runner */
    const char *operations_file;

    /* compare, selftest, probe */
    uint64_t pairs, max_pairs, samples;
    uint64_t passes; /* of a sample; 0: by min_time_ns */
    double pace_ns;  /* the core's full pace; 0: not known */
    uint64_t drag_links;
    enum fail_on fail_on;
    struct limits limits;
    /* Names, or NULL; the directory is NULL when it was not given. */
    const char *baseline, *save_baseline, *baseline_directory;

    /* ci */
    const char *project, *base;      /* paths, or NULL */
    unsigned ci_fail_on;             /* 0: as the project says; else an enum fail_on, and 1 */
    struct conform_heard *heard;     /* conform: NULL: nobody listens */
    const struct contract *contract; /* compare: NULL: it is not ci that asks */

    struct storing_request storing;            /* stores: what is not in setup and tasks */
    const char *store_names[STORING_LIST_MAX]; /* conform: names or paths */
    size_t store_name_count;
    unsigned store_parts; /* of the proof, 1 << enum crash_part; 0: all */

    struct wishes wishes; /* advise */
    uint64_t pending;     /* advise --durable: messages */
    /* advise: the first flag given that is of designs alone, of stores alone; or NULL. */
    const char *design_flag, *store_flag;
    struct history_wishes history;
    struct record_wishes recording; /* record */
    uint64_t capacity;              /* show: ids; 0: as many as the script names */

    /* What to leave. */
    const char *exports[EXPORTS_MAX]; /* the same, by the place in the table of formats */
    const char *plots;                /* directory or NULL */
    const char *fit;                  /* trace: workload file to write, "-" or NULL */
    const char *svg, *html;           /* the same as json */
    const char *trace;                /* import, record: the same */
    const char *take_directory;       /* take: where the sources go */
    const char *of, *limits_file;     /* limits: documents to read, or NULL */
    enum plot_format plot_format;
    struct sweep_claim claims[OPTIONS_LIST_MAX];
    size_t claim_count;
    enum style_color color;

    /* Switches, side by side because each alone would cost eight bytes. */
    bool force;
    bool designs_given;
    bool matrix_given; /* any flag that says what to run */
    bool dragged;      /* --drag was given */
    bool list_only;    /* show --list, list --figures */
    bool plan_only;    /* run --plan */
    bool list_flags;   /* list --flags */
    bool every_step;   /* show --every */
    bool quick;        /* claims: counts only */
    bool exact;        /* advise: --exact was given */
    bool durable;      /* advise: of stores */
    bool clock_given;  /* a flag that is of no use without --runner */
    bool runs_given, time_given;
    bool partial;     /* merge: shards may be missing */
    bool save_result; /* ci --save-baseline */
    bool silent;      /* shows no table */

    const char *plot_scripts, *claims_directory, *report_assets; /* data files */
    void *memory;                                                /* what options_free frees */
};

/* A command: its word, its usage line, and the groups of flags that it takes. */
struct command {
    const char *name;
    const char *usage;   /* what follows the name: "[FLAGS] FILE..." */
    const char *summary; /* one line */
    unsigned flags;      /* of enum flag_group */
    int (*run)(const struct options *options);
};

enum flag_group {
    FLAGS_RUN = 1u << 0,    /* how the cells of a matrix are measured */
    FLAGS_REPORT = 1u << 1, /* what to leave of a result, apart from --json */
    FLAGS_JSON = 1u << 2,
    FLAGS_CONFORM = 1u << 3, /* --impl, parameters, seed, operations */
    FLAGS_PLOT = 1u << 4,
    FLAGS_DATA = 1u << 5,    /* --workloads-dir */
    FLAGS_MATRIX = 1u << 6,  /* designs, workloads, tasks and what streams are made of */
    FLAGS_PAIRS = 1u << 7,   /* paired samples: compare, selftest */
    FLAGS_COMPARE = 1u << 8, /* what a verdict rests on and leads to */
    FLAGS_PROBE = 1u << 9,   /* one series of samples in this process */
    FLAGS_SELFTEST = 1u << 10,
    FLAGS_STYLE = 1u << 11,  /* --style */
    FLAGS_SHOW = 1u << 12,   /* a script, and what to draw of it */
    FLAGS_CLAIMS = 1u << 13, /* experiments of files, and how they are measured */
    FLAGS_OLD = 1u << 14,    /* an old result rendered: -o */
    FLAGS_TRACE = 1u << 15,  /* what is in a trace, and what to leave of it */
    FLAGS_ADVISE = 1u << 16, /* one load, wishes, a budget for all of it */
    FLAGS_IMPORT = 1u << 17, /* a log made into a trace: -o */
    FLAGS_LIMITS = 1u << 18, /* what the machine can do, and designs as multiples of it */
    /* a document that has a page: --html, -o, --export-markdown, --export-csv */
    FLAGS_PAGE = 1u << 19,
    FLAGS_LIST = 1u << 20,    /* what to name */
    FLAGS_CI = 1u << 21,      /* a project file, and what to compare with */
    FLAGS_TAKE = 1u << 22,    /* the sources of a design: -o */
    FLAGS_STORES = 1u << 23,  /* stores, policies, durable loads, kills */
    FLAGS_HISTORY = 1u << 24, /* results of many commits on a line */
    FLAGS_MERGE = 1u << 25,   /* results of shards as one */
    FLAGS_RECORD = 1u << 26,  /* a command, and how its timers are recorded: -o */
    FLAGS_DURABLE = 1u << 27  /* advise: what it takes with --durable */
};

/* Groups whose commands take the parameters of designs. */
#define FLAGS_DESIGNS (FLAGS_MATRIX | FLAGS_CONFORM | FLAGS_SHOW)

/* Closes the plugins and frees the texts. */
void options_free(struct options *options);

/* Every file that may be written, by the flag that names it: "--json", "-o". */
struct options_file {
    char flag[24];
    const char *path; /* "-", or NULL: not asked for */
};

#define OPTIONS_FILES_MAX (EXPORTS_MAX + 5)

/* Fills files[] and answers how many there are. */
size_t options_files(const struct options *options, struct options_file files[OPTIONS_FILES_MAX]);

/* What to run, and what to compare in pairs; both point into the options. */
struct plan_selection options_selection(const struct options *options);
struct pairing_wishes options_pairing(const struct options *options);

#endif
