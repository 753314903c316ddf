/* cmd_advise.c - advise: one load, and what is the design for it here. */
#include "labs/advise/advise.h"

#include "harness/base/memory.h"
#include "harness/base/units.h"
#include "harness/command/design_flags.h"
#include "harness/command/load_flags.h"
#include "harness/command/outputs.h"
#include "harness/command/setup_flags.h"
#include "harness/measure/run/job_pool.h"
#include "harness/measure/workload/spec.h"
#include "labs/advise/advising.h"

#define SPEED_MAX 1e6

struct advise_options {
    struct setup setup;
    struct designs designs;
    struct loads loads; /* --set */
    struct outputs outputs;
    struct wishes wishes;
    bool exact;
    uint64_t tasks;
    int clock;
    const char *runners; /* --clock=real */
    uint64_t threads, duration_ns, deadline_ns;
    double speed;
    const char *slack;
};

static int take_late(struct call *call, void *of, const char *flag, const char *value,
                     struct diag *diag)
{
    struct advise_options *options = of;
    (void)call;
    return wishes_parse_late(value, flag, &options->wishes, diag);
}

static int take_speed(struct call *call, void *of, const char *flag, const char *value,
                      struct diag *diag)
{
    struct advise_options *options = of;
    (void)call;
    return units_parse_real_in(value, flag, 1 / SPEED_MAX, SPEED_MAX, &options->speed, diag);
}

static int take_between(struct call *call, void *of, const char *flag, const char *value,
                        struct diag *diag)
{
    struct advise_options *options = of;
    (void)call;
    return plan_between_parse(value, flag, &options->wishes.between, diag);
}

/* In the order of enum criterion. */
static const char *const goal_words[] = {"cost", "memory", "tail", "late", "wakeups", NULL};
static const char *const clock_words[] = {"virtual", "real", NULL};
#define CLOCK_REAL 1

#define OF struct advise_options
static const struct flag set_flags[] = {FLAG_NAMED(
    "set", "NAME=VALUE", "override a parameter of the workload; may be repeated", load_flag_set)};
static const struct flag flags[] = {
    FLAG_COUNT("tasks", "N", "number of timers (default: the workload's)", OF, tasks, 1,
               TW_CAPACITY_MAX),
    FLAG_WORD("for", "GOAL",
              "cost (default), memory, tail, wakeups; with --clock=real late (default)", OF,
              wishes.goal, goal_words),
    FLAG_SWITCH("exact", "only designs that are never late, at the load's own tick (default)", OF,
                exact),
    FLAG_BY("late", "TIME|SHARE",
            "allowed lateness: 10ms, with coarser ticks too; or 12.5% of a delay", take_late),
    FLAG_FILE("slack", "SLACK",
              "also count the wake-ups that the load saves if its timers have that slack: ticks, a "
              "time, 1/N of the delay, or 1/N+TIME",
              OF, slack),
    FLAG_COUNT("memory", "BYTES", "most memory per task, slots included", OF, wishes.memory_bytes,
               1, UINT64_C(1) << 40),
    FLAG_TIME("tail", "no single advance may take longer", OF, wishes.tail_ns, 1),
    FLAG_BY("between", "none|chain|SIZE",
            "what lies between two calls: a wait for the end of the first (chain, default), also "
            "other work in that much memory (32KiB), or nothing",
            take_between),
    FLAG_WORD("clock", "virtual|real", "real: also recommend a runner, on the real clock", OF,
              clock, clock_words),
    FLAG_FILE("runner", "A,B|all", "with --clock=real: runners to choose from (default all)", OF,
              runners),
    FLAG_COUNT("threads", "N", "with --clock=real: threads that start and stop timers (default 1)",
               OF, threads, 1, 1024),
    FLAG_BY("speed", "X", "with --clock=real: pace of the load (default 1: its own)", take_speed),
    FLAG_TIME("duration",
              "with --clock=real: how much of the load a run plays (default: by budget)", OF,
              duration_ns, 1000000),
    SETUP_SEED(OF, setup),
    SETUP_TICK(OF, setup),
    SETUP_PATIENCE(OF, setup),
    SETUP_BUDGET(OF, setup, "total processor time (default 60s); wall time with --clock=real"),
    FLAG_TIME("deadline", "total wall time (default: no limit)", OF, deadline_ns, 1000000),
    SETUP_MEMORY_LIMIT(OF, setup),
    SETUP_NO_SYSTEM_CHECK(OF, setup),
    SETUP_PROGRESS(OF, setup),
    SETUP_WORKLOADS_DIR(OF, setup),
};
#define OUTPUTS_AT offsetof(OF, outputs)
static const struct flag_group groups[] = {
    {.flags = flags, .count = FLAGS(flags)},
    {.flags = set_flags, .count = 1, .offset = offsetof(OF, loads)},
    DESIGN_FLAGS_ALONE(offsetof(OF, designs)),
    SETUP_PIN(offsetof(OF, setup)),
    OUTPUT_JSON(OUTPUTS_AT),
    OUTPUT_RESUME(OUTPUTS_AT),
    OUTPUT_PAGE(OUTPUTS_AT, result),
    {0},
};
#undef OF

static void begin(struct call *call)
{
    struct advise_options *options = call->options;
    options->setup = setup_default(call);
    options->setup.counters = COUNTERS_OFF;
    options->setup.min_time_ns = 2000000;
    options->setup.budget_ns = UINT64_C(60000000000);
    options->setup.kind = "advice";
    options->wishes.goal = CRITERIA;
    options->outputs.kind = OUTPUT_RESULT;
    options->outputs.keeps_cells = true;
    options->designs.refuses_settings = true;
    designs_select_all(&options->designs);
}

static int check_operands(const struct call *call, struct diag *diag)
{
    const char *dot = call->operand_count == 1 ? strrchr(call->operands[0], '.') : NULL;
    if (call->operand_count == 0)
        return diag_usage(diag, "advise: no load given; expected a workload or a trace, by its "
                                "name or as a file");
    if (call->operand_count > 1)
        return diag_usage(diag, "advise: '%s' is a second load; expected one", call->operands[1]);
    if (dot && strcmp(dot, ".log") == 0)
        return diag_usage(
            diag,
            "%.300s: a log, expected a trace or a workload: import it first, with "
            "'twbench import nginx %.300s -o TRACE.tt.xz', or as another of its kinds",
            call->operands[0], call->operands[0]);
    return DIAG_OK;
}

static int check_slack(const struct advise_options *options, struct diag *diag)
{
    if (options->slack && options->wishes.on_clock)
        return diag_usage(diag, "--slack: wake-ups are counted in virtual time; with --clock=real "
                                "the load itself may have --set=slack=");
    for (size_t i = 0; options->slack && i < options->loads.set_count; i++)
        if (strcmp(options->loads.sets[i].name, WORKLOAD_SLACK) == 0)
            return diag_usage(diag, "--slack and --set=slack: expected only one of them");
    return DIAG_OK;
}

static int check_clock(const struct advise_options *options, struct diag *diag)
{
    bool given =
        options->runners || options->threads > 0 || options->speed > 0 || options->duration_ns > 0;
    if (!options->wishes.on_clock)
        return given ? diag_usage(diag, "--runner, --threads, --speed and --duration are of the "
                                        "real clock: --clock=real is missing")
                     : DIAG_OK;
    if (options->wishes.between != PLAN_BETWEEN_UNASKED)
        return diag_usage(
            diag, "--between: with --clock=real the runner's own work lies between two calls");
    if (options->exact)
        return diag_usage(diag, "--exact: on the real clock every timer is late; --late=TIME "
                                "bounds the 99th percentile");
    if (options->setup.tick_ns > 0)
        return diag_usage(diag, "--tick: with --clock=real each runner has its own");
    if (options->designs.plugin_count > 0)
        return diag_usage(diag, "--plugin: with --clock=real expected designs of the list");
    if (options->outputs.resume)
        return diag_usage(diag, "--resume: not with --clock=real, which measures everything again");
    return DIAG_OK;
}

static int check(struct call *call, struct advise_options *options, struct diag *diag)
{
    int status = check_operands(call, diag);
    options->wishes.on_clock = options->clock == CLOCK_REAL;
    if (status == DIAG_OK && options->exact && options->wishes.late)
        status = diag_usage(diag, "--exact and --late: expected only one of them");
    if (status == DIAG_OK)
        status = check_clock(options, diag);
    if (status == DIAG_OK)
        status = check_slack(options, diag);
    if (status == DIAG_OK)
        status = wishes_finish(&options->wishes, diag);
    if (status == DIAG_OK)
        status = designs_finish(&options->designs, true, diag);
    return status == DIAG_OK ? outputs_check(call, &options->outputs, diag) : status;
}

static int run(struct call *call)
{
    struct diag diag;
    struct measuring *measuring;
    struct advise_options *options = call->options;
    const struct tw_design *designs[CANDIDATES_USUAL];
    int status = check(call, options, &diag);
    if (status != DIAG_OK) {
        designs_close(&options->designs);
        return command_fail(status, &diag);
    }
    options->setup.sets = options->loads.sets;
    options->setup.set_count = options->loads.set_count;
    options->setup.json = options->outputs.json;
    options->setup.resume = options->outputs.resume;
    struct advise_request request = {
        .setup = &options->setup,
        .deadline_ns = options->deadline_ns,
        .load = call->operands[0],
        .designs = options->designs.chosen,
        .design_count = options->designs.count,
        .runners = options->runners ? options->runners : "all",
        .threads = options->threads > 0 ? (uint32_t)options->threads : 1,
        .speed = options->speed > 0 ? options->speed : 1,
        .duration_ns = options->duration_ns,
        .tasks = options->tasks,
        .slack = options->slack,
        .wishes = options->wishes,
    };
    /* A run on the real clock takes real time. */
    if (options->wishes.on_clock && !options->designs.given) {
        request.designs = designs;
        request.design_count = CANDIDATES_USUAL;
        for (size_t i = 0; i < CANDIDATES_USUAL; i++)
            designs[i] = registry_find(candidates_usual[i]);
    }
    measuring = memory_take(1, sizeof *measuring);
    status = advising_run(&request, measuring, &diag);
    int exit_status =
        status == DIAG_OK || status == POOL_INTERRUPTED
            ? outputs_finish(call, &options->outputs, measuring->session.document, false, status)
            : command_fail(status, &diag);
    if (exit_status <= EXIT_FAILED && !evidence_knows(&measuring->evidence) && status == DIAG_OK)
        exit_status = EXIT_INCONCLUSIVE;
    advising_close(measuring);
    free(measuring);
    designs_close(&options->designs);
    return exit_status;
}

const struct command cmd_advise = {
    .name = "advise",
    .usage = "[FLAGS] TRACE|WORKLOAD",
    .summary = "Recommend a design and its settings for a load, by measurement.",
    .topic = "My server",
    .groups = groups,
    .common = " tasks for exact late slack memory tail between budget deadline impl plugin clock "
              "runner threads json html plots ",
    .size = sizeof(struct advise_options),
    .begin = begin,
    .run = run,
};
