/*
 * run.h - what `run` is made of, for labs that run plans on another stage or in parts.
 *
 *     struct live_run_options { struct run_options run; ... };
 *     static const struct flag_group groups[] = {{own flags}, RUN_GROUPS(0), {0}};
 */
#ifndef TWBENCH_RUN_H
#define TWBENCH_RUN_H

#include "harness/command/design_flags.h"
#include "harness/command/load_flags.h"
#include "harness/command/outputs.h"
#include "harness/command/setup_flags.h"

struct run_options {
    struct setup setup;
    struct designs designs;
    struct loads loads;
    struct outputs outputs;
    enum plan_drive drives[PLAN_DRIVES]; /* none: by ticks */
    size_t drive_count;
    enum plan_pages pages[PLAN_PAGES]; /* none: any */
    size_t page_count;
    uint64_t batches[LOADS_MAX]; /* none: single calls */
    size_t batch_count;
    uint32_t betweens[PLAN_BETWEENS_MAX]; /* none: unasked */
    size_t between_count;
    bool plan_only, runs_given, time_given;
};

#define RUN_FLAG_COUNT 26
/* The rows of its own group. */
extern const struct flag run_flags[RUN_FLAG_COUNT];

/* What most calls of run and replay need (command.h). */
#define RUN_COMMON                                                                                 \
    " impl plugin workload tasks set seed tick between plan time runs counts-only budget json "    \
    "resume "                                                                                      \
    "plots html "
/* The groups of run; `at`: where a struct run_options lies in the command's options. */
#define RUN_GROUPS(at)                                                                             \
    DESIGN_FLAGS((at) + offsetof(struct run_options, designs)),                                    \
        LOAD_FLAGS((at) + offsetof(struct run_options, loads)),                                    \
        {.title = "Measurement", .flags = run_flags, .count = RUN_FLAG_COUNT, .offset = (at)},     \
        SETUP_PIN((at) + offsetof(struct run_options, setup)),                                     \
        OUTPUT_JSON((at) + offsetof(struct run_options, outputs)),                                 \
        OUTPUT_RESUME((at) + offsetof(struct run_options, outputs)),                               \
        OUTPUT_PLOTS((at) + offsetof(struct run_options, outputs)),                                \
        OUTPUT_HTML((at) + offsetof(struct run_options, outputs)),                                 \
        OUTPUT_ASSERT((at) + offsetof(struct run_options, outputs)),                               \
        OUTPUT_STYLE((at) + offsetof(struct run_options, outputs)),                                \
        OUTPUT_EXPORTS((at) + offsetof(struct run_options, outputs), result)

/* What is not zero before the first flag. */
void run_begin(struct call *call, struct run_options *options);

/* The plan of the options, made, run and shown; answers the exit status.  `ways` are the lab's, in `selection`;
 * `workload`: in the place of the options' loads, what the stage plays; NULL: those. */
struct run_request {
    struct run_options *options;
    bool is_replay; /* the operands are traces */
    const struct plan_way *ways;
    size_t way_count;
    const char *workload;
};
int run_do(struct call *call, const struct run_request *request);

#endif
