/* cmd_history.c - history: results of many commits on a line, and the commits at which figures change. */
#include "labs/fleet/fleet.h"

#include "harness/command/outputs.h"
#include "harness/command/setup_flags.h"
#include "harness/compare/comparison.h"
#include "harness/measure/session/origin.h"
#include "harness/tell/result/document.h"
#include "labs/fleet/history.h"

#include <dirent.h>
#include <sys/stat.h>

struct history_options {
    struct outputs outputs;
    struct setup setup;
    struct history_wishes wishes;
};

static int take_least(struct call *call, void *of, const char *flag, const char *value,
                      struct diag *diag)
{
    struct history_options *options = of;
    (void)call;
    if (!share_parse(value, &options->wishes.least) || !(options->wishes.least > 0))
        return diag_usage(diag, "%s: '%s' given; expected a percentage above 0, such as 2%%", flag,
                          value);
    return DIAG_OK;
}

#define OF struct history_options
static const struct flag flags[] = {
    FLAG_FILE("reference", "DESIGN",
              "times are ratios to this design of the same run (default heap)", OF, wishes.anchor),
    FLAG_FILE("since", "COMMIT|DATE", "report only changes since this commit or date (2026-11-22)",
              OF, wishes.since),
    FLAG_FILE("commits", "FILE|-",
              "order runs by this list of commits, oldest first (default: by date)", OF,
              wishes.commits),
    FLAG_SWITCH("propose-limits", "propose limits for twbench.json from the spread of each time",
                OF, wishes.propose),
    FLAG_BY("least", "PERCENT", "smallest change of a time to report (default 1%)", take_least),
};
#undef OF
static const struct flag_group groups[] = {
    {.flags = flags, .count = FLAGS(flags)},
    OUTPUT_JSON(0),
    OUTPUT_PAGE(0, page),
    {0},
};

static void begin(struct call *call)
{
    struct history_options *options = call->options;
    options->setup = setup_default(call);
    options->wishes.least = HISTORY_LEAST;
}

static int add_file(struct history *history, const char *path, struct diag *diag)
{
    struct result_document *result = NULL;
    int status = result_load(path, &result, diag);
    if (status == DIAG_OK)
        history_add(history, result_json(result), path);
    result_free(result);
    return status;
}

static int is_json(const struct dirent *entry)
{
    size_t length = strlen(entry->d_name);
    return length > 5 && strcmp(entry->d_name + length - 5, ".json") == 0;
}

static int add_directory(struct history *history, const char *path, struct diag *diag)
{
    struct dirent **entries;
    int count = scandir(path, &entries, is_json, alphasort), status = DIAG_OK;
    if (count < 0)
        return diag_usage(diag, "%s: cannot be read as a directory", path);
    if (count == 0)
        status = diag_usage(diag, "%s: no file in it ends in .json", path);
    for (int i = 0; i < count; i++) {
        char file[4096];
        snprintf(file, sizeof file, "%s/%s", path, entries[i]->d_name);
        if (status == DIAG_OK)
            status = add_file(history, file, diag);
        free(entries[i]);
    }
    free(entries);
    return status;
}

static int add_operand(struct history *history, const char *path, struct diag *diag)
{
    struct stat about;
    bool is_directory = stat(path, &about) == 0 && S_ISDIR(about.st_mode);
    return is_directory ? add_directory(history, path, diag) : add_file(history, path, diag);
}

static int gather(const struct call *call, struct history *history, struct diag *diag)
{
    int status = call->operand_count > 0
                     ? DIAG_OK
                     : diag_usage(diag, "history: no operand given; expected a directory of "
                                        "results, or result files");
    for (size_t i = 0; i < call->operand_count && status == DIAG_OK; i++)
        status = add_operand(history, call->operands[i], diag);
    return status;
}

static int tell(struct call *call, struct history *history, struct diag *diag)
{
    const struct history_options *options = call->options;
    struct result_origin origin;
    origin_fill(&origin, &options->setup);
    cJSON *head = result_head(&origin), *document = result_begin(head, "history");
    int status = history_write(history, document, diag);
    if (status == DIAG_OK)
        status = outputs_document(&options->outputs, document, diag);
    cJSON_Delete(document);
    cJSON_Delete(head);
    return status;
}

static int run(struct call *call)
{
    struct diag diag;
    struct history *history = NULL;
    const struct history_options *options = call->options;
    int status = outputs_check(call, &options->outputs, &diag);
    if (status == DIAG_OK)
        status = history_open(&options->wishes, &history, &diag);
    if (status == DIAG_OK)
        status = gather(call, history, &diag);
    if (status == DIAG_OK)
        status = tell(call, history, &diag);
    history_free(history);
    return status == DIAG_OK ? EXIT_OK : command_fail(status, &diag);
}

const struct command cmd_history = {
    .name = "history",
    .usage = "[FLAGS] DIR|RESULT.json ...",
    .summary = "At which commit did a figure change?  Shows results of many commits in order.",
    .topic = "My CI",
    .groups = groups,
    .size = sizeof(struct history_options),
    .begin = begin,
    .run = run,
};
