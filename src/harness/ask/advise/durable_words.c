/* durable_words.c - writes the sentences of an advice on stores. */
#include "harness/ask/advise/durable_words.h"

#include "harness/ask/stores/stores_cell.h"
#include "harness/base/json.h"
#include "harness/base/text.h"
#include "harness/base/units.h"
#include "harness/measure/durable/durable_run.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#define REACH_FAR_MS 3.2e11 /* ten years: no limit that anybody meets */

static const struct durable_measure *goal_of(const struct durable_evidence *evidence)
{
    return durable_goal(evidence->wishes.goal);
}

/* "3.41 times better by puts a second than sqlite (2.9 - 3.6, 6 pairs, at 1M messages)". */
static void put_factor(struct text *line, const struct summary *factor,
                       const struct durable_measure *measure, const char *than, uint64_t tasks)
{
    char low[32], high[32], middle[32], count[32];
    words_number(middle, sizeof middle, factor->median);
    words_number(low, sizeof low, factor->low);
    words_number(high, sizeof high, factor->high);
    units_format_count(count, sizeof count, tasks);
    text_add(line, "%s times better by %s than %s (%s - %s, %zu pair%s, at %s messages)", middle,
             measure->better, than, low, high, factor->count, factor->count == 1 ? "" : "s", count);
}

/* "wheel-log is 0.91 times as good (0.23 - 3.6, 1 pair, at 1k messages)". */
static void put_ratio(struct text *line, const char *left, const struct summary *factor,
                      uint64_t tasks)
{
    char low[32], high[32], middle[32], count[32];
    words_number(middle, sizeof middle, factor->median);
    words_number(low, sizeof low, factor->low);
    words_number(high, sizeof high, factor->high);
    units_format_count(count, sizeof count, tasks);
    text_add(line, "%s is %s times as good (%s - %s, %zu pair%s, at %s messages)", left, middle,
             low, high, factor->count, factor->count == 1 ? "" : "s", count);
}

void durable_words_next(char *out, size_t size, const struct durable_evidence *evidence,
                        const struct durable_choice *choice)
{
    uint64_t tasks;
    struct text line = text_in(out, size);
    if (choice->chosen == CHOICE_NONE || choice->next == CHOICE_NONE)
        return;
    struct summary factor =
        durable_factor(evidence, choice->chosen, choice->next, goal_of(evidence), &tasks);
    put_factor(&line, &factor, goal_of(evidence), evidence->entrants[choice->next].key, tasks);
}

void durable_words_unclear(char *out, size_t size, const struct durable_evidence *evidence,
                           const struct durable_choice *choice)
{
    struct text line = text_in(out, size);
    size_t equal = 0, left;
    if (choice->chosen == CHOICE_NONE)
        return;
    for (size_t i = 0; i < evidence->count; i++)
        if (choice->equal[i])
            equal++;
    if (equal == 0 && choice->next == CHOICE_NONE) {
        text_add(&line, "No other store was measured that may be recommended");
        return;
    }
    left = equal;
    if (equal > 0)
        text_add(&line, "No clear answer between %s", evidence->entrants[choice->chosen].key);
    for (size_t i = 0; i < evidence->count; i++)
        if (choice->equal[i])
            text_add(&line, "%s%s", --left == 0 ? " and " : ", ", evidence->entrants[i].key);
    if (equal > 0)
        text_add(&line, " by %s", goal_of(evidence)->better);
}

/* ---- Reasons. -------------------------------------------------------------------------------- */

static void put_value(struct text *line, const struct durable_measure *measure, double value)
{
    char text[40], sentence[120];
    if (measure->ns > 0)
        words_time(text, sizeof text, value * measure->ns);
    else if (value >= 1e5)
        units_format_count(text, sizeof text, units_whole(value));
    else
        words_number(text, sizeof text, value);
    snprintf(sentence, sizeof sentence, measure->says, text);
    text_add_item(line, ", ", "%s", sentence);
}

static void put_figures(struct text *line, const struct durable_evidence *evidence,
                        const struct durable_entrant *entrant)
{
    char count[32];
    const struct durable_measure *measure;
    const cJSON *cell = durable_largest(evidence, entrant);
    double tasks = json_get_number(cell, "load.tasks");
    for (size_t i = 0; (measure = durable_measure(i)); i++) {
        double value = durable_value(evidence, entrant, measure);
        if (!isnan(value))
            put_value(line, measure, value);
    }
    units_format_count(count, sizeof count, units_whole(tasks));
    text_add(line, "; at %s messages, %zu run%s", count, stores_cell_runs(cell),
             stores_cell_runs(cell) == 1 ? "" : "s");
}

/* The clearest better one in another figure; CHOICE_NONE when the chosen one is not clearly worse than any. */
static size_t better_in(const struct durable_evidence *evidence,
                        const struct durable_choice *choice, const struct durable_measure *measure,
                        struct summary *factor, uint64_t *tasks)
{
    size_t best = CHOICE_NONE;
    for (size_t i = 0; i < evidence->count; i++) {
        uint64_t at;
        if (i == choice->chosen || !choice->allowed[i])
            continue;
        struct summary one = durable_factor(evidence, i, choice->chosen, measure, &at);
        if (criteria_ratio_sign(&one) > 0 && (best == CHOICE_NONE || one.median > factor->median)) {
            best = i;
            *factor = one;
            *tasks = at;
        }
    }
    return best;
}

bool durable_words_reason(char *out, size_t size, const struct durable_evidence *evidence,
                          const struct durable_choice *choice, size_t index)
{
    struct text line = text_in(out, size);
    const struct durable_measure *measure;
    size_t seen = 0;
    if (index == 0) {
        put_figures(&line, evidence, &evidence->entrants[choice->chosen]);
        return true;
    }
    index--;
    for (size_t i = 0; (measure = durable_measure(i)); i++) {
        struct summary factor;
        uint64_t tasks;
        size_t better = measure == goal_of(evidence)
                            ? CHOICE_NONE
                            : better_in(evidence, choice, measure, &factor, &tasks);
        if (better == CHOICE_NONE || seen++ < index)
            continue;
        text_add(&line, "%s is ", evidence->entrants[better].key);
        put_factor(&line, &factor, measure, evidence->entrants[choice->chosen].key, tasks);
        return true;
    }
    return false;
}

/* ---- The others. ----------------------------------------------------------------------------- */

void durable_words_refuses(char *out, size_t size, const struct durable_evidence *evidence,
                           const struct durable_entrant *entrant)
{
    struct text line = text_in(out, size);
    const cJSON *cell = durable_largest(evidence, entrant);
    double reach_ms = json_get_number(cell, "reach_ms");
    double refused = json_get_number(cell, "ledger.refused");
    for (int policy = TW_SYNC_ALWAYS; entrant->backend && policy <= TW_SYNC_NONE; policy++)
        if (!(entrant->backend->policies & 1u << policy))
            text_add_item(&line, ", ", "--sync=%s", durable_sync_name((enum tw_sync_policy)policy));
    if (reach_ms > 0 && reach_ms < REACH_FAR_MS)
        text_add_item(&line, ", ", "a due more than %.0f hours ahead", reach_ms / 3.6e6);
    if (refused > 0)
        text_add_item(&line, ", ", "%.0f of the %.0f puts here", refused,
                      json_get_number(cell, "load.tasks") * json_get_number(cell, "runs"));
}

static const cJSON *first_cell(const struct durable_evidence *evidence,
                               const struct durable_entrant *entrant)
{
    for (size_t i = 0; i < evidence->size_count; i++)
        if (entrant->fills[i] != STORING_NO_CELL)
            return durable_cell(evidence, entrant->fills[i]);
    return NULL;
}

void durable_words_why(char *out, size_t size, const struct durable_evidence *evidence,
                       const struct durable_choice *choice, size_t entrant)
{
    uint64_t tasks;
    struct text line = text_in(out, size);
    const struct durable_entrant *of = &evidence->entrants[entrant];
    if (entrant == choice->chosen)
        return;
    if (of->reached == 0 && !durable_broken(evidence, of)) {
        const cJSON *cell = first_cell(evidence, of);
        text_add(&line, "%s", cell ? json_get_text(cell, "reason") : "no time was left for it");
        return;
    }
    if (!choice->allowed[entrant]) {
        durable_allows(evidence, of, out, size);
        return;
    }
    struct summary factor =
        durable_factor(evidence, choice->chosen, entrant, goal_of(evidence), &tasks);
    if (isnan(factor.median))
        return;
    if (choice->equal[entrant]) {
        text_add(&line, "not clearly different by %s: ", goal_of(evidence)->better);
        put_ratio(&line, evidence->entrants[choice->chosen].key, &factor, tasks);
        return;
    }
    text_add(&line, "%s is ", evidence->entrants[choice->chosen].key);
    put_factor(&line, &factor, goal_of(evidence), of->key, tasks);
}

void durable_words_rule(char *out, size_t size, const struct wishes *wishes)
{
    char text[40];
    struct text line = text_in(out, size);
    text_add(&line,
             "the best by %s of those that lost and repeated nothing, each pair compared at the "
             "largest number of messages that both came to",
             durable_goal(wishes->goal)->better);
    if (wishes->late_ns > 0) {
        words_time(text, sizeof text, (double)wishes->late_ns);
        text_add(&line, "; dispatch late by at most %s (99th percentile)", text);
    }
    if (wishes->tail_ns > 0) {
        words_time(text, sizeof text, (double)wishes->tail_ns);
        text_add(&line, "; acknowledged within %s (99th percentile)", text);
    }
    if (wishes->memory_bytes > 0)
        text_add(&line, "; at most %g bytes of memory a pending message", wishes->memory_bytes);
}

void durable_words_command(char *out, size_t size, const struct durable_evidence *evidence,
                           const struct durable_entrant *entrant)
{
    struct text line = text_in(out, size);
    const struct storing_request *request = evidence->request;
    const struct durable_load *load = &request->load;
    struct durable_load usual = storing_default_load();
    const cJSON *cell = durable_largest(evidence, entrant);
    char span[32];
    text_add(&line, "twbench stores --stores=%s --tasks=%.0f --sync=%s", entrant->key,
             json_get_number(cell, "load.tasks"), durable_sync_name(request->syncs[0].policy));
    if (request->syncs[0].policy == TW_SYNC_INTERVAL)
        text_add(&line, ":%" PRIu32 "ms", request->syncs[0].interval_ms);
    if (request->producers[0] != 1)
        text_add(&line, " --producers=%" PRIu64, request->producers[0]);
    if (request->batches[0] != 1)
        text_add(&line, " --batch=%" PRIu64, request->batches[0]);
    if (cJSON_IsFalse(json_get(cell, "load.drain")))
        text_add(&line, " --no-drain");
    if (load->payload_min != load->payload_max)
        text_add(&line, " --payload=%" PRIu32 "..%" PRIu32, load->payload_min, load->payload_max);
    else if (load->payload_min != usual.payload_min)
        text_add(&line, " --payload=%" PRIu32, load->payload_min);
    if (load->cancel_permille != usual.cancel_permille)
        text_add(&line, " --cancels=%g", load->cancel_permille / 1000.0);
    if (load->hot_permille != usual.hot_permille)
        text_add(&line, " --hot=%g", load->hot_permille / 1000.0);
    if (load->span_ms != usual.span_ms) {
        units_format_time(span, sizeof span, load->span_ms * 1000000);
        for (char *c = span; *c; c++)
            if (*c != ' ')
                text_add(&line, c == span ? " --span=%c" : "%c", *c);
    }
}
