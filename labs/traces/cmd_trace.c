/* cmd_trace.c - trace: shows what is in a trace, and fits a workload to it. */
#include "labs/traces/traces.h"

#include "harness/base/file.h"
#include "harness/base/json.h"
#include "harness/command/outputs.h"
#include "harness/command/setup_flags.h"
#include "labs/traces/fit.h"

#include <string.h>

struct trace_options {
    struct outputs outputs;
    struct setup setup;
};

#define OF struct trace_options
static const struct flag flags[] = {
    FLAG_FILE("json", "FILE|-", "what is in the trace, as data", OF, outputs.json),
    FLAG_FILE("fit", "FILE|-",
              "write a workload file of the same mix, which scales to other numbers of tasks", OF,
              outputs.also[0]),
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
    options->outputs.also_flags[0] = "--fit";
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
        return diag_usage(diag,
                          "%s: there is no such trace; expected FILE.tt[.xz|.gz], or a name of "
                          "'twbench list'",
                          path);
    int status = textfile_open(&file, path, diag);
    if (status != DIAG_OK)
        return status;
    status = census_of_trace(file, &subject->header, &subject->census, diag);
    textfile_close(file);
    trace_name(path, subject->name, sizeof subject->name);
    return status;
}

/* The file is written when the workload has been played, and what it does goes beside the trace. */
static int fit(const char *path, const struct subject *subject, cJSON *record, struct diag *diag)
{
    cJSON *workload;
    struct census census;
    int status =
        fit_workload(&subject->census, subject->name, subject->header.source, &workload, diag);
    if (status != DIAG_OK)
        return status;
    status = fit_census(workload, &census, diag);
    if (status == DIAG_OK) {
        json_add(record, "fit", census_record(subject->name, "", &census));
        census_free(&census);
        status = json_save(path, workload, diag);
    }
    cJSON_Delete(workload);
    return status;
}

/* Before anything is read. */
static int check(struct call *call, struct diag *diag)
{
    const struct trace_options *options = call->options;
    if (call->operand_count != 1)
        return diag_usage(diag, "trace: %zu traces given; expected one FILE.tt[.xz|.gz], or a name",
                          call->operand_count);
    if (options->outputs.plots && options->outputs.plot_format == PLOT_DUMB)
        return diag_usage(diag, "--plot-format: dumb given; expected svg, png or pdf, because the "
                                "terminal has the curve already");
    return outputs_check(call, &options->outputs, diag);
}

/* What is known of the trace is left even when no workload fits it. */
static int leave(struct call *call, const struct subject *subject, struct diag *diag)
{
    const struct trace_options *options = call->options;
    struct diag fit_diag;
    cJSON *record = census_record(subject->name, subject->header.source, &subject->census);
    const char *path = options->outputs.also[0];
    int fitted = path ? fit(path, subject, record, &fit_diag) : DIAG_OK;
    int status = outputs_document(call, &options->outputs, record, diag);
    cJSON_Delete(record);
    if (status == DIAG_OK && fitted != DIAG_OK)
        *diag = fit_diag;
    return status == DIAG_OK ? fitted : status;
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
