/* cmd_import.c - import: makes a trace of a log. */
#include "harness/command/cli.h"

#include "harness/base/interrupt.h"
#include "labs/traces/import/tracefile.h"
#include "harness/command/help.h"
#include "harness/command/outputs.h"
#include "harness/measure/session/progress.h"
#include "labs/traces/import_json.h"

#include <string.h>
#include <unistd.h>

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

static int take_arguments(const struct options *options, struct import_options *import,
                          struct diag *diag)
{
    if (options->operand_count < 1)
        return diag_usage(diag, "import: expected KIND LOG|- -o TRACE.tt[.xz|.gz] [KEY=VALUE...]");
    const struct import_kind *kind;
    if (import_kind_take(options->operands[0], &kind, diag) != DIAG_OK)
        return DIAG_USAGE;
    import_options_init(import, kind);
    if (options->operand_count < 2)
        return diag_usage(diag, "import %s: expected a log, or - for standard input", kind->name);
    for (size_t i = 2; i < options->operand_count; i++) {
        int status = import_options_take(import, options->operands[i], diag);
        if (status != DIAG_OK)
            return status;
    }
    return DIAG_OK;
}

static int check_outputs(const struct options *options, struct diag *diag)
{
    if (!options->trace)
        return diag_usage(diag, "import: -o is missing; expected -o TRACE.tt, .tt.xz or .tt.gz");
    int status = outputs_check(options, diag);
    return status == DIAG_OK ? tracefile_check(options->trace, options->force, diag) : status;
}

/* ---- From log to trace --------------------------------------------------------------------------- */

static int log_open(struct textfile **log, const char *operand, struct diag *diag)
{
    if (strcmp(operand, "-") == 0)
        return textfile_open_descriptor(log, "standard input", STDIN_FILENO, diag);
    return textfile_open(log, operand, diag);
}

/* What is read is kept in files without a name, so here a signal may strike. */
static int read_log(const struct options *options, struct import *import, struct watch *watch,
                    struct diag *diag)
{
    struct textfile *log;
    int status = log_open(&log, options->operands[1], diag);
    if (status != DIAG_OK)
        return status;
    watch->step = "reading, MB";
    status = import_read(import, log, watch_progress, watch, diag);
    progress_clear(&watch->progress);
    textfile_close(log);
    return status;
}

/* What is written has one, and must not stay when it is half done. */
static int write_trace(const struct options *options, struct import *import, struct watch *watch,
                       struct diag *diag)
{
    struct interrupt interrupt;
    if (strcmp(options->trace, "-") == 0)
        return import_write(import, "-", options->force, watch_progress, watch, diag);
    int status = interrupt_open(&interrupt, diag);
    if (status != DIAG_OK)
        return status;
    watch->interrupt = &interrupt;
    status = import_write(import, options->trace, options->force, watch_progress, watch, diag);
    watch->interrupt = NULL;
    interrupt_close(&interrupt);
    return status;
}

static int say(const struct options *options, const struct import *import, struct diag *diag)
{
    cJSON *json = import_json(import);
    if (!json)
        return diag_run(diag, "no memory for the JSON");
    int status = outputs_document(options, json, diag);
    cJSON_Delete(json);
    return status;
}

static int import_log(const struct options *options, const struct import_options *import_options,
                      struct diag *diag)
{
    char directory[4096];
    struct import import;
    struct watch watch = {.interrupt = NULL};
    tracefile_directory(options->trace, directory, sizeof directory);
    int status = import_open(&import, import_options, directory, diag);
    if (status != DIAG_OK)
        return status;
    progress_begin(&watch.progress, options->setup.progress, 1);
    status = read_log(options, &import, &watch, diag);
    if (status == DIAG_OK)
        status = write_trace(options, &import, &watch, diag);
    if (status == DIAG_OK)
        status = say(options, &import, diag);
    import_close(&import);
    return status;
}

int cmd_import(const struct options *options)
{
    struct diag diag;
    struct import_options import_options = {.kind = NULL};
    int status = take_arguments(options, &import_options, &diag);
    if (status == DIAG_OK)
        status = check_outputs(options, &diag);
    if (status == DIAG_OK)
        status = import_log(options, &import_options, &diag);
    import_options_free(&import_options);
    if (status == IMPORT_STOPPED) {
        fprintf(stderr, "twbench: interrupted; nothing was written\n");
        return EXIT_INTERRUPTED;
    }
    return status == DIAG_OK ? EXIT_OK : cli_fail(status, &diag);
}

static void print_key(void *ctx, const char *name, const char *value, const char *help)
{
    char left[48];
    snprintf(left, sizeof left, "  %s=%s", name, value);
    help_row(ctx, left, help);
}

void cmd_import_help(FILE *out)
{
    fprintf(out, "\nKinds of logs (plain, .gz or .xz), and the keys of each:\n");
    for (size_t i = 0; import_kinds[i]; i++) {
        fprintf(out, "\n");
        help_row(out, import_kinds[i]->name, import_kinds[i]->reads);
        import_keys_visit(import_kinds[i], print_key, out);
    }
}
