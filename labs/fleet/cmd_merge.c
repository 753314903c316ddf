/*
 * cmd_merge.c - merge: puts the results of a plan's shards together in one, and says what is missing.
 *
 * Every shard has to be of the same plan and the same build.  Each cell keeps its machine: "on_machine" is an index in
 * "machines".  Groups ran whole on one machine, so times within a stream are compared as ever; across streams of different
 * machines the report shows ratios to a design of the same stream, or counts.
 */
#include "labs/fleet/fleet.h"

#include "harness/base/json.h"
#include "harness/base/memory.h"
#include "harness/base/text.h"
#include "harness/command/outputs.h"
#include "harness/command/setup_flags.h"
#include "harness/measure/session/origin.h"

#include <math.h>

struct merging {
    const char *const *paths; /* of shards, in any order */
    size_t count;
    bool partial; /* missing shards and cells are named in "left_out" instead of refused */
    const struct result_origin *origin; /* of the merge: its command */
};

#define NAMED_MAX 6 /* missing pieces that a message names */

/* The shards, and what is made of them. */
struct join {
    const struct merging *merging;
    struct result_document **shards;
    cJSON *root, *machines, *cells, *left_out;
    size_t missing;
    char missing_text[700];
    struct diag *diag;
};

static const cJSON *shard_of(const struct join *join, size_t i)
{
    return json_get(result_json(join->shards[i]), "shard");
}

/* ---- Do they belong together? ---------------------------------------------------------------- */

static int check_same(const struct join *join, size_t i, const char *path, const char *what)
{
    const char *first = json_get_text(result_json(join->shards[0]), path);
    const char *other = json_get_text(result_json(join->shards[i]), path);
    if (strcmp(first, other) == 0)
        return DIAG_OK;
    return diag_usage(join->diag, "%.200s and %.200s: %s: \"%.200s\" and \"%.200s\"; expected %s",
                      join->merging->paths[0], join->merging->paths[i], path, first, other, what);
}

static int check_belongs(const struct join *join, size_t i)
{
    static const char *const builds[] = {"tool.version", "tool.commit",    "tool.compiler",
                                         "tool.flags",   "tool.allocator", "subject.commit"};
    int status = check_same(join, i, "shard.plan", "shards of one plan");
    for (size_t k = 0; k < sizeof builds / sizeof *builds && status == DIAG_OK; k++)
        status = check_same(join, i, builds[k], "one build");
    for (size_t k = 0; k < i && status == DIAG_OK; k++)
        if (json_get_number(shard_of(join, k), "index") ==
            json_get_number(shard_of(join, i), "index"))
            status = diag_usage(join->diag, "%.300s and %.300s: both are shard %.0f",
                                join->merging->paths[k], join->merging->paths[i],
                                json_get_number(shard_of(join, i), "index"));
    return status;
}

static int load_all(struct join *join)
{
    int status = DIAG_OK;
    for (size_t i = 0; i < join->merging->count && status == DIAG_OK; i++) {
        const char *path = join->merging->paths[i];
        status = result_load(path, &join->shards[i], join->diag);
        if (status == DIAG_OK &&
            (!shard_of(join, i) || !cJSON_IsArray(json_get(shard_of(join, i), "groups"))))
            status =
                diag_usage(join->diag,
                           "%s: not a shard; expected a result of 'twbench run --shard=I/N'", path);
        if (status == DIAG_OK)
            status = check_belongs(join, i);
    }
    return status;
}

/* ---- What is missing? ------------------------------------------------------------------------ */

static bool is_of_group(const cJSON *cell, const cJSON *group)
{
    double tasks = json_get_number(group, "tasks");
    return strcmp(json_get_text(cell, "workload"), json_get_text(group, "workload")) == 0 &&
           (isnan(tasks) || json_get_number(cell, "tasks") == tasks);
}

static size_t find_shard(const struct join *join, double index)
{
    size_t i = 0;
    while (i < join->merging->count && json_get_number(shard_of(join, i), "index") != index)
        i++;
    return i;
}

static void name_missing(struct join *join, const char *format, const char *group, double cells,
                         double index)
{
    struct text text = text_behind(join->missing_text, sizeof join->missing_text);
    char line[300];
    snprintf(line, sizeof line, format, group, cells, index);
    cJSON_AddItemToArray(join->left_out, json_text(line));
    if (join->missing++ < NAMED_MAX)
        text_add_item(&text, "; ", "%s", line);
}

/* Holds what the shard has of a group against the plan. */
static void look_for_group(struct join *join, const cJSON *group)
{
    char name[200];
    double index = json_get_number(group, "shard"), planned = json_get_number(group, "cells");
    double tasks = json_get_number(group, "tasks"), found = 0;
    size_t shard = find_shard(join, index);
    snprintf(name, sizeof name, isnan(tasks) ? "%.150s" : "%.150s/%.0f",
             json_get_text(group, "workload"), tasks);
    if (shard == join->merging->count) {
        name_missing(join, "%s: all %.0f cells, of shard %.0f, which was not given", name, planned,
                     index);
        return;
    }
    json_each(cell, result_json(join->shards[shard]), "cells")
        found += is_of_group(cell, group) ? 1 : 0;
    if (found < planned)
        name_missing(join, "%s: %.0f cells, of shard %.0f, which did not finish", name,
                     planned - found, index);
}

static int look_for_missing(struct join *join)
{
    json_each(group, shard_of(join, 0), "groups")
        look_for_group(join, group);
    if (join->missing == 0 || join->merging->partial)
        return DIAG_OK;
    return diag_usage(join->diag, "merge: missing: %s%s; --partial merges what is there",
                      join->missing_text, join->missing > NAMED_MAX ? "; and more" : "");
}

/* ---- Joining. -------------------------------------------------------------------------------- */

static cJSON *copy_of(const cJSON *object, const char *path)
{
    const cJSON *item = json_get(object, path);
    return item ? cJSON_Duplicate(item, true) : cJSON_CreateNull();
}

/* The index of the shard's machine, which is added if it is new.  The same host with the same hardware is one. */
static int find_machine(struct join *join, size_t shard)
{
    const cJSON *root = result_json(join->shards[shard]);
    const char *host = json_get_text(root, "shard.host");
    int index = 0;
    json_each(known, join->machines, "") {
        if (strcmp(json_get_text(known, "host"), host) == 0 &&
            strcmp(json_get_text(known, "cpu_model"), json_get_text(root, "machine.cpu_model")) ==
                0)
            return index;
        index++;
    }
    cJSON *machine = copy_of(root, "machine");
    json_add_text(machine, "host", host);
    cJSON_AddItemToArray(join->machines, machine);
    return index;
}

/* A cell that no group of this shard has is somebody else's. */
static int check_cell(const struct join *join, size_t shard, const cJSON *cell)
{
    json_each(group, shard_of(join, shard), "groups")
        if (is_of_group(cell, group) &&
            json_get_number(group, "shard") == json_get_number(shard_of(join, shard), "index"))
            return DIAG_OK;
    return diag_usage(join->diag, "%s: %s/%s/%.0f: is not of its shard's groups",
                      join->merging->paths[shard], json_get_text(cell, "impl"),
                      json_get_text(cell, "workload"), json_get_number(cell, "tasks"));
}

/* The shards stand in the order of their numbers, whatever order they were given in. */
static int add_shard(struct join *join, size_t shard, cJSON *list)
{
    const cJSON *root = result_json(join->shards[shard]);
    int machine = find_machine(join, shard), status = DIAG_OK;
    cJSON *record = cJSON_CreateObject();
    json_add(record, "index", copy_of(root, "shard.index"));
    json_add_integer(record, "machine", (uint64_t)machine);
    json_add(record, "complete", copy_of(root, "complete"));
    json_add(record, "date_utc", copy_of(root, "tool.date_utc"));
    json_add(record, "cells",
             cJSON_CreateNumber((double)cJSON_GetArraySize(json_get(root, "cells"))));
    cJSON_AddItemToArray(list, record);
    json_each(text, root, "left_out")
        cJSON_AddItemToArray(join->left_out, cJSON_Duplicate(text, true));
    json_each(cell, root, "cells") {
        if (check_cell(join, shard, cell) != DIAG_OK)
            status = DIAG_USAGE;
        cJSON *copy = cJSON_Duplicate(cell, true);
        json_add_integer(copy, "on_machine", (uint64_t)machine);
        cJSON_AddItemToArray(join->cells, copy);
    }
    return status;
}

static int add_shards(struct join *join, cJSON *list)
{
    double of = json_get_number(shard_of(join, 0), "of");
    int status = DIAG_OK;
    for (double index = 1; index <= of && status == DIAG_OK; index++) {
        size_t shard = find_shard(join, index);
        if (shard < join->merging->count)
            status = add_shard(join, shard, list);
    }
    return status;
}

static int make_root(struct join *join)
{
    const cJSON *first = result_json(join->shards[0]);
    cJSON *head = result_head(join->merging->origin), *root = join->root,
          *list = cJSON_CreateArray();
    json_add_integer(root, "schema_version", 1);
    json_add(root, "tool", copy_of(first, "tool"));
    json_add(root, "machine", copy_of(first, "machine"));
    json_add(root, "command", copy_of(head, "command"));
    json_add(root, "harness", copy_of(first, "harness"));
    if (json_get(first, "subject"))
        json_add(root, "subject", copy_of(first, "subject"));
    json_add(root, "complete", cJSON_CreateBool(join->missing == 0));
    json_add(root, "plan", copy_of(first, "shard.plan"));
    int status = add_shards(join, list);
    json_add(root, "shards", list);
    json_add(root, "machines", join->machines);
    if (cJSON_GetArraySize(join->left_out) > 0)
        json_add(root, "left_out", join->left_out);
    else
        cJSON_Delete(join->left_out);
    json_add(root, "cells", join->cells);
    cJSON_Delete(head);
    return status;
}

static int join_all(struct join *join, struct result_document **out)
{
    int status = load_all(join);
    if (status == DIAG_OK)
        status = look_for_missing(join);
    if (status != DIAG_OK) {
        cJSON_Delete(join->machines);
        cJSON_Delete(join->cells);
        cJSON_Delete(join->left_out);
        return status;
    }
    status = make_root(join);
    char *text = status == DIAG_OK ? cJSON_PrintUnformatted(join->root) : NULL;
    if (status == DIAG_OK)
        status = result_parse(text, strlen(text), "the merged result", out, join->diag);
    cJSON_free(text);
    return status;
}

static int merging_write(const struct merging *merging, struct result_document **out,
                         struct diag *diag)
{
    struct join join = {.merging = merging,
                        .shards = memory_take(merging->count, sizeof *join.shards),
                        .root = cJSON_CreateObject(),
                        .machines = cJSON_CreateArray(),
                        .cells = cJSON_CreateArray(),
                        .left_out = cJSON_CreateArray(),
                        .diag = diag};
    int status = join_all(&join, out);
    for (size_t i = 0; i < merging->count; i++)
        result_free(join.shards[i]);
    free(join.shards);
    cJSON_Delete(join.root);
    return status;
}

/* ---- The command. ----------------------------------------------------------------------------- */

struct merge_options {
    struct outputs outputs;
    struct setup setup;
    bool partial;
};

static const struct flag flags[] = {FLAG_SWITCH(
    "partial", "merge what is there, and name what is missing", struct merge_options, partial)};
static const struct flag_group groups[] = {
    {.flags = flags, .count = FLAGS(flags)},
    OUTPUT_JSON(0),
    OUTPUT_PLOTS(0),
    OUTPUT_HTML(0),
    OUTPUT_ASSERT(0),
    OUTPUT_STYLE(0),
    OUTPUT_EXPORTS(0, result),
    {0},
};

static void begin(struct call *call)
{
    struct merge_options *options = call->options;
    options->setup = setup_default(call);
    options->outputs.kind = OUTPUT_RESULT;
}

static int run(struct call *call)
{
    struct diag diag;
    struct merge_options *options = call->options;
    struct result_document *document = NULL;
    struct result_origin origin;
    int status = call->operand_count > 0
                     ? outputs_check(call, &options->outputs, &diag)
                     : diag_usage(&diag, "merge: no operand given; expected the results of "
                                         "'twbench run --shard=I/N'");
    origin_fill(&origin, &options->setup);
    if (status == DIAG_OK)
        status = merging_write(&(struct merging){.paths = call->operands,
                                                 .count = call->operand_count,
                                                 .partial = options->partial,
                                                 .origin = &origin},
                               &document, &diag);
    int exit_status = status == DIAG_OK
                          ? outputs_finish(call, &options->outputs, document, true, DIAG_OK)
                          : command_fail(status, &diag);
    result_free(document);
    return exit_status;
}

const struct command cmd_merge = {
    .name = "merge",
    .usage = "[FLAGS] SHARD.json ...",
    .summary = "Combine the results of 'run --shard=I/N' from several machines.",
    .topic = "My CI",
    .groups = groups,
    .size = sizeof(struct merge_options),
    .begin = begin,
    .run = run,
};
