/* evidence.c - keeps which cell measured which candidate, and looks up their figures. */
#include "labs/advise/evidence.h"

#include "harness/base/json.h"
#include "harness/base/memory.h"
#include "labs/advise/choice.h"

/* ---- Collecting. ----------------------------------------------------------------------------- */

size_t evidence_add_candidate(struct advice_evidence *evidence, const struct candidate *candidate)
{
    for (size_t i = 0; i < evidence->candidate_count; i++)
        if (candidate_equal(&evidence->candidates[i], candidate))
            return i;
    if (evidence->candidate_count == CANDIDATES_MAX)
        return CANDIDATES_MAX;
    evidence->candidates[evidence->candidate_count] = *candidate;
    return evidence->candidate_count++;
}

void evidence_add(struct advice_evidence *evidence, size_t candidate, size_t round,
                  const char *identity)
{
    memory_room(&evidence->items, evidence->item_count, &evidence->item_room,
                sizeof *evidence->items);
    evidence->items[evidence->item_count++] =
        (struct evidence_item){candidate, round, memory_text(identity), NULL};
}

bool evidence_has(const struct advice_evidence *evidence, size_t candidate, size_t round)
{
    for (size_t i = 0; i < evidence->item_count; i++)
        if (evidence->items[i].candidate == candidate && evidence->items[i].round == round)
            return true;
    return false;
}

static cJSON *find_cell(const cJSON *cells, const char *identity)
{
    cJSON *cell;
    cJSON_ArrayForEach(cell, cells)
    {
        if (strcmp(json_get_text(cell, "identity"), identity) == 0)
            return cell;
    }
    return NULL;
}

static cJSON *rounds_of(const cJSON *cell)
{
    return cJSON_GetObjectItemCaseSensitive(cJSON_GetObjectItemCaseSensitive(cell, "clock"),
                                            "rounds");
}

void evidence_add_run(struct advice_evidence *evidence, size_t candidate, size_t round, cJSON *cell)
{
    static const char *const said[] = {"status", "reason"};
    char name[CANDIDATE_NAME_MAX], identity[CANDIDATE_NAME_MAX + 32];
    candidate_name(name, sizeof name, &evidence->candidates[candidate]);
    snprintf(identity, sizeof identity, "%s round=%zu", name, round);
    if (!evidence->runs)
        evidence->runs = cJSON_CreateArray();
    cJSON *there = find_cell(evidence->runs, identity);
    if (!there) {
        cJSON_DeleteItemFromObjectCaseSensitive(cell, "identity");
        json_add_text(cell, "identity", identity);
        cJSON_AddItemToArray(evidence->runs, cell);
        evidence_add(evidence, candidate, round, identity);
        return;
    }
    cJSON *rounds = rounds_of(there), *more = rounds_of(cell), *one;
    while (rounds && (one = cJSON_DetachItemFromArray(more, 0)))
        cJSON_AddItemToArray(rounds, one);
    for (size_t i = 0; i < 2; i++)
        cJSON_ReplaceItemInObjectCaseSensitive(
            there, said[i], cJSON_DetachItemFromObjectCaseSensitive(cell, said[i]));
    cJSON_Delete(cell);
}

void evidence_look(struct advice_evidence *evidence, const cJSON *document)
{
    const cJSON *cells = evidence->runs ? evidence->runs : json_get(document, "cells");
    for (size_t i = 0; i < evidence->item_count; i++)
        evidence->items[i].cell = find_cell(cells, evidence->items[i].identity);
}

void evidence_free(struct advice_evidence *evidence)
{
    for (size_t i = 0; i < evidence->item_count; i++)
        free(evidence->items[i].identity);
    free(evidence->items);
    cJSON_Delete(evidence->runs);
    evidence->runs = NULL;
    evidence->items = NULL;
    evidence->item_count = evidence->item_room = 0;
}

/* ---- Reading. -------------------------------------------------------------------------------- */

struct contender evidence_contender(const struct advice_evidence *evidence, size_t candidate)
{
    struct contender out = {.cells = {.cells = {NULL}}};
    for (size_t i = 0; i < evidence->item_count; i++) {
        const struct evidence_item *item = &evidence->items[i];
        if (item->candidate == candidate && item->round < CRITERIA_ROUNDS)
            out.cells.cells[item->round] = item->cell;
        if (item->candidate == candidate && item->round == EVIDENCE_IDLE)
            out.cells.idle = item->cell;
    }
    out.of = criteria_of(&out.cells);
    out.of.interruption_ns = evidence->interruption_ns;
    return out;
}

bool evidence_knows(const struct advice_evidence *evidence)
{
    for (size_t i = 0; i < evidence->candidate_count; i++)
        if (evidence_contender(evidence, i).of.known)
            return true;
    return false;
}

/* Those that are ruled out are no rivals: to the front they are unknown. */
static void find_front(struct field *out)
{
    bool known[CANDIDATES_MAX];
    for (size_t i = 0; i < out->count; i++) {
        known[i] = out->contenders[i].of.known;
        out->contenders[i].of.known = known[i] && out->entries[i].allowed;
    }
    front_find(out->contenders, out->count, out->by);
    for (size_t i = 0; i < out->count; i++)
        out->contenders[i].of.known = known[i];
}

void field_fill(struct field *out, const struct advice_evidence *evidence)
{
    out->count = evidence->candidate_count;
    for (size_t i = 0; i < out->count; i++) {
        const struct candidate *candidate = &evidence->candidates[i];
        struct contender *contender = &out->contenders[i];
        *contender = evidence_contender(evidence, i);
        out->why[i][0] = '\0';
        out->entries[i] = (struct choice_contender){
            .contender = contender,
            .allowed = candidate->left_out[0] == '\0' && contender->of.known &&
                       wishes_allow(&evidence->wishes, contender, candidate_is_exact(candidate),
                                    out->why[i], sizeof out->why[i]),
            .settings = (unsigned)candidate->setting_count + (candidate->tick_ns > 0),
            .place = candidate->place,
        };
    }
    find_front(out);
    out->choice = choice_make(&evidence->wishes, out->entries, out->count, out->equal);
}
