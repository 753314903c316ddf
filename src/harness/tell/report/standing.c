/* standing.c - compares the designs of each stream and phase by their samples, and says it in a sentence. */
#include "harness/tell/report/standing.h"

#include "harness/base/json.h"
#include "harness/base/jsontext.h"
#include "harness/base/text.h"
#include "harness/measure/stats/summary.h"
#include "harness/tell/report/figure.h"
#include "harness/tell/report/view.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define MARGIN      0.03
#define SAMPLES_MIN 6
#define SAMPLES_MAX 512
#define NAMED       3 /* of those behind; the others are counted */
#define SAYS_SIZE   2000

/* ---- A phase. -------------------------------------------------------------------------------- */

static const cJSON *interval_of(const struct view_row *row, const char *phase)
{
    const cJSON *is = view_phase(row, phase), *per_op = json_get(is, "ns_per_op");
    return per_op ? per_op : json_get(is, "ns_per_advance");
}

static bool takes_part(const struct view_row *row, const char *phase)
{
    const cJSON *interval = interval_of(row, phase);
    return row->ok && view_competes(row) && json_get_number(interval, "median") > 0;
}

static size_t count_parting(const struct view_group *group, const char *phase)
{
    size_t count = 0;
    for (size_t i = 0; i < group->row_count; i++)
        count += takes_part(&group->rows[i], phase);
    return count;
}

static const struct view_row *find_fastest(const struct view_group *group, const char *phase)
{
    const struct view_row *fastest = NULL;
    for (size_t i = 0; i < group->row_count; i++) {
        const struct view_row *row = &group->rows[i];
        if (takes_part(row, phase) &&
            (!fastest || json_get_number(interval_of(row, phase), "median") <
                             json_get_number(interval_of(fastest, phase), "median")))
            fastest = row;
    }
    return fastest;
}

/* Time of `row` over that of `fastest`, sample by sample. */
static struct summary ratio_of(const struct view_row *row, const struct view_row *fastest,
                               const char *phase)
{
    double ratios[SAMPLES_MAX];
    size_t count = 0;
    const cJSON *above = json_get(interval_of(row, phase), "samples");
    const cJSON *below = json_get(interval_of(fastest, phase), "samples");
    above = above ? above->child : NULL;
    below = below ? below->child : NULL;
    for (; above && below && count < SAMPLES_MAX; above = above->next, below = below->next)
        if (below->valuedouble > 0)
            ratios[count++] = above->valuedouble / below->valuedouble;
    return count > 0 ? summary_of(ratios, count) : (struct summary){.count = 0};
}

static cJSON *make_ratio(const struct summary *ratio)
{
    cJSON *object = cJSON_CreateObject();
    json_add_measure(object, "median", ratio->median);
    json_add_measure(object, "low", ratio->low);
    json_add_measure(object, "high", ratio->high);
    json_add_measure(object, "confidence", ratio->confidence);
    json_add_integer(object, "count", ratio->count);
    return object;
}

static bool knows_all(const struct view_group *group, const struct view_row *fastest,
                      const char *phase)
{
    for (size_t i = 0; i < group->row_count; i++)
        if (takes_part(&group->rows[i], phase) &&
            ratio_of(&group->rows[i], fastest, phase).count < SAMPLES_MIN)
            return false;
    return true;
}

static void add_row(const struct view_row *row, const struct view_row *fastest, const char *phase,
                    cJSON *same, cJSON *behind)
{
    struct summary ratio = ratio_of(row, fastest, phase);
    if (ratio.low <= 1 + MARGIN) {
        cJSON_AddItemToArray(same, jsontext_string(row->label));
        return;
    }
    cJSON *other = cJSON_CreateObject();
    json_add_text(other, "design", row->label);
    json_add(other, "ratio", make_ratio(&ratio));
    cJSON_AddItemToArray(behind, other);
}

/* NULL when there is nothing to compare. */
static cJSON *make_phase(const struct view_group *group, const char *phase)
{
    const struct view_row *fastest = find_fastest(group, phase);
    if (!fastest || count_parting(group, phase) < 2)
        return NULL;
    cJSON *object = cJSON_CreateObject();
    cJSON *same = cJSON_CreateArray(), *behind = cJSON_CreateArray();
    bool is_known = knows_all(group, fastest, phase);
    for (size_t i = 0; i < group->row_count && is_known; i++)
        if (&group->rows[i] != fastest && takes_part(&group->rows[i], phase))
            add_row(&group->rows[i], fastest, phase, same, behind);
    json_add_text(object, "phase", phase);
    json_add_text(object, "fastest", is_known ? fastest->label : NULL);
    json_add(object, "not_different", same);
    json_add(object, "behind", behind);
    return object;
}

/* ---- The sentence. --------------------------------------------------------------------------- */

/* How far a design is behind in the phases that are said together. */
struct behind {
    const char *design;
    double least, most;
};

static bool is_same(const cJSON *left, const cJSON *right)
{
    return strcmp(json_get_text(left, "fastest"), json_get_text(right, "fastest")) == 0 &&
           cJSON_Compare(json_get(left, "not_different"), json_get(right, "not_different"), true);
}

static bool is_first(const cJSON *phases, const cJSON *phase)
{
    for (const cJSON *before = phases->child; before != phase; before = before->next)
        if (is_same(before, phase))
            return false;
    return true;
}

static int by_least(const void *left, const void *right)
{
    const struct behind *a = left, *b = right;
    return (a->least > b->least) - (a->least < b->least);
}

static void put_times(struct text *line, double least, double most)
{
    char low[FIGURE_SIZE], high[FIGURE_SIZE];
    figure_number(low, least);
    figure_number(high, most);
    text_add(line, strcmp(low, high) == 0 ? "%s times" : "%s to %s times", low, high);
}

static void add_behind(struct behind *all, size_t *count, const cJSON *other)
{
    const char *design = json_get_text(other, "design");
    double median = json_get_number(other, "ratio.median");
    size_t i = 0;
    while (i < *count && strcmp(all[i].design, design) != 0)
        i++;
    if (i == *count)
        all[(*count)++] = (struct behind){design, median, median};
    all[i].least = fmin(all[i].least, median);
    all[i].most = fmax(all[i].most, median);
}

/* Of the phases that are said together with `first`. */
static size_t gather(const cJSON *first, struct behind *all)
{
    size_t count = 0;
    for (const cJSON *phase = first; phase; phase = phase->next) {
        const cJSON *other;
        if (!is_same(first, phase))
            continue;
        cJSON_ArrayForEach(other, json_get(phase, "behind")) add_behind(all, &count, other);
    }
    qsort(all, count, sizeof *all, by_least);
    return count;
}

static void say_behind(struct text *line, const cJSON *first, size_t rows)
{
    struct behind *all = calloc(rows + 1, sizeof *all);
    size_t count = all ? gather(first, all) : 0;
    size_t named = count <= NAMED + 1 ? count : NAMED;
    for (size_t i = 0; i < named; i++) {
        text_add(line, ", ");
        put_times(line, all[i].least, all[i].most);
        text_add(line, "%s %s", i == 0 ? " before" : "", all[i].design);
    }
    if (named < count) {
        double most = 0;
        for (size_t i = named; i < count; i++)
            most = fmax(most, all[i].most);
        text_add(line, ", ");
        put_times(line, all[named].least, most);
        text_add(line, " %zu others", count - named);
    }
    free(all);
}

static void say_same(struct text *line, const cJSON *same)
{
    const cJSON *design;
    const char *gap = "; not significantly different: ";
    cJSON_ArrayForEach(design, same)
    {
        text_add(line, "%s%s", gap, design->valuestring);
        gap = ", ";
    }
}

/* "fastest: hashed in start and stop, 1.6 times before heap, 2.1 to 3.3 times hier; not significantly .." */
static void say(struct text *line, const cJSON *phases, const cJSON *first, size_t rows)
{
    const char *fastest = json_get_text(first, "fastest");
    size_t all = (size_t)cJSON_GetArraySize(phases), count = 0, left;
    for (const cJSON *phase = first; phase; phase = phase->next)
        count += is_same(first, phase);
    left = count;
    text_add(line, "fastest: %s", fastest[0] ? fastest : "not known, for want of six samples");
    for (const cJSON *phase = first; phase && count < all; phase = phase->next)
        if (is_same(first, phase)) {
            const char *gap = left == count ? " in" : left == 1 ? " and" : ",";
            text_add(line, "%s %s", gap, json_get_text(phase, "phase"));
            left--;
        }
    if (!fastest[0])
        return;
    say_behind(line, first, rows);
    say_same(line, json_get(first, "not_different"));
}

/* ---- The whole. ------------------------------------------------------------------------------ */

static cJSON *make_group(const struct view_group *group)
{
    cJSON *phases = cJSON_CreateArray(), *says = cJSON_CreateArray();
    for (size_t i = 0; i < group->phase_count; i++) {
        cJSON *phase = make_phase(group, group->phases[i]);
        if (phase)
            cJSON_AddItemToArray(phases, phase);
    }
    for (const cJSON *phase = phases->child; phase; phase = phase->next) {
        char text[SAYS_SIZE] = "";
        struct text line = text_in(text, sizeof text);
        if (!is_first(phases, phase))
            continue;
        say(&line, phases, phase, group->row_count);
        cJSON_AddItemToArray(says, jsontext_string(text));
    }
    cJSON *object = cJSON_CreateObject();
    json_add_text(object, "workload", group->workload);
    json_add_measure(object, "tasks", group->tasks);
    json_add_text(object, "stream_hash", group->stream_hash);
    json_add(object, "says", says);
    json_add(object, "phases", phases);
    return object;
}

cJSON *standing_make(const cJSON *document)
{
    struct view view = view_make(document);
    cJSON *list = cJSON_CreateArray();
    for (size_t i = 0; list && i < view.group_count; i++) {
        cJSON *group = make_group(&view.groups[i]);
        if (cJSON_GetArraySize(json_get(group, "phases")) > 0)
            cJSON_AddItemToArray(list, group);
        else
            cJSON_Delete(group);
    }
    view_free(&view);
    return list;
}
