/* durable_advice.c - writes an advice on stores as JSON. */
#include "harness/ask/advise/durable_advice.h"

#include "harness/ask/advise/durable_words.h"
#include "harness/base/json.h"
#include "harness/measure/durable/durable_run.h"
#include "harness/tell/result/interval.h"

#include <math.h>
#include <string.h>

static void add_wish(cJSON *object, const char *key, double value)
{
    json_add_measure(object, key, value > 0 ? value : NAN);
}

static cJSON *make_load(const struct durable_evidence *evidence)
{
    const struct storing_request *request = evidence->request;
    cJSON *object = cJSON_CreateObject();
    json_add_text(object, "workload", "delay-message");
    json_add_integer(object, "pending", evidence->sizes[evidence->size_count - 1]);
    json_add_text(object, "sync", durable_sync_name(request->syncs[0].policy));
    json_add_integer(object, "interval_ms",
                     request->syncs[0].policy == TW_SYNC_INTERVAL ? request->syncs[0].interval_ms
                                                                  : 0);
    json_add_integer(object, "producers", request->producers[0]);
    json_add_integer(object, "batch", request->batches[0]);
    json_add_integer(object, "payload_min", request->load.payload_min);
    json_add_integer(object, "payload_max", request->load.payload_max);
    json_add_integer(object, "span_ms", request->load.span_ms);
    return object;
}

static cJSON *make_wishes(const struct wishes *wishes)
{
    char rule[WORDS_SIZE];
    cJSON *object = cJSON_CreateObject();
    json_add_text(object, "for", criterion_name(wishes->goal, false));
    add_wish(object, "late_ns", (double)wishes->late_ns);
    add_wish(object, "memory_bytes_per_pending", wishes->memory_bytes);
    add_wish(object, "tail_ns", (double)wishes->tail_ns);
    durable_words_rule(rule, sizeof rule, wishes);
    json_add_text(object, "rule", rule);
    return object;
}

static cJSON *make_budget(const struct durable_evidence *evidence)
{
    cJSON *object = cJSON_CreateObject();
    json_add_integer(object, "asked_ns", evidence->budget_ns);
    json_add_integer(object, "used_ns", evidence->used_ns);
    json_add(object, "interrupted", cJSON_CreateBool(evidence->interrupted));
    return object;
}

/* ---- Candidates. ----------------------------------------------------------------------------- */

static const char *status_of(const struct durable_evidence *evidence,
                             const struct durable_choice *choice, size_t i)
{
    const struct durable_entrant *entrant = &evidence->entrants[i];
    const cJSON *broken = durable_broken(evidence, entrant);
    if (broken)
        return json_get_text(broken, "status");
    if (entrant->reached == 0) {
        const cJSON *look = durable_cell(evidence, entrant->fills[0]);
        return look ? json_get_text(look, "status") : "not-measured";
    }
    if (!choice->allowed[i])
        return "refused";
    if (i == choice->chosen)
        return "recommended";
    return choice->equal[i] ? "not-different" : "worse";
}

/* Its place among the cells, or null. */
static void add_place(cJSON *object, const char *key, size_t place)
{
    json_add(object, key,
             place == STORING_NO_CELL ? cJSON_CreateNull() : json_integer((uint64_t)place));
}

static cJSON *make_candidate(const struct durable_evidence *evidence,
                             const struct durable_choice *choice, size_t i)
{
    char text[WORDS_SIZE] = "";
    uint64_t tasks = 0;
    const struct durable_entrant *entrant = &evidence->entrants[i];
    struct summary factor = {NAN, NAN, NAN, 0, 0};
    cJSON *object = cJSON_CreateObject();
    if (choice->chosen != CHOICE_NONE && i != choice->chosen)
        factor = durable_factor(evidence, choice->chosen, i, durable_goal(evidence->wishes.goal),
                                &tasks);
    json_add_text(object, "store", entrant->key);
    json_add_text(object, "status", status_of(evidence, choice, i));
    durable_words_why(text, sizeof text, evidence, choice, i);
    json_add_text(object, "why", text);
    durable_words_refuses(text, sizeof text, evidence, entrant);
    json_add_text(object, "refuses", text);
    json_add_integer(object, "reached",
                     entrant->reached > 0 ? evidence->sizes[entrant->reached - 1] : 0);
    json_add(object, "factor",
             isnan(factor.median) ? cJSON_CreateNull() : interval_of_summary(&factor));
    json_add_integer(object, "factor_at", isnan(factor.median) ? 0 : tasks);
    add_place(object, "cell",
              entrant->reached > 0 ? entrant->fills[entrant->reached - 1] : STORING_NO_CELL);
    add_place(object, "late_cell", entrant->late);
    add_place(object, "kills_cell", entrant->killed);
    return object;
}

static cJSON *make_recommendation(const struct durable_evidence *evidence,
                                  const struct durable_choice *choice)
{
    char text[WORDS_SIZE] = "";
    if (choice->chosen == CHOICE_NONE)
        return cJSON_CreateNull();
    const struct durable_entrant *chosen = &evidence->entrants[choice->chosen];
    cJSON *object = cJSON_CreateObject(), *reasons = cJSON_CreateArray();
    json_add_text(object, "store", chosen->key);
    json_add_integer(object, "at", evidence->sizes[chosen->reached - 1]);
    json_add_text(object, "is", chosen->backend->summary);
    durable_words_next(text, sizeof text, evidence, choice);
    json_add_text(object, "next", text);
    durable_words_unclear(text, sizeof text, evidence, choice);
    json_add_text(object, "unclear", text);
    durable_words_refuses(text, sizeof text, evidence, chosen);
    json_add_text(object, "refuses", text);
    durable_words_command(text, sizeof text, evidence, chosen);
    json_add_text(object, "command", text);
    for (size_t i = 0; durable_words_reason(text, sizeof text, evidence, choice, i); i++)
        cJSON_AddItemToArray(reasons, json_text(text));
    json_add(object, "reasons", reasons);
    return object;
}

cJSON *durable_advice_make(const struct durable_evidence *evidence)
{
    struct durable_choice choice = durable_choose(evidence);
    cJSON *object = cJSON_CreateObject(), *candidates = cJSON_CreateArray();
    json_add(object, "load", make_load(evidence));
    json_add(object, "wishes", make_wishes(&evidence->wishes));
    json_add(object, "budget", make_budget(evidence));
    json_add(object, "recommendation", make_recommendation(evidence, &choice));
    for (size_t i = 0; i < evidence->count; i++)
        cJSON_AddItemToArray(candidates, make_candidate(evidence, &choice, i));
    json_add(object, "candidates", candidates);
    return object;
}

bool durable_advice_knows(const cJSON *document)
{
    const cJSON *candidate;
    cJSON_ArrayForEach(candidate, json_get(document, "advice.candidates"))
    {
        if (json_get(candidate, "cell"))
            return true;
    }
    return false;
}
