/* shards.c - deals groups out, and writes down who has which. */
#include "harness/measure/session/shards.h"

#include "harness/base/json.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* owner[i]: the shard of group i, from 1.  weights >= 0; of >= 1.  O(count * (count + of)). */
static void shards_deal(const double *weights, size_t count, uint64_t of, uint64_t *owner)
{
    double *loads = calloc(of, sizeof *loads);
    for (size_t i = 0; i < count; i++)
        owner[i] = 0;
    for (size_t dealt = 0; dealt < count; dealt++) {
        size_t largest = SIZE_MAX;
        uint64_t lightest = 0;
        for (size_t i = 0; i < count; i++)
            if (owner[i] == 0 && (largest == SIZE_MAX || weights[i] > weights[largest]))
                largest = i;
        for (uint64_t s = 1; loads && s < of; s++)
            if (loads[s] < loads[lightest])
                lightest = s;
        owner[largest] = 1 + (loads ? lightest : dealt % of);
        if (loads)
            loads[lightest] += weights[largest];
    }
    free(loads);
}

void shards_free(struct shards *shards)
{
    cJSON_Delete(shards->record);
    free(shards->owner);
    free(shards->seconds);
    *shards = (struct shards){.record = NULL};
}

/* ---- The plan's hash. ------------------------------------------------------------------------ */

static void hash_text(uint64_t *hash, const char *text)
{
    do {
        *hash = (*hash ^ (uint8_t)*text) * UINT64_C(0x100000001b3);
    } while (*text++);
}

static void hash_number(uint64_t *hash, uint64_t number)
{
    char text[24];
    snprintf(text, sizeof text, "%" PRIu64, number);
    hash_text(hash, text);
}

static void hash_cell(uint64_t *hash, const struct plan_cell *cell)
{
    hash_text(hash, cell->design->timed->name);
    hash_text(hash, cell->runner ? cell->runner->timed->name : "");
    hash_number(hash, cell->threads);
    hash_number(hash, (uint64_t)cell->drive);
    hash_number(hash, (uint64_t)cell->pages);
    if (cell->batch > 0)
        hash_number(hash, cell->batch);
    for (size_t i = 0; i < cell->setting_count; i++) {
        hash_text(hash, cell->settings[i].name);
        for (size_t v = 0; v < cell->settings[i].count; v++)
            hash_number(hash, cell->settings[i].values[v]);
    }
}

/* All that decides which cells there are and how they are measured.  FNV-1a. */
static uint64_t hash_plan(const struct plan *plan, const struct setup *setup)
{
    uint64_t hash = UINT64_C(0xcbf29ce484222325);
    const uint64_t numbers[] = {setup->tick_ns,  setup->seed,        setup->max_pending,
                                setup->runs,     setup->warmup,      setup->time_ns,
                                setup->shard_of, setup->min_time_ns, setup->counts_only};
    for (size_t i = 0; i < plan->group_count; i++) {
        hash_text(&hash, plan->groups[i].workload);
        hash_number(&hash, plan->groups[i].tasks);
    }
    for (size_t i = 0; i < plan->cell_count; i++)
        hash_cell(&hash, &plan->cells[i]);
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
        hash_number(&hash, numbers[i]);
    for (size_t i = 0; i < setup->set_count; i++) {
        hash_text(&hash, setup->sets[i].name);
        hash_text(&hash, setup->sets[i].value);
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
    json_add_integer(record, "index", setup->shard);
    json_add_integer(record, "of", setup->shard_of);
    json_add_hex(record, "plan", hash_plan(plan, setup));
    json_add_text(record, "host", host);
    json_add(record, "groups", make_groups(shards, plan));
    return record;
}

int shards_open(struct shards *shards, const struct plan *plan, struct diag *diag)
{
    shards->owner = calloc(plan->group_count + 1, sizeof *shards->owner);
    shards->seconds = calloc(plan->group_count + 1, sizeof *shards->seconds);
    shards->group_count = plan->group_count;
    return shards->owner && shards->seconds
               ? DIAG_OK
               : diag_run(diag, "no memory for %zu groups", plan->group_count);
}

void shards_keep(struct shards *shards, const struct setup *setup, struct plan *plan)
{
    size_t kept = 0;
    shards_deal(shards->seconds, plan->group_count, setup->shard_of, shards->owner);
    shards->record = make_record(shards, plan, setup);
    for (size_t i = 0; i < plan->group_count; i++)
        if (shards->owner[i] == setup->shard)
            plan->groups[kept++] = plan->groups[i];
    plan->group_count = kept;
}

int shards_check(const struct shards *shards, const struct result_document *document,
                 const char *path, struct diag *diag)
{
    const cJSON *then = json_get(result_json(document), "shard"), *now = shards->record;
    if (!then && !now)
        return DIAG_OK;
    if (!then || !now)
        return diag_usage(diag, "%s: is %s; expected %s", path,
                          then ? "a shard of a plan" : "no shard",
                          now ? "the shard that --shard names" : "--shard beside --resume");
    if (strcmp(json_get_text(then, "plan"), json_get_text(now, "plan")) != 0)
        return diag_usage(diag, "%s: is a shard of another plan: %s, now %s", path,
                          json_get_text(then, "plan"), json_get_text(now, "plan"));
    if (json_get_number(then, "index") != json_get_number(now, "index"))
        return diag_usage(diag, "%s: is shard %.0f of its plan, now %.0f", path,
                          json_get_number(then, "index"), json_get_number(now, "index"));
    return DIAG_OK;
}
