/* cmd_probe.c - probe: one cell timed in this process, as one line of JSON. */
#include "harness/command/command.h"

#include "harness/base/memory.h"
#include "harness/base/units.h"
#include "harness/command/load_flags.h"
#include "harness/command/setup_flags.h"
#include "harness/compare/blocks.h"
#include "harness/compare/comparison.h"
#include "harness/measure/run/sample.h"
#include "harness/measure/workload/oracle.h"
#include "harness/measure/workload/workload.h"

struct probe_options {
    struct setup setup;
    struct designs designs;
    struct loads loads;
    uint64_t samples;
    uint64_t passes; /* of a sample; 0: by the time it takes at least */
    double pace_ns;  /* the core's full pace; 0: not known */
    bool dragged;    /* --drag was given */
    double drag_share;
};

static int take_pace(struct call *call, void *of, const char *flag, const char *value,
                     struct diag *diag)
{
    struct probe_options *options = of;
    uint64_t pace_ns;
    (void)call;
    int status = units_parse_time(value, flag, &pace_ns, diag);
    if (status == DIAG_OK)
        options->pace_ns = (double)pace_ns;
    return status;
}

static int take_drag(struct call *call, void *of, const char *flag, const char *value,
                     struct diag *diag)
{
    struct probe_options *options = of;
    (void)call;
    options->dragged = true;
    if (share_parse(value, &options->drag_share))
        return DIAG_OK;
    return diag_usage(diag, "%s: %s given; expected a share, as in 5%%", flag, value);
}

#define OF struct probe_options
static const struct flag flags[] = {
    SETUP_SEED(OF, setup),
    SETUP_TICK(OF, setup),
    SETUP_MAX_PENDING(OF, setup),
    SETUP_MIN_TIME(OF, setup, "least time of one sample (default 250us)"),
    FLAG_COUNT("samples", "N", "samples of a process, the fastest of which counts (default 5)", OF,
               samples, 1, SAMPLE_MAX),
    FLAG_COUNT("passes", "N", "passes of a sample (default: as many as --min-time takes here)", OF,
               passes, 0, UINT64_C(1) << 40),
    SETUP_PATIENCE(OF, setup),
    FLAG_BY("pace", "TIME",
            "the core's full pace, as another probe told it (default: not waited for)", take_pace),
    FLAG_BY("drag", "SHARE", "slow the design down by that share of its time, for selftest",
            take_drag),
    SETUP_WORKLOADS_DIR(OF, setup),
};
#undef OF
static const struct flag_group groups[] = {
    DESIGN_FLAGS(offsetof(struct probe_options, designs)),
    LOAD_FLAGS(offsetof(struct probe_options, loads)),
    {.flags = flags, .count = FLAGS(flags)},
    {0},
};

static void begin(struct call *call)
{
    struct probe_options *options = call->options;
    options->setup = setup_default(call);
    options->setup.min_time_ns = 250000;
    options->samples = 5;
    designs_select_all(&options->designs);
}

static int probe_request(const struct call *call, struct workload_request *request,
                         struct diag *diag)
{
    const struct probe_options *options = call->options;
    const struct loads *loads = &options->loads;
    if (call->operand_count > 0)
        return diag_usage(diag, "%s: probe takes no operands", call->operands[0]);
    if (options->designs.count != 1 || loads->workload_count != 1 || loads->task_count > 1)
        return diag_usage(diag,
                          "probe: expected one --impl, one --workload and at most one --tasks");
    *request = (struct workload_request){
        .workload = loads->workloads[0],
        .directory = options->setup.workload_directory,
        .tasks = loads->task_count ? loads->tasks[0] : 0,
        .tick_ns = options->setup.tick_ns,
        .seed = options->setup.seed,
        .settings = loads->sets,
        .setting_count = loads->set_count,
    };
    return DIAG_OK;
}

static int probe_plan(const struct probe_options *options, struct plan *plan, struct diag *diag)
{
    struct plan_selection selection =
        loads_selection(&options->loads, &options->designs, options->setup.workload_directory);
    int status = plan_make(&selection, plan, diag);
    if (status == DIAG_OK && plan->cell_count != 1)
        return diag_usage(diag, "probe: %zu cells asked for; expected one value of each parameter",
                          plan->cell_count);
    return status;
}

static void print_answer(cJSON *answer)
{
    char *text = cJSON_PrintUnformatted(answer);
    cJSON_Delete(answer);
    puts(text);
    cJSON_free(text);
}

/* Others of the stream for the passes of all samples, or for so many that a processor cannot learn them. */
static void make_passes(const struct probe_options *options, const struct workload_request *request,
                        struct stream *stream)
{
    uint64_t wanted = STREAM_FRESH_OPERATIONS / (stream_operations(stream) + 1) + 1;
    uint64_t passes = options->samples * options->passes;
    if (wanted > 1)
        workload_add_passes(request, stream, sample_warmup(options->passes),
                            passes > 0 && passes < wanted ? passes : wanted);
}

static void take_series(const struct probe_options *options, const struct plan *plan,
                        struct stream *stream, struct sample_series *series)
{
    const char *layout = getenv(LAYOUT_VARIABLE);
    sample_take_apart(
        &(struct sample_request){
            .plan = &plan->cells[0],
            .stream = stream,
            .samples = options->samples,
            .passes = options->passes,
            .min_time_ns = options->setup.min_time_ns,
            .pace_ns = options->pace_ns,
            .patience_ns = options->setup.patience_ns,
            .heap = layout ? strtoull(layout, NULL, 10) : 0,
            .dragged = options->dragged,
            .drag_share = options->drag_share,
        },
        options->setup.memory_limit_bytes, series);
    print_answer(probe_answer(series, stream, (size_t)options->samples));
}

static int run(struct call *call)
{
    struct diag diag;
    struct workload_request request;
    struct plan plan = {0};
    struct stream *stream = NULL;
    struct probe_options *options = call->options;
    struct sample_series *series = memory_take(1, sizeof *series);
    int status = designs_finish(&options->designs, false, &diag);
    loads_finish(&options->loads, &options->designs, false);
    if (status == DIAG_OK)
        status = probe_request(call, &request, &diag);
    if (status == DIAG_OK)
        status = probe_plan(options, &plan, &diag);
    if (status == DIAG_OK)
        status = workload_stream(&request, &stream, &diag);
    if (status == DIAG_OK && options->setup.max_pending > 0)
        status = oracle_cap(stream, (uint32_t)options->setup.max_pending, &diag);
    if (status == DIAG_OK) {
        make_passes(options, &request, stream);
        take_series(options, &plan, stream, series);
    }
    int exit_status = status != DIAG_OK              ? command_fail(status, &diag)
                      : series->status == OUTCOME_OK ? EXIT_OK
                                                     : EXIT_FAILED;
    stream_free(stream);
    plan_free(&plan);
    designs_close(&options->designs);
    free(series);
    return exit_status;
}

/* Not listed: compare calls it. */
const struct command cmd_probe = {
    .name = "probe",
    .usage = "[FLAGS]",
    .summary = "Time one cell and print a line of JSON, for compare.",
    .groups = groups,
    .size = sizeof(struct probe_options),
    .begin = begin,
    .run = run,
};
