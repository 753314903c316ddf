/* cmd_history.c - history: results of many commits on a line, and the commits at which figures change. */
#include "harness/ask/history/history.h"
#include "harness/base/json.h"
#include "harness/base/lists.h"
#include "harness/cli/cli.h"
#include "harness/cli/outputs.h"
#include "harness/measure/session/origin.h"
#include "harness/tell/result/document.h"

#include <dirent.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

static int add_file(struct history *history, const char *path, struct diag *diag)
{
    struct result_document *result = NULL;
    int status = result_load(path, &result, diag);
    if (status == DIAG_OK)
        status = history_add(history, result_json(result), path, diag);
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

static int gather(const struct options *options, struct history *history, struct diag *diag)
{
    int status = options->operand_count > 0
                     ? DIAG_OK
                     : diag_usage(diag, "history: no operand given; expected a directory of "
                                        "results, or result files");
    for (size_t i = 0; i < options->operand_count && status == DIAG_OK; i++)
        status = add_operand(history, options->operands[i], diag);
    return status;
}

static int tell(const struct options *options, struct history *history, struct diag *diag)
{
    struct result_document *head = NULL;
    struct result_origin origin;
    origin_fill(&origin, &options->setup);
    int status = result_new(&origin, &head, diag);
    if (status != DIAG_OK)
        return status;
    cJSON *document = result_begin(result_json(head), "history");
    status = document ? history_write(history, document, diag)
                      : diag_run(diag, "no memory for the history");
    if (status == DIAG_OK)
        status = outputs_document(options, document, diag);
    cJSON_Delete(document);
    result_free(head);
    return status;
}

int cmd_history(const struct options *options)
{
    struct diag diag;
    struct history *history = NULL;
    struct history_wishes wishes = options->history;
    if (!(wishes.least > 0))
        wishes.least = HISTORY_LEAST;
    int status = outputs_check(options, &diag);
    if (status == DIAG_OK)
        status = history_open(&wishes, &history, &diag);
    if (status == DIAG_OK)
        status = gather(options, history, &diag);
    if (status == DIAG_OK)
        status = tell(options, history, &diag);
    history_free(history);
    return status == DIAG_OK ? EXIT_OK : cli_fail(status, &diag);
}
