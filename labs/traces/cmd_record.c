/* cmd_record.c - record: runs a command, records the timers, and imports the log. */
#include "labs/traces/traces.h"

#include "harness/base/file.h"
#include "harness/base/memory.h"
#include "harness/command/flags.h"
#include "labs/traces/record/record.h"

#include <unistd.h>

struct record_options {
    struct record_wishes wishes;
    const char *trace;
    bool force;
};

#define OF struct record_options
static const struct flag flags[] = {
    FLAG_FILE("-o", "TRACE.tt[.xz|.gz]", "the trace", OF, trace),
    FLAG_SWITCH("force", "overwrite files", OF, force),
    FLAG_TIME("duration", "end COMMAND after this time (default: it ends by itself or by Ctrl-C)",
              OF, wishes.duration_ns, 1000000),
    FLAG_FILE("log", "FILE",
              "where the log stays (default: it is removed once the trace is written)", OF,
              wishes.log),
    FLAG_FILE("library", "FILE",
              "libuv, libevent: the library's file (default: the one that is installed)", OF,
              wishes.library),
    FLAG_COUNT("buffer", "KB", "tracefs: memory for events, per processor (default 200000)", OF,
               wishes.buffer_kb, 1, UINT64_C(1) << 40),
};
#undef OF
static const struct flag_group groups[] = {{.flags = flags, .count = FLAGS(flags)}, {0}};

struct recording {
    const struct call *call;
    const struct record_options *options;
    const struct recorder *recorder;
    char trace[PATH_MAX];
    char log[PATH_MAX + 8];
    char clocks[PATH_MAX + 16];
    char **command; /* ends with NULL; owned */
};

/* ---- Arguments. ---------------------------------------------------------------------------------- */

static int copy_command(struct recording *recording, struct diag *diag)
{
    const struct call *call = recording->call;
    if (call->operand_count < 2)
        return diag_usage(diag,
                          "record %s: expected -- COMMAND, which runs while timers are recorded",
                          call->operands[0]);
    recording->command = memory_take(call->operand_count, sizeof *recording->command);
    for (size_t i = 1; i < call->operand_count; i++)
        recording->command[i - 1] = (char *)(uintptr_t)call->operands[i];
    return DIAG_OK;
}

static int check_files(const struct recording *recording, struct diag *diag)
{
    const struct record_options *options = recording->options;
    if (strcmp(recording->trace, "-") == 0)
        return diag_usage(diag,
                          "-o -: the command has standard output; expected -o TRACE.tt[.xz|.gz]");
    int status = import_check_path(recording->trace, options->force, diag);
    if (status != DIAG_OK || options->force)
        return status;
    status = file_refuse_existing(recording->log, "--force overwrites it", diag);
    if (status == DIAG_OK && recording->recorder->clocks)
        status = file_refuse_existing(recording->clocks, "--force overwrites it", diag);
    return status;
}

static int take_arguments(struct recording *recording, struct diag *diag)
{
    const struct record_options *options = recording->options;
    if (recording->call->operand_count < 1)
        return diag_usage(diag, "record: expected KIND [-o TRACE.tt] -- COMMAND");
    int status = recorder_take(recording->call->operands[0], &recording->recorder, diag);
    if (status != DIAG_OK)
        return status;
    const char *log = options->wishes.log;
    if (options->trace)
        snprintf(recording->trace, sizeof recording->trace, "%s", options->trace);
    else
        snprintf(recording->trace, sizeof recording->trace, "%s.tt.xz",
                 recording->call->operands[0]);
    snprintf(recording->log, sizeof recording->log, "%s%s", log ? log : recording->trace,
             log ? "" : ".log");
    snprintf(recording->clocks, sizeof recording->clocks, "%s.clocks", recording->log);
    status = copy_command(recording, diag);
    return status == DIAG_OK ? check_files(recording, diag) : status;
}

/* ---- From command to trace. ---------------------------------------------------------------------- */

static void say_end(const struct recording *recording, const struct record_end *end)
{
    fprintf(stderr, "twbench: %s: %" PRIu64 " lines of timers%s\n", recording->recorder->name,
            end->events, end->interrupted ? ", interrupted" : "");
    if (end->status != 0 && !end->cut)
        fprintf(stderr, "twbench: %s: exit status %d\n", recording->command[0], end->status);
}

static int import_log(struct recording *recording)
{
    char clocks[PATH_MAX + 32], output[] = "-o", force[] = "--force", name[32];
    char *words[6] = {name, recording->log, output, recording->trace};
    size_t count = 4;
    snprintf(name, sizeof name, "%s", recording->recorder->name);
    snprintf(clocks, sizeof clocks, "clocks=%s", recording->clocks);
    if (recording->options->force)
        words[count++] = force;
    if (recording->recorder->clocks)
        words[count++] = clocks;
    return command_call(&cmd_import, words, count, NULL, recording->log);
}

/* Events that are lost are missing on one processor from then on, and the others go on: no trace is made of that. */
static int check_end(const struct recording *recording, const struct record_end *end,
                     struct diag *diag)
{
    if (end->lost > 0)
        return diag_run(diag,
                        "%" PRIu64 " events were lost, and from then on a processor is missing: "
                        "expected a larger --buffer, or a shorter recording; the log stays in %s",
                        end->lost, recording->log);
    if (end->events == 0)
        return diag_run(diag, "no timer was seen while %s ran%s; the log stays in %s",
                        recording->command[0], end->interrupted ? ", until the interrupt" : "",
                        recording->log);
    return DIAG_OK;
}

static int finish(struct recording *recording, const struct record_end *end)
{
    struct diag diag;
    say_end(recording, end);
    int status = check_end(recording, end, &diag);
    if (status != DIAG_OK)
        return command_fail(status, &diag);
    int left = import_log(recording);
    if (left != EXIT_OK) {
        fprintf(stderr, "twbench: the log stays in %s\n", recording->log);
        return left;
    }
    if (!recording->options->wishes.log) {
        unlink(recording->log);
        if (recording->recorder->clocks)
            unlink(recording->clocks);
    }
    fprintf(stderr, "twbench: wrote %s\n", recording->trace);
    if (end->interrupted)
        return EXIT_INTERRUPTED;
    return end->status != 0 && !end->cut ? EXIT_FAILED : EXIT_OK;
}

static int run(struct call *call)
{
    struct diag diag;
    struct record_end end = {.status = 0};
    struct recording recording = {.call = call, .options = call->options};
    int status = take_arguments(&recording, &diag);
    if (status == DIAG_OK) {
        const struct record_request request = {recording.recorder, recording.command, recording.log,
                                               &recording.options->wishes};
        status = record_run(&request, &end, &diag);
    }
    int left = status == DIAG_OK ? finish(&recording, &end) : command_fail(status, &diag);
    free(recording.command);
    return left;
}

static void help(FILE *out)
{
    fprintf(out, "\nKinds of recordings:\n");
    for (const struct recorder *recorder = recorders; recorder->name; recorder++)
        help_row(out, recorder->name, recorder->records);
}

const struct command cmd_record = {
    .name = "record",
    .usage = "[FLAGS] KIND [-o TRACE.tt[.xz|.gz]] -- COMMAND",
    .summary = "Record the timers of nginx, libuv, libevent or the kernel while a command runs.",
    .topic = "Traces",
    .groups = groups,
    .size = sizeof(struct record_options),
    .run = run,
    .help = help,
    .any_operands = true,
};
