/* verdicts.c - writes the verdicts of claims into the document. */
#include "labs/teach/claims/claims.h"

#include "harness/base/json.h"
#include "harness/base/memory.h"

/* ---- Which cell is whose. -------------------------------------------------------------------- */

void verdicts_add_cell(struct verdicts_cells *cells, const struct experiment_run *run,
                       const char *impl, double x, const char *identity)
{
    memory_room(&cells->items, cells->count, &cells->room, sizeof *cells->items);
    cells->items[cells->count++] = (struct verdicts_cell){run, impl, x, memory_text(identity)};
}

void verdicts_free_cells(struct verdicts_cells *cells)
{
    for (size_t i = 0; i < cells->count; i++)
        free(cells->items[i].identity);
    free(cells->items);
    *cells = (struct verdicts_cells){NULL, 0, 0};
}

const cJSON *verdicts_cell_of(const cJSON *document, const char *identity)
{
    static const char *const lists[] = {"cells", "lab_cells"};
    for (size_t i = 0; i < sizeof lists / sizeof *lists; i++)
        json_each(cell, document, lists[i])
            if (strcmp(json_get_text(cell, "identity"), identity) == 0)
                return cell;
    return NULL;
}

/* ---- Commands. ------------------------------------------------------------------------------- */

/* The points of such a run differ in nothing else. */
static bool is_sweep_of_tasks(const struct experiment_run *run)
{
    for (size_t i = 0; i < run->point_count; i++)
        if ((double)run->points[i].tasks < run->points[i].x ||
            (double)run->points[i].tasks > run->points[i].x)
            return false;
    return true;
}

/* A lab runs one cell at a time. */
static cJSON *make_commands(const struct experiment_run *run)
{
    char line[2000];
    cJSON *array = cJSON_CreateArray();
    bool all = !run->lab && is_sweep_of_tasks(run);
    for (size_t p = 0; p < (all ? 1 : run->point_count); p++)
        for (size_t i = 0; i < (run->lab ? run->impl_count : 1); i++) {
            struct command_words words;
            command_make(&words, run, all ? EVERY : p, run->lab ? i : EVERY);
            command_print(line, sizeof line, &words);
            cJSON_AddItemToArray(array, jsontext_string(line));
        }
    return array;
}

/* ---- A claim. -------------------------------------------------------------------------------- */

static cJSON *make_run(const struct experiment_run *run, const struct verdicts_cells *cells)
{
    cJSON *object = cJSON_CreateObject(), *identities = cJSON_CreateArray();
    json_add_text(object, "name", run->name);
    json_add_text(object, "measure", run->timed ? "times" : "counts");
    json_add(object, "commands", make_commands(run));
    for (size_t i = 0; i < cells->count; i++)
        if (cells->items[i].run == run)
            cJSON_AddItemToArray(identities, jsontext_string(cells->items[i].identity));
    json_add(object, "cells", identities);
    return object;
}

static bool part_is_timed(const struct experiment_part *part)
{
    return part->kind != KIND_FORMULA && (part->of.timed || (part->has_to && part->to.timed));
}

/* What the file says besides who the part is: what was looked at, and what was wanted of it. */
static cJSON *make_predicate(const cJSON *part)
{
    static const char *const said[] = {"id", "statement", "role", "kind"};
    cJSON *predicate = cJSON_Duplicate(part, true);
    for (size_t i = 0; predicate && i < sizeof said / sizeof *said; i++)
        cJSON_DeleteItemFromObjectCaseSensitive(predicate, said[i]);
    return predicate;
}

static cJSON *make_part(const struct experiment_part *part, const cJSON *source,
                        const struct judgement *judgement)
{
    cJSON *object = cJSON_CreateObject();
    json_put(object, part, id, statement);
    json_add_text(object, "role", part->is_reading ? "reading" : "claim");
    json_add_text(object, "kind", experiment_kind_name(part->kind));
    json_add(object, "predicate", make_predicate(source));
    json_add_text(object, "basis", part_is_timed(part) ? "times" : "counts");
    json_add_text(object, "verdict", claim_verdict_name(judgement->verdict));
    json_add_text(object, "why", judgement->why);
    return object;
}

static const char *basis_of(const struct experiment *experiment)
{
    bool timed = false, counted = false;
    for (size_t i = 0; i < experiment->part_count; i++) {
        const struct experiment_part *part = &experiment->parts[i];
        timed = timed || (!part->is_reading && part_is_timed(part));
        counted = counted || (!part->is_reading && !part_is_timed(part));
    }
    return timed && counted ? "counts and times" : timed ? "times" : "counts";
}

/* What the file says the verdict means; else the first part that decided it. */
static void add_why(cJSON *claim, const struct experiment *experiment, enum claim_verdict verdict,
                    const cJSON *parts)
{
    const char *name = claim_verdict_name(verdict);
    const cJSON *meaning = json_get(experiment->json, "meaning");
    const char *said = json_get_text(meaning, name);
    json_each(part, parts, "") {
        bool decides = json_says(part, "role", "claim") && json_says(part, "verdict", name);
        if (!said[0] && decides)
            said = json_get_text(part, "why");
    }
    json_add_text(claim, "why", said);
}

static cJSON *copy_of(const cJSON *tree, const char *key)
{
    const cJSON *item = json_get(tree, key);
    return item ? cJSON_Duplicate(item, true) : cJSON_CreateArray();
}

static cJSON *make_claim(const struct experiment *experiment, const struct evidence *evidence,
                         const struct verdicts_cells *cells)
{
    cJSON *claim = cJSON_CreateObject(), *figures = cJSON_CreateObject();
    cJSON *parts = cJSON_CreateArray(), *runs = cJSON_CreateArray();
    const cJSON *sources = json_get(experiment->json, "parts");
    enum claim_verdict verdict = CLAIM_HOLDS;
    for (size_t i = 0; i < experiment->part_count; i++) {
        struct judgement judgement;
        predicate_judge(&experiment->parts[i], evidence, &judgement);
        if (!experiment->parts[i].is_reading)
            verdict = claim_verdict_and(verdict, judgement.verdict);
        cJSON_AddItemToArray(parts, make_part(&experiment->parts[i],
                                              cJSON_GetArrayItem(sources, (int)i), &judgement));
        cJSON_AddItemToObject(figures, experiment->parts[i].id, judgement.figures);
    }
    for (size_t i = 0; i < experiment->run_count; i++)
        cJSON_AddItemToArray(runs, make_run(&experiment->runs[i], cells));
    json_add_text(claim, "id", experiment->id);
    json_add_text(claim, "verdict", claim_verdict_name(verdict));
    json_add_text(claim, "statement", experiment->statement);
    json_add(claim, "documents", copy_of(experiment->json, "documents"));
    add_why(claim, experiment, verdict, parts);
    json_add_text(claim, "basis", basis_of(experiment));
    json_add_text(claim, "test", json_get_text(experiment->json, "test"));
    json_add(claim, "parts", parts);
    json_add(claim, "figures", figures);
    json_add(claim, "runs", runs);
    json_add(claim, "peers", copy_of(experiment->json, "peers"));
    json_add(claim, "pictures", pictures_make(experiment->pictures, evidence));
    return claim;
}

static cJSON *make_not_yet(const struct experiment *experiment)
{
    cJSON *object = cJSON_CreateObject();
    json_put(object, experiment, id, statement);
    json_add(object, "documents", copy_of(experiment->json, "documents"));
    json_add_text(object, "waits_for", experiment->waits_for);
    return object;
}

/* ---- All of them. ---------------------------------------------------------------------------- */

static struct evidence_cell *gather(const struct verdicts_cells *cells, const cJSON *document)
{
    struct evidence_cell *out = memory_take(cells->count + 1, sizeof *out);
    for (size_t i = 0; i < cells->count; i++) {
        const struct verdicts_cell *cell = &cells->items[i];
        out[i] = (struct evidence_cell){cell->run, cell->impl, cell->x,
                                        verdicts_cell_of(document, cell->identity)};
    }
    return out;
}

void verdicts_attach(const struct catalogue *catalogue, const struct verdicts_cells *cells,
                     bool quick, struct result_document *document)
{
    struct evidence_cell *gathered = gather(cells, result_json(document));
    struct evidence evidence = {gathered, cells->count, quick};
    cJSON *claims = cJSON_CreateArray(), *not_yet = cJSON_CreateArray();
    for (size_t i = 0; i < catalogue->count; i++) {
        const struct experiment *experiment = catalogue->items[i];
        if (experiment->waits_for)
            cJSON_AddItemToArray(not_yet, make_not_yet(experiment));
        else
            cJSON_AddItemToArray(claims, make_claim(experiment, &evidence, cells));
    }
    free(gathered);
    result_attach(document, "quick", cJSON_CreateBool(quick));
    result_attach(document, "claims", claims);
    result_attach(document, "not_yet", not_yet);
}
