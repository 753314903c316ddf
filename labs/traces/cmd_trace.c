/* cmd_trace.c - trace: shows what is in a trace, and fits a workload to it. */
#include "harness/command/cli.h"
#include "harness/command/outputs.h"

#include "harness/base/file.h"
#include "harness/base/json.h"
#include "labs/traces/fit.h"
#include "labs/traces/census_record.h"

#include <string.h>

struct subject {
    char name[256];
    struct trace_header header;
    struct census census;
};

static int subject_read(const struct options *options, struct subject *subject, struct diag *diag)
{
    char path[4096];
    struct textfile *file;
    const char *operand = options->operands[0];
    if (!trace_find(operand, options->setup.workload_directory, path, sizeof path))
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

static void print_json(FILE *out, const void *ctx)
{
    char *text = cJSON_Print(ctx);
    if (text)
        fprintf(out, "%s\n", text);
    cJSON_free(text);
}

/* ---- The fit. -------------------------------------------------------------------------------- */

/* The file is written when the workload has been played, and what it does goes beside the trace. */
static int fit(const struct options *options, const struct subject *subject, cJSON *record,
               struct diag *diag)
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
        status = file_replace(options->fit, print_json, workload, diag);
    }
    cJSON_Delete(workload);
    return status;
}

/* ---- The command. ---------------------------------------------------------------------------- */

/* Before anything is read. */
static int check(const struct options *options, struct diag *diag)
{
    if (options->operand_count != 1)
        return diag_usage(diag, "trace: %zu traces given; expected one FILE.tt[.xz|.gz], or a name",
                          options->operand_count);
    if (options->plots && options->plot_format == PLOT_DUMB)
        return diag_usage(diag, "--plot-format: dumb given; expected svg, png or pdf, because the "
                                "terminal has the curve already");
    return outputs_check(options, diag);
}

/* What is known of the trace is left even when no workload fits it. */
static int leave(const struct options *options, const struct subject *subject, cJSON *record,
                 struct diag *diag)
{
    struct diag fit_diag;
    int fitted = options->fit ? fit(options, subject, record, &fit_diag) : DIAG_OK;
    int status = outputs_document(options, record, diag);
    if (status == DIAG_OK && fitted != DIAG_OK)
        *diag = fit_diag;
    return status == DIAG_OK ? fitted : status;
}

int cmd_trace(const struct options *options)
{
    struct diag diag;
    struct subject subject = {.name = ""};
    int status = check(options, &diag);
    if (status == DIAG_OK)
        status = subject_read(options, &subject, &diag);
    if (status == DIAG_OK) {
        cJSON *record = census_record(subject.name, subject.header.source, &subject.census);
        status = record ? leave(options, &subject, record, &diag)
                        : diag_run(&diag, "no memory for the census");
        cJSON_Delete(record);
    }
    census_free(&subject.census);
    return status == DIAG_OK ? EXIT_OK : cli_fail(status, &diag);
}
