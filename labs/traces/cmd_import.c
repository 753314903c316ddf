/* cmd_import.c - import: makes a trace of a log. */
#include "labs/traces/traces.h"

#include "harness/base/interrupt.h"
#include "harness/command/help.h"
#include "harness/command/outputs.h"
#include "harness/command/setup_flags.h"
#include "harness/measure/session/progress.h"
#include "labs/traces/import/tracefile.h"

#include <string.h>
#include <unistd.h>

struct cmd_import_options {
    struct outputs outputs;
    struct setup setup;
};

#define OF struct cmd_import_options
static const struct flag flags[] = {
    FLAG_FILE("-o", "TRACE.tt[.xz|.gz]", "the trace", OF, outputs.also[0]),
    FLAG_FILE("json", "FILE|-", "what was made of the log, as data", OF, outputs.json),
    FLAG_FILE("html", "FILE|-", "all of it as one page of HTML that loads nothing", OF,
              outputs.html),
    SETUP_PROGRESS(OF, setup),
};
#undef OF
static const struct flag_group groups[] = {
    {.flags = flags, .count = FLAGS(flags)},
    OUTPUT_FORCE(0),
    OUTPUT_STYLE(0),
    OUTPUT_EXPORTS(0, page),
    {0},
};

static void begin(struct call *call)
{
    struct cmd_import_options *options = call->options;
    options->outputs.also_flags[0] = "-o";
    options->outputs.to_stderr = true;
}

/* ---- Progress ------------------------------------------------------------------------------------ */

struct watch {
    struct progress progress;
    const struct interrupt *interrupt; /* NULL: a signal ends the process as it does any other */
    uint64_t shown_ns;
    const char *step;
};

/* Ten times a second is more than anybody reads. */
static bool watch_is_due(struct watch *watch)
{
    uint64_t now_ns = clock_read_ns(CLOCK_MONOTONIC);
    if (now_ns - watch->shown_ns < UINT64_C(100000000))
        return false;
    watch->shown_ns = now_ns;
    return true;
}

static bool watch_progress(void *ctx, uint64_t done, uint64_t total)
{
    enum { MEGABYTE = 1000000 };
    struct watch *watch = ctx;
    if (total > 0 && watch_is_due(watch))
        progress_step(&watch->progress, watch->step, (size_t)(done / MEGABYTE),
                      (size_t)(total / MEGABYTE));
    return watch->interrupt && interrupt_is_pending(watch->interrupt);
}

/* ---- Arguments ----------------------------------------------------------------------------------- */

static int take_arguments(const struct call *call, struct import_options *import, struct diag *diag)
{
    if (call->operand_count < 1)
        return diag_usage(diag, "import: expected KIND LOG|- -o TRACE.tt[.xz|.gz] [KEY=VALUE...]");
    const struct import_kind *kind;
    if (import_kind_take(call->operands[0], &kind, diag) != DIAG_OK)
        return DIAG_USAGE;
    import_options_init(import, kind);
    if (call->operand_count < 2)
        return diag_usage(diag, "import %s: expected a log, or - for standard input", kind->name);
    for (size_t i = 2; i < call->operand_count; i++) {
        int status = import_options_take(import, call->operands[i], diag);
        if (status != DIAG_OK)
            return status;
    }
    return DIAG_OK;
}

static int check_outputs(struct call *call, const struct outputs *outputs, struct diag *diag)
{
    if (!outputs->also[0])
        return diag_usage(diag, "import: -o is missing; expected -o TRACE.tt, .tt.xz or .tt.gz");
    int status = outputs_check(call, outputs, diag);
    return status == DIAG_OK ? tracefile_check(outputs->also[0], outputs->force, diag) : status;
}

/* ---- From log to trace --------------------------------------------------------------------------- */

static int log_open(struct textfile **log, const char *operand, struct diag *diag)
{
    if (strcmp(operand, "-") == 0)
        return textfile_open_descriptor(log, "standard input", STDIN_FILENO, diag);
    return textfile_open(log, operand, diag);
}

/* What is read is kept in files without a name, so here a signal may strike. */
static int read_log(const char *operand, struct import *import, struct watch *watch,
                    struct diag *diag)
{
    struct textfile *log;
    int status = log_open(&log, operand, diag);
    if (status != DIAG_OK)
        return status;
    watch->step = "reading, MB";
    status = import_read(import, log, watch_progress, watch, diag);
    progress_clear(&watch->progress);
    textfile_close(log);
    return status;
}

/* What is written has one, and must not stay when it is half done. */
static int write_trace(const struct outputs *outputs, struct import *import, struct watch *watch,
                       struct diag *diag)
{
    struct interrupt interrupt;
    const char *trace = outputs->also[0];
    if (strcmp(trace, "-") == 0)
        return import_write(import, "-", outputs->force, watch_progress, watch, diag);
    int status = interrupt_open(&interrupt, diag);
    if (status != DIAG_OK)
        return status;
    watch->interrupt = &interrupt;
    status = import_write(import, trace, outputs->force, watch_progress, watch, diag);
    watch->interrupt = NULL;
    interrupt_close(&interrupt);
    return status;
}

static int say(struct call *call, const struct import *import, struct diag *diag)
{
    const struct cmd_import_options *options = call->options;
    cJSON *json = import_json(import);
    int status = outputs_document(call, &options->outputs, json, diag);
    cJSON_Delete(json);
    return status;
}

static int import_log(struct call *call, const struct import_options *import_options,
                      struct diag *diag)
{
    const struct cmd_import_options *options = call->options;
    char directory[4096];
    struct import import;
    struct watch watch = {.interrupt = NULL};
    tracefile_directory(options->outputs.also[0], directory, sizeof directory);
    int status = import_open(&import, import_options, directory, diag);
    if (status != DIAG_OK)
        return status;
    progress_begin(&watch.progress, options->setup.progress, 1);
    status = read_log(call->operands[1], &import, &watch, diag);
    if (status == DIAG_OK)
        status = write_trace(&options->outputs, &import, &watch, diag);
    if (status == DIAG_OK)
        status = say(call, &import, diag);
    import_close(&import);
    return status;
}

static int run(struct call *call)
{
    struct diag diag;
    const struct cmd_import_options *options = call->options;
    struct import_options import_options = {.kind = NULL};
    int status = take_arguments(call, &import_options, &diag);
    if (status == DIAG_OK)
        status = check_outputs(call, &options->outputs, &diag);
    if (status == DIAG_OK)
        status = import_log(call, &import_options, &diag);
    import_options_free(&import_options);
    if (status == IMPORT_STOPPED) {
        fprintf(stderr, "twbench: interrupted; nothing was written\n");
        return EXIT_INTERRUPTED;
    }
    return status == DIAG_OK ? EXIT_OK : command_fail(status, &diag);
}

static void print_key(void *ctx, const char *name, const char *value, const char *help)
{
    char left[48];
    snprintf(left, sizeof left, "  %s=%s", name, value);
    help_row(ctx, left, help);
}

static void help(FILE *out)
{
    fprintf(out, "\nKinds of logs (plain, .gz or .xz), and the keys of each:\n");
    for (size_t i = 0; import_kinds[i]; i++) {
        fprintf(out, "\n");
        help_row(out, import_kinds[i]->name, import_kinds[i]->reads);
        import_keys_visit(import_kinds[i], print_key, out);
    }
}

const struct command cmd_import = {
    .name = "import",
    .usage = "[FLAGS] KIND LOG|- -o TRACE.tt[.xz|.gz] [KEY=VALUE...]",
    .summary = "Make a log of a program or kernel into a trace.",
    .topic = "Traces",
    .groups = groups,
    .size = sizeof(struct cmd_import_options),
    .begin = begin,
    .run = run,
    .help = help,
};
