/*
 * live.h - the parts of the lab: flags, the stage on the real clock, what it writes into cells, pictures.
 */
#ifndef TWBENCH_LIVE_H
#define TWBENCH_LIVE_H

#include "harness/command/command.h"
#include "harness/command/design_flags.h"
#include "harness/measure/session/stage.h"
#include "harness/tell/report/plot.h"
#include "harness/tell/result/figures.h"
#include "labs/live/clock/clock_run.h"

extern const struct command cmd_clock_run, cmd_clock_replay, cmd_conform_runners;

/* ---- Flags: who drives, from how many threads, which load. --------------------------------------- */

#define RUNNERS_MAX   32
#define ORIGINALS_MAX 4

struct clock_flags {
    const struct tw_runner_entry *runners[RUNNERS_MAX + ORIGINALS_MAX];
    size_t runner_count;
    const struct tw_runner_entry *originals[ORIGINALS_MAX], *plugins[RUNNERS_MAX];
    size_t original_count, plugin_count;
    uint64_t threads[RUNNERS_MAX];
    size_t thread_count;
    struct clock_wishes wishes;
    struct designs *designs; /* of the command: --plugin may bring one of those */
};

flag_take_fn clock_flag_runner, clock_flag_original, clock_flag_plugin, clock_flag_threads,
    clock_flag_speed, clock_flag_work;

/* Settings of runners as flags, a group behind those of the designs. */
#define CLOCK_SETTINGS(at)                                                                         \
    {                                                                                              \
        .offset = (at), .find = clock_settings_find, .each = clock_settings_each                   \
    }
bool clock_settings_find(const void *of, const char *name, struct flag *out);
void clock_settings_each(const void *of, flag_row_fn *row, void *ctx);

/* After the last flag: plugins and then originals join the runners.  DIAG_USAGE when there are none, or one lacks a
 * setting that was given. */
int clock_flags_finish(struct clock_flags *flags, struct diag *diag);

/* ---- The stage. ------------------------------------------------------------------------------------ */

/* What the `of` of a way points to. */
struct clock_way {
    const struct tw_runner_entry *entry;
    uint32_t threads;
};

/* The request and the outcome of a cell, which clock_record.c writes. */
struct clock_record {
    const struct clock_way *way;
    const struct clock_wishes *wishes;
    struct clock_report report;
    cJSON *rounds; /* of each run its figures (clock_record_round) */
    cJSON *
        original; /* what the driver of an original said in the last run; NULL: it is a runner of ours */
    struct cell_extra extra;
};

/* The context of the stage; `wishes` is the caller's, the rest is the stage's. */
struct on_clock {
    const struct clock_wishes *wishes;
    struct clock_record *records; /* by cell */
    size_t count;
};

/* Plays each cell setup->runs times, interleaved, and adds the runs up. */
struct stage on_clock_stage(struct on_clock *on_clock);

/* The functions of its extra, whose ctx it is.  What of it makes a cell another experiment: "runner=locked threads=2 load=paced
 * speed=1 ..." */
void clock_record_identity(char *out, size_t size, const void *ctx);
/* The settings that tell cells of one table apart: runner, threads and what the runner was given. */
void clock_record_params(cJSON *params, const void *ctx);
/* The keys runner, original, ledger and clock. */
void clock_record_add(cJSON *cell, const void *ctx);
/* The figures of one run, without the bins of its histograms: an element of "clock.rounds".  The caller's. */
cJSON *clock_record_round(const struct clock_record *record, const struct clock_report *report);

/* ---- What is shown. -------------------------------------------------------------------------------- */

extern const struct figures_part figures_of_runners;

/* Throughput over threads, lateness, callers' latency, idle: medians over the runs of a cell, with the least and the
 * most.  Of a group with several numbers of threads lateness and callers are shown at the most. */
void clock_pictures(const cJSON *document, struct pictures *out);

#endif
