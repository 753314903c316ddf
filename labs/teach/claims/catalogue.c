/* catalogue.c - loads experiment files, and selects claims by name. */
#include "labs/teach/claims/claims.h"

#include "harness/base/file.h"
#include "harness/base/json.h"
#include "harness/base/memory.h"

#include <dirent.h>
#include <strings.h>

/* ---- A file. --------------------------------------------------------------------------------- */

static int parse(const char *text, size_t size, const char *path, struct experiment **out,
                 struct diag *diag)
{
    struct experiment *experiment = memory_take(1, sizeof *experiment);
    struct reader reader = {path, DIAG_OK, diag};
    experiment->path = memory_text(path);
    experiment->texts = cJSON_CreateArray();
    reader.status = jsontext_read(path, text, size, "an experiment file", &experiment->json, diag);
    if (reader.status == DIAG_OK && experiment_read(&reader, experiment) == DIAG_OK)
        experiment->pictures = pictures_read(
            &reader, experiment, cJSON_GetObjectItemCaseSensitive(experiment->json, "pictures"));
    if (reader.status == DIAG_OK)
        *out = experiment;
    else
        experiment_free(experiment);
    return reader.status;
}

int experiment_parse(const char *text, const char *path, struct experiment **out, struct diag *diag)
{
    return parse(text, strlen(text), path, out, diag);
}

int experiment_load(const char *path, struct experiment **out, struct diag *diag)
{
    char *text;
    size_t size;
    int status = file_read(path, &text, &size, diag);
    if (status != DIAG_OK)
        return status;
    status = parse(text, size, path, out, diag);
    free(text);
    return status;
}

void experiment_free(struct experiment *experiment)
{
    if (!experiment)
        return;
    cJSON_Delete(experiment->json);
    cJSON_Delete(experiment->texts);
    free(experiment->path);
    free(experiment->pictures);
    free(experiment);
}

/* ---- A folder. ------------------------------------------------------------------------------- */

static int is_experiment(const struct dirent *entry)
{
    size_t length = strlen(entry->d_name);
    return entry->d_name[0] != '.' && length > 5 &&
           strcmp(entry->d_name + length - 5, ".json") == 0;
}

/* "T6" before "T10": the letters, then the number behind them. */
static int compare_ids(const void *left, const void *right)
{
    const char *a = (*(struct experiment *const *)left)->id;
    const char *b = (*(struct experiment *const *)right)->id;
    static const char digits[] = "0123456789";
    size_t head_a = strcspn(a, digits), head_b = strcspn(b, digits);
    /* Claims first; what else there is goes behind them. */
    if (head_a != head_b || strncmp(a, b, head_a) != 0)
        return -strcmp(a, b);
    long number_a = strtol(a + head_a, NULL, 10), number_b = strtol(b + head_b, NULL, 10);
    return (number_a > number_b) - (number_a < number_b);
}

static int refuse_twins(const struct catalogue *catalogue, struct diag *diag)
{
    for (size_t i = 1; i < catalogue->count; i++)
        if (strcmp(catalogue->items[i - 1]->id, catalogue->items[i]->id) == 0)
            return diag_usage(diag, "%s: id: '%s' is that of %s too", catalogue->items[i]->path,
                              catalogue->items[i]->id, catalogue->items[i - 1]->path);
    return DIAG_OK;
}

static int load_all(const char *directory, struct dirent **entries, size_t count,
                    struct catalogue *out, struct diag *diag)
{
    int status = DIAG_OK;
    out->items = memory_take(count + 1, sizeof(struct experiment *));
    for (size_t i = 0; i < count && status == DIAG_OK; i++) {
        char path[4400];
        snprintf(path, sizeof path, "%s/%s", directory, entries[i]->d_name);
        status = experiment_load(path, &out->items[out->count], diag);
        out->count += status == DIAG_OK;
    }
    if (status != DIAG_OK)
        return status;
    qsort(out->items, out->count, sizeof(struct experiment *), compare_ids);
    return refuse_twins(out, diag);
}

static bool is_wanted(const struct experiment *experiment, const char *const *ids, size_t count)
{
    bool wanted = count == 0;
    for (size_t i = 0; i < count; i++)
        wanted = wanted || strcasecmp(ids[i], experiment->id) == 0;
    return wanted;
}

static int check_ids(const struct catalogue *catalogue, const char *directory,
                     const char *const *ids, size_t id_count, struct diag *diag)
{
    for (size_t i = 0; i < id_count; i++) {
        bool known = false;
        for (size_t c = 0; c < catalogue->count; c++)
            known = known || strcasecmp(ids[i], catalogue->items[c]->id) == 0;
        if (!known)
            return diag_usage(diag, "no claim '%.40s' in %s; expected an id such as T6", ids[i],
                              directory);
    }
    return DIAG_OK;
}

static void select_wanted(struct catalogue *catalogue, const char *const *ids, size_t id_count)
{
    size_t kept = 0;
    for (size_t i = 0; i < catalogue->count; i++) {
        if (is_wanted(catalogue->items[i], ids, id_count))
            catalogue->items[kept++] = catalogue->items[i];
        else
            experiment_free(catalogue->items[i]);
    }
    catalogue->count = kept;
}

int catalogue_load(const char *directory, const char *const *ids, size_t id_count,
                   struct catalogue *out, struct diag *diag)
{
    struct dirent **entries = NULL;
    *out = (struct catalogue){NULL, 0};
    int found = scandir(directory, &entries, is_experiment, alphasort);
    if (found < 0)
        return diag_usage(diag, "%s: %s; expected a folder of experiment files", directory,
                          strerror(errno));
    int status = load_all(directory, entries, (size_t)found, out, diag);
    for (int i = 0; i < found; i++)
        free(entries[i]);
    free(entries);
    if (status == DIAG_OK && out->count == 0)
        status = diag_usage(diag, "%s: no experiment file (*.json) in it", directory);
    if (status == DIAG_OK)
        status = check_ids(out, directory, ids, id_count, diag);
    if (status == DIAG_OK)
        select_wanted(out, ids, id_count);
    return status;
}

void catalogue_free(struct catalogue *catalogue)
{
    for (size_t i = 0; i < catalogue->count; i++)
        experiment_free(catalogue->items[i]);
    free(catalogue->items);
    *catalogue = (struct catalogue){NULL, 0};
}
