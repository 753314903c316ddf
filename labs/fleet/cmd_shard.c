/*
 * cmd_shard.c - run --shard=I/N: deals the groups of a plan out to several machines, evenly by estimated time.
 *
 * A group is a stream with all designs that run on it.  It stays together, because times are compared within it; no
 * two machines are ever compared.  Every shard makes the same deal from the plan alone, so that nobody has to
 * hand anything around: the largest group first, each to the shard with the least so far (Graham 1969: at most 4/3 of
 * the best deal).
 */
#include "labs/fleet/fleet.h"

#include "harness/base/hash.h"
#include "harness/base/json.h"
#include "harness/base/memory.h"
#include "harness/base/units.h"
#include "harness/command/flags.h"
#include "harness/command/run.h"
#include "harness/measure/session/stage.h"

#include <unistd.h>

/* Which part of the plan a run has, and what the document says of it. */
struct shards {
    uint64_t index, of; /* --shard=3/8 */
    cJSON *record;      /* "shard" of the document */
    uint64_t *owner;    /* by group of the whole plan */
    double *seconds;    /* estimated, by group */
    size_t group_count;
};

/* owner[i]: the shard of group i, from 1.  weights >= 0; of >= 1.  O(count * (count + of)). */
static void shards_deal(const double *weights, size_t count, uint64_t of, uint64_t *owner)
{
    double *loads = memory_take(of, sizeof *loads);
    for (size_t i = 0; i < count; i++)
        owner[i] = 0;
    for (size_t dealt = 0; dealt < count; dealt++) {
        size_t largest = SIZE_MAX;
        uint64_t lightest = 0;
        for (size_t i = 0; i < count; i++)
            if (owner[i] == 0 && (largest == SIZE_MAX || weights[i] > weights[largest]))
                largest = i;
        for (uint64_t s = 1; s < of; s++)
            if (loads[s] < loads[lightest])
                lightest = s;
        owner[largest] = 1 + lightest;
        loads[lightest] += weights[largest];
    }
    free(loads);
}

/* ---- The plan's hash. ------------------------------------------------------------------------ */

static void hash_number(uint64_t *hash, uint64_t number)
{
    *hash = hash_bytes(*hash, &number, sizeof number);
}

static void hash_cell(uint64_t *hash, const struct plan_cell *cell)
{
    *hash = hash_text(*hash, cell->design->timed->name);
    hash_number(hash, (uint64_t)cell->drive);
    hash_number(hash, (uint64_t)cell->pages);
    if (cell->batch > 0)
        hash_number(hash, cell->batch);
    if (cell->between > 0)
        hash_number(hash, cell->between);
    for (size_t i = 0; i < cell->setting_count; i++) {
        *hash = hash_text(*hash, cell->settings[i].name);
        for (size_t v = 0; v < cell->settings[i].count; v++)
            hash_number(hash, cell->settings[i].values[v]);
    }
}

/* All that decides which cells there are and how they are measured.  FNV-1a. */
static uint64_t hash_plan(const struct shards *shards, const struct plan *plan,
                          const struct setup *setup)
{
    uint64_t hash = UINT64_C(0xcbf29ce484222325);
    const uint64_t numbers[] = {setup->tick_ns, setup->seed,        setup->max_pending,
                                setup->runs,    setup->warmup,      setup->time_ns,
                                shards->of,     setup->min_time_ns, setup->counts_only};
    for (size_t i = 0; i < plan->group_count; i++) {
        hash = hash_text(hash, plan->groups[i].workload);
        hash_number(&hash, plan->groups[i].tasks);
    }
    for (size_t i = 0; i < plan->cell_count; i++)
        hash_cell(&hash, &plan->cells[i]);
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
        hash_number(&hash, numbers[i]);
    for (size_t i = 0; i < setup->set_count; i++) {
        hash = hash_text(hash, setup->sets[i].name);
        hash = hash_text(hash, setup->sets[i].value);
    }
    return hash;
}

/* ---- A plan's part. -------------------------------------------------------------------------- */

static cJSON *make_groups(const struct shards *shards, const struct plan *plan)
{
    cJSON *groups = cJSON_CreateArray();
    for (size_t i = 0; i < plan->group_count; i++) {
        cJSON *group = cJSON_CreateObject();
        uint64_t tasks = plan->groups[i].tasks;
        json_add_text(group, "workload", plan->groups[i].workload);
        json_add(group, "tasks", tasks > 0 ? json_integer(tasks) : cJSON_CreateNull());
        json_add_integer(group, "shard", shards->owner[i]);
        json_add_integer(group, "cells", plan->cell_count);
        json_add_measure(group, "estimated_s", shards->seconds[i]);
        cJSON_AddItemToArray(groups, group);
    }
    return groups;
}

static cJSON *make_record(const struct shards *shards, const struct plan *plan,
                          const struct setup *setup)
{
    char host[256] = "";
    cJSON *record = cJSON_CreateObject();
    gethostname(host, sizeof host - 1);
    json_put(record, shards, index, of);
    json_add_hex(record, "plan", hash_plan(shards, plan, setup));
    json_add_text(record, "host", host);
    json_add(record, "groups", make_groups(shards, plan));
    return record;
}

static int part_keep(void *ctx, const struct setup *setup, struct plan *plan, const double *seconds,
                     struct diag *diag)
{
    struct shards *shards = ctx;
    size_t kept = 0, count = plan->group_count;
    (void)diag;
    shards->owner = memory_take(count + 1, sizeof *shards->owner);
    shards->seconds = memory_take(count + 1, sizeof *shards->seconds);
    shards->group_count = count;
    memcpy(shards->seconds, seconds, count * sizeof *seconds);
    shards_deal(seconds, count, shards->of, shards->owner);
    shards->record = make_record(shards, plan, setup);
    for (size_t i = 0; i < count; i++)
        if (shards->owner[i] == shards->index)
            plan->groups[kept++] = plan->groups[i];
    plan->group_count = kept;
    return DIAG_OK;
}

static void part_close(void *ctx)
{
    struct shards *shards = ctx;
    cJSON_Delete(shards->record);
    free(shards->owner);
    free(shards->seconds);
    shards->record = NULL;
    shards->owner = NULL;
    shards->seconds = NULL;
}

static const cJSON *part_record(const void *ctx)
{
    return ((const struct shards *)ctx)->record;
}

/* A document that is resumed has to be of the same shard of the same plan. */
static int part_check(const void *ctx, const struct result_document *document, const char *path,
                      struct diag *diag)
{
    const cJSON *then = json_get(result_json(document), "shard"), *now = part_record(ctx);
    if (!then)
        return diag_usage(diag, "%s: not a shard; expected the shard that --shard names", path);
    if (strcmp(json_get_text(then, "plan"), json_get_text(now, "plan")) != 0)
        return diag_usage(diag, "%s: is a shard of another plan: %s, now %s", path,
                          json_get_text(then, "plan"), json_get_text(now, "plan"));
    if (json_get_number(then, "index") != json_get_number(now, "index"))
        return diag_usage(diag, "%s: is shard %.0f of its plan, now %.0f", path,
                          json_get_number(then, "index"), json_get_number(now, "index"));
    return DIAG_OK;
}

static void part_print(const void *ctx)
{
    const struct shards *shards = ctx;
    printf("\nshard  groups  seconds\n");
    for (uint64_t shard = 1; shard <= shards->of; shard++) {
        double seconds = 0;
        size_t groups = 0;
        for (size_t i = 0; i < shards->group_count; i++)
            if (shards->owner[i] == shard) {
                seconds += shards->seconds[i];
                groups++;
            }
        printf("%5" PRIu64 "  %6zu  %7.3g\n", shard, groups, seconds);
    }
}

/* ---- The commands. ---------------------------------------------------------------------------- */

struct shard_options {
    struct run_options run; /* the first member: its groups fill it in */
    struct shards shards;
};

/* "3/8" */
static int take_shard(struct call *call, void *of, const char *flag, const char *value,
                      struct diag *diag)
{
    struct shards *shards = &((struct shard_options *)of)->shards;
    size_t length = strcspn(value, "/");
    if (length == 0 || value[length] != '/')
        return diag_usage(diag, "%s: '%s' given; expected I/N, such as 3/8", flag, value);
    const char *index = lists_keep_part(&call->memory, value, length);
    int status = units_parse_count_in(value + length + 1, flag, 1, 100000, &shards->of, diag);
    if (status == DIAG_OK)
        status = units_parse_count_in(index, flag, 1, shards->of, &shards->index, diag);
    return status;
}

static const struct flag flags[] = {
    FLAG_BY("shard", "I/N",
            "run the I-th of N parts of the plan; 'twbench merge' puts them together", take_shard)};
static const struct flag_group groups[] = {
    {.flags = flags, .count = FLAGS(flags)}, RUN_GROUPS(0), {0}};

static void begin(struct call *call)
{
    struct shard_options *options = call->options;
    run_begin(call, &options->run);
}

static int shard(struct call *call, bool is_replay)
{
    struct shard_options *options = call->options;
    const struct part part = {&options->shards, part_keep,  part_close,
                              part_record,      part_check, part_print};
    options->run.setup.part = &part;
    return run_do(call, &(struct run_request){.options = &options->run, .is_replay = is_replay});
}

static int run(struct call *call)
{
    return shard(call, false);
}

static int replay(struct call *call)
{
    return shard(call, true);
}

const struct command cmd_sharded_run = {
    .name = "run",
    .usage = "--shard=I/N [FLAGS]",
    .summary = "Run a part of a plan, for 'twbench merge'.",
    .groups = groups,
    .size = sizeof(struct shard_options),
    .begin = begin,
    .run = run,
};

const struct command cmd_sharded_replay = {
    .name = "replay",
    .usage = "--shard=I/N [FLAGS] TRACE...",
    .summary = "The same of recorded traces.",
    .groups = groups,
    .size = sizeof(struct shard_options),
    .begin = begin,
    .run = replay,
};
