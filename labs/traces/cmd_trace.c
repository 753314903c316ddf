/* cmd_trace.c - trace: shows what is in a trace. */
#include "labs/traces/traces.h"

#include "harness/command/outputs.h"
#include "harness/command/setup_flags.h"

struct trace_options {
    struct outputs outputs;
    struct setup setup;
};

#define OF struct trace_options
static const struct flag flags[] = {
    FLAG_FILE("json", "FILE|-", "what is in the trace, as data", OF, outputs.json),
    SETUP_WORKLOADS_DIR(OF, setup),
};
#undef OF
static const struct flag_group groups[] = {
    {.flags = flags, .count = FLAGS(flags)},
    OUTPUT_FORCE(0),
    OUTPUT_PLOTS(0),
    OUTPUT_HTML(0),
    OUTPUT_STYLE(0),
    OUTPUT_EXPORTS(0, page),
    {0},
};

static void begin(struct call *call)
{
    struct trace_options *options = call->options;
    options->setup = setup_default(call);
}

struct subject {
    char name[256];
    struct trace_header header;
    struct census census;
};

static int subject_read(const struct call *call, struct subject *subject, struct diag *diag)
{
    char path[4096];
    struct textfile *file;
    const struct trace_options *options = call->options;
    if (!trace_find(call->operands[0], options->setup.workload_directory, path, sizeof path))
        return diag_usage(diag, "trace: no trace '%s'; expected FILE.tt[.xz|.gz], ./FILE or a name",
                          call->operands[0]);
    int status = textfile_open(&file, path, diag);
    if (status != DIAG_OK)
        return status;
    status = census_of_trace(file, &subject->header, &subject->census, diag);
    textfile_close(file);
    trace_name(path, subject->name, sizeof subject->name);
    return status;
}

/* Before anything is read. */
static int check(struct call *call, struct diag *diag)
{
    const struct trace_options *options = call->options;
    if (call->operand_count != 1)
        return command_operands(call, "one FILE.tt[.xz|.gz], or a name of 'twbench list'", diag);
    if (options->outputs.plots && options->outputs.plot_format == PLOT_DUMB)
        return diag_usage(diag, "--plot-format: dumb given; expected svg, png or pdf, because the "
                                "terminal has the curve already");
    return outputs_check(call, &options->outputs, diag);
}

static int leave(struct call *call, const struct subject *subject, struct diag *diag)
{
    const struct trace_options *options = call->options;
    cJSON *record = census_record(subject->name, subject->header.source, &subject->census);
    int status = outputs_document(&options->outputs, record, diag);
    cJSON_Delete(record);
    return status;
}

static int run(struct call *call)
{
    struct diag diag;
    struct subject subject = {.name = ""};
    int status = check(call, &diag);
    if (status == DIAG_OK)
        status = subject_read(call, &subject, &diag);
    if (status == DIAG_OK)
        status = leave(call, &subject, &diag);
    census_free(&subject.census);
    return status == DIAG_OK ? EXIT_OK : command_fail(status, &diag);
}

const struct command cmd_trace = {
    .name = "trace",
    .usage = "[FLAGS] FILE|NAME",
    .summary = "Show what is in a trace: operations, endings, delays, armed timers over time.",
    .topic = "Traces",
    .groups = groups,
    .size = sizeof(struct trace_options),
    .begin = begin,
    .run = run,
};
