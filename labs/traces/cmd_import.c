/* cmd_import.c - import: makes a trace of a log. */
#include "labs/traces/traces.h"

#include "harness/command/flags.h"
#include "harness/command/outputs.h"

#include <unistd.h>

#define OF struct outputs
static const struct flag flags[] = {
    FLAG_FILE("-o", "TRACE.tt[.xz|.gz]", "the trace", OF, also[0]),
    FLAG_FILE("json", "FILE|-", "what the log became, as JSON", OF, json),
    FLAG_FILE("html", "FILE|-", "one self-contained page of HTML", OF, html),
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
    struct outputs *outputs = call->options;
    outputs->also_flags[0] = "-o";
    outputs->to_stderr = true;
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
    return status == DIAG_OK ? import_check_path(outputs->also[0], outputs->force, diag) : status;
}

/* ---- From log to trace --------------------------------------------------------------------------- */

static int read_log(const char *operand, struct import *import, struct diag *diag)
{
    struct textfile *log;
    int status = strcmp(operand, "-") == 0
                     ? textfile_open_descriptor(&log, "standard input", STDIN_FILENO, diag)
                     : textfile_open(&log, operand, diag);
    if (status != DIAG_OK)
        return status;
    status = import_read(import, log, diag);
    textfile_close(log);
    return status;
}

static int say(struct call *call, const struct import *import, struct diag *diag)
{
    cJSON *json = import_json(import);
    int status = outputs_document(call->options, json, diag);
    cJSON_Delete(json);
    return status;
}

static int run(struct call *call)
{
    struct diag diag;
    const struct outputs *outputs = call->options;
    struct import_options options;
    struct import import;
    int status = take_arguments(call, &options, &diag);
    if (status == DIAG_OK)
        status = check_outputs(call, outputs, &diag);
    if (status != DIAG_OK)
        return command_fail(status, &diag);
    import_open(&import, &options);
    status = read_log(call->operands[1], &import, &diag);
    if (status == DIAG_OK)
        status = import_write(&import, outputs->also[0], &diag);
    if (status == DIAG_OK)
        status = say(call, &import, &diag);
    import_close(&import);
    return status == DIAG_OK ? EXIT_OK : command_fail(status, &diag);
}

static void help(FILE *out)
{
    fprintf(out, "\nKinds of logs (plain, .gz or .xz), and the keys of each:\n");
    for (size_t i = 0; import_kinds[i]; i++) {
        fprintf(out, "\n");
        help_row(out, import_kinds[i]->name, import_kinds[i]->reads);
        import_keys_help(import_kinds[i], out);
    }
}

const struct command cmd_import = {
    .name = "import",
    .usage = "[FLAGS] KIND LOG|- -o TRACE.tt[.xz|.gz] [KEY=VALUE...]",
    .summary = "Convert a log of a program or kernel into a trace.",
    .topic = "Traces",
    .groups = groups,
    .size = sizeof(struct outputs),
    .begin = begin,
    .run = run,
    .help = help,
};
