/* rubric.c - reads a rubric. */
#include "labs/lab/rubric.h"

#include "harness/base/text.h"
#include "impls/registry.h"

#include <sys/stat.h>

const char *const rubric_figures[] = {"work", "longest", "bytes", "instructions", NULL};

/* Where a value stands, for messages. */
struct place {
    const char *file;
    char at[80];
    struct diag *diag;
};

/* "name points lists": every key of the object is one of these. */
static int check_keys(const struct place *place, const cJSON *object, const char *known)
{
    char hint[NEAREST_HINT], word[66];
    if (!cJSON_IsObject(object))
        return diag_usage(place->diag, "%s: %s: expected an object", place->file, place->at);
    for (const cJSON *item = object->child; item; item = item->next) {
        snprintf(word, sizeof word, ", %.60s,", item->string);
        if (!strstr(known, word))
            return diag_usage(place->diag, "%s: %s%s: unknown key%s; expected%.*s", place->file,
                              place->at, item->string,
                              nearest_listed(item->string, known + 2, hint, sizeof hint),
                              (int)strlen(known) - 2, known + 1);
    }
    return DIAG_OK;
}

static int take_text(const struct place *place, const cJSON *object, const char *key, bool must,
                     char *out, size_t size)
{
    const cJSON *item = cJSON_GetObjectItemCaseSensitive(object, key);
    bool good =
        item ? cJSON_IsString(item) && item->valuestring[0] && strlen(item->valuestring) < size
             : !must;
    if (!good)
        return diag_usage(place->diag, "%s: %s%s: expected a text of 1 to %zu bytes", place->file,
                          place->at, key, size - 1);
    snprintf(out, size, "%s", item ? item->valuestring : "");
    return DIAG_OK;
}

static int take_count(const struct place *place, const cJSON *object, const char *key,
                      uint64_t otherwise, uint64_t *out)
{
    const cJSON *item = cJSON_GetObjectItemCaseSensitive(object, key);
    double value = item ? item->valuedouble : 0;
    if (item &&
        (!cJSON_IsNumber(item) || value < 0 || value > 1e9 || value != (double)(uint64_t)value))
        return diag_usage(place->diag, "%s: %s%s: expected a whole number of 0 to 1e9", place->file,
                          place->at, key);
    *out = item ? (uint64_t)value : otherwise;
    return DIAG_OK;
}

/* Seen from the directory of the rubric. */
static void from_file(const char *file, const char *name, char *out)
{
    const char *slash = strrchr(file, '/');
    int length = name[0] == '/' || !slash ? 0 : (int)(slash + 1 - file);
    snprintf(out, RUBRIC_PATH, "%.*s%s", length, file, name);
}

static int take_part(const struct place *place, const cJSON *item, uint64_t seed,
                     struct rubric_part *part)
{
    char lists[200];
    struct stat info;
    const cJSON *cases = cJSON_GetObjectItemCaseSensitive(item, "cases");
    int status;
    if ((status =
             check_keys(place, item, ", name, points, lists, operations, cases, seed, read,")) ||
        (status = take_text(place, item, "name", true, part->name, sizeof part->name)) ||
        (status = take_text(place, item, "read", false, part->read, sizeof part->read)) ||
        (status = take_text(place, item, "lists", false, lists, sizeof lists)) ||
        (status = take_count(place, item, "points", 0, &part->points)) ||
        (status = take_count(place, item, "operations", 0, &part->operations)) ||
        (status = take_count(place, item, "seed", seed, &part->seed)))
        return status;
    part->cases = cJSON_IsTrue(cases);
    part->lists[0] = '\0';
    if (lists[0])
        from_file(place->file, lists, part->lists);
    else if (part->operations == 0 && !part->cases)
        return diag_usage(place->diag, "%s: %slists: missing; expected a directory, or operations",
                          place->file, place->at);
    if (lists[0] && (stat(part->lists, &info) != 0 || !S_ISDIR(info.st_mode)))
        return diag_usage(place->diag, "%s: %slists: %s is not a directory", place->file, place->at,
                          part->lists);
    return DIAG_OK;
}

static int take_design(const struct place *place, const cJSON *item, const char *key, char *out)
{
    int status = take_text(place, item, key, true, out, 32);
    if (status == DIAG_OK && !registry_find(out))
        status = diag_usage(place->diag, "%s: %s%s: no design '%s'; 'twbench list' names them",
                            place->file, place->at, key, out);
    return status;
}

static int take_cost(const struct place *place, const cJSON *item, struct rubric_cost *cost)
{
    char figure[32];
    int status;
    if ((status = check_keys(place, item, ", name, points, figure, none, full,")) ||
        (status = take_text(place, item, "name", true, cost->name, sizeof cost->name)) ||
        (status = take_count(place, item, "points", 0, &cost->points)) ||
        (status = take_text(place, item, "figure", true, figure, sizeof figure)) ||
        (status = take_design(place, item, "none", cost->none)) ||
        (status = take_design(place, item, "full", cost->full)))
        return status;
    for (cost->figure = 0; rubric_figures[cost->figure]; cost->figure++)
        if (strcmp(rubric_figures[cost->figure], figure) == 0)
            return DIAG_OK;
    return diag_usage(place->diag,
                      "%s: %sfigure: '%s'; expected work, longest, bytes, instructions",
                      place->file, place->at, figure);
}

static int take_load(const struct place *place, const cJSON *item, uint64_t seed,
                     struct rubric_load *load)
{
    char workload[200];
    int status = check_keys(place, item, ", workload, tasks, seed,");
    if (status == DIAG_OK)
        status = take_text(place, item, "workload", true, workload, sizeof workload);
    if (status == DIAG_OK)
        status = take_count(place, item, "tasks", 1000, &load->tasks);
    if (status == DIAG_OK)
        status = take_count(place, item, "seed", seed, &load->seed);
    if (status == DIAG_OK && strchr(workload, '/'))
        from_file(place->file, workload, load->workload);
    else if (status == DIAG_OK)
        snprintf(load->workload, sizeof load->workload, "%s", workload);
    return status;
}

static int take_lists(struct place *place, const cJSON *root, uint64_t seed, struct rubric *rubric)
{
    static const struct {
        const char *key;
        size_t max;
    } lists[] = {
        {"parts", RUBRIC_PARTS_MAX}, {"costs", RUBRIC_COSTS_MAX}, {"loads", RUBRIC_LOADS_MAX}};
    int status = DIAG_OK;
    for (size_t i = 0; i < 3; i++) {
        size_t *count = i == 0   ? &rubric->part_count
                        : i == 1 ? &rubric->cost_count
                                 : &rubric->load_count,
               index = 0;
        const cJSON *list = cJSON_GetObjectItemCaseSensitive(root, lists[i].key);
        if (list && !cJSON_IsArray(list))
            return diag_usage(place->diag, "%s: %s: expected a list", place->file, lists[i].key);
        for (const cJSON *item = list ? list->child : NULL; item && status == DIAG_OK;
             item = item->next) {
            snprintf(place->at, sizeof place->at, "%s[%zu].", lists[i].key, index++);
            if (*count == lists[i].max)
                return diag_usage(place->diag, "%s: %s: more than %zu", place->file, lists[i].key,
                                  lists[i].max);
            status = i == 0   ? take_part(place, item, seed, &rubric->parts[*count])
                     : i == 1 ? take_cost(place, item, &rubric->costs[*count])
                              : take_load(place, item, seed, &rubric->loads[*count]);
            (*count)++;
        }
    }
    return status;
}

int rubric_read(const char *path, struct rubric *rubric, struct diag *diag)
{
    cJSON *root = NULL;
    struct place place = {path, "", diag};
    uint64_t seed = 1, version = 1;
    int status = json_load(path, "a rubric", &root, diag);
    if (status == DIAG_OK)
        status = check_keys(&place, root, ", rubric_version, name, seed, parts, costs, loads,");
    if (status == DIAG_OK)
        status = take_count(&place, root, "rubric_version", 0, &version);
    if (status == DIAG_OK && version != 1)
        status = diag_usage(diag, "%s: rubric_version: expected 1", path);
    if (status == DIAG_OK)
        status = take_count(&place, root, "seed", 1, &seed);
    if (status == DIAG_OK && !rubric->name[0])
        status = take_text(&place, root, "name", true, rubric->name, sizeof rubric->name);
    if (status == DIAG_OK)
        status = take_lists(&place, root, seed, rubric);
    if (status == DIAG_OK && rubric->cost_count > 0 && rubric->load_count == 0)
        status = diag_usage(diag, "%s: loads: missing; costs are compared on loads", path);
    cJSON_Delete(root);
    return status;
}

uint64_t rubric_points(const struct rubric *rubric)
{
    uint64_t points = 0;
    for (size_t i = 0; i < rubric->part_count; i++)
        points += rubric->parts[i].points;
    for (size_t i = 0; i < rubric->cost_count; i++)
        points += rubric->costs[i].points;
    return points;
}
