/* standing.c - compares the designs of each stream and phase by their samples, and says it in a sentence. */
#include "harness/tell/report/standing.h"

#include "harness/base/json.h"
#include "harness/base/memory.h"
#include "harness/base/text.h"
#include "harness/tell/report/figure.h"
#include "harness/tell/report/view.h"
#include "harness/tell/result/interval.h"

#define MARGIN      0.03
#define SAMPLES_MIN 6
#define SAMPLES_MAX 512
#define NAMED       3 /* of those behind; the others are counted */
#define NET_SPREAD  2 /* a net factor is said when its interval is no wider than this */
#define SAYS_SIZE   2000

/* ---- A phase. -------------------------------------------------------------------------------- */

static const cJSON *interval_of(const struct view_row *row, const char *phase)
{
    return view_cost(view_phase(row, phase));
}

/* A design that may be late does less work for the same load: it is no answer to which is the fastest. */
static bool takes_part(const struct view_row *row, const char *phase)
{
    return row->ok && view_competes(row) &&
           !(json_get_number(row->cell, "traits.late_ticks") > 0) &&
           !(json_get_number(row->cell, "traits.late_shift") > 0) &&
           json_get_number(interval_of(row, phase), "median") > 0;
}

/* NULL: fewer than two take part. */
static const struct view_row *find_fastest(const struct view_group *group, const char *phase)
{
    const struct view_row *fastest = NULL;
    size_t parting = 0;
    for (size_t i = 0; i < group->row_count; i++) {
        const struct view_row *row = &group->rows[i];
        if (!takes_part(row, phase))
            continue;
        parting++;
        if (!fastest || json_get_number(interval_of(row, phase), "median") <
                            json_get_number(interval_of(fastest, phase), "median"))
            fastest = row;
    }
    return parting < 2 ? NULL : fastest;
}

struct summary standing_ratio(const struct view_row *row, const struct view_row *fastest,
                              const char *phase)
{
    double ratios[SAMPLES_MAX];
    size_t count = 0;
    const cJSON *above = json_first(interval_of(row, phase), "samples");
    const cJSON *below = json_first(interval_of(fastest, phase), "samples");
    for (; above && below && count < SAMPLES_MAX; above = above->next, below = below->next)
        if (below->valuedouble > 0)
            ratios[count++] = above->valuedouble / below->valuedouble;
    return count > 0 ? summary_of(ratios, count) : (struct summary){.count = 0};
}

/* ---- Net of the harness. --------------------------------------------------------------------- */

/* The design that keeps nothing: what the harness takes to make the same calls.  NULL: not timed. */
static const struct view_row *find_harness(const struct view_group *group, const char *phase)
{
    for (size_t i = 0; i < group->row_count; i++)
        if (group->rows[i].is_harness && group->rows[i].ok &&
            json_get_number(interval_of(&group->rows[i], phase), "median") > 0)
            return &group->rows[i];
    return NULL;
}

/* What the times of interval_of are per.  Nothing fires of the harness: its phase may be timed by another count. */
static double count_of(const struct view_row *row, const char *phase)
{
    const cJSON *is = view_phase(row, phase);
    return json_get(is, "ns_per_op") ? view_operations(is)
                                     : json_get_number(is, "operations.advance");
}

/* Time of a pass through the phase, ns, in which null made the same calls.  Where it is no design of the run, by the
 * mean of its calls on the stream.  NaN: not timed. */
static double harness_ns(const struct view_group *group, const struct view_row *fastest,
                         const char *phase)
{
    const struct view_row *harness = find_harness(group, phase);
    const cJSON *is = view_phase(fastest, phase);
    if (harness)
        return json_get_number(interval_of(harness, phase), "median") * count_of(harness, phase);
    return json_get_number(fastest->cell, "harness_ns_per_op") *
           (json_get_number(is, "operations.start") + json_get_number(is, "operations.stop") +
            json_get_number(is, "operations.advance"));
}

/* Of the fastest's time, by medians: times per advance have no samples. */
static double harness_share(const struct view_group *group, const struct view_row *fastest,
                            const char *phase)
{
    double all_ns =
        json_get_number(interval_of(fastest, phase), "median") * count_of(fastest, phase);
    return harness_ns(group, fastest, phase) / all_ns;
}

double standing_net_ns(const struct view_group *group, const struct view_row *row,
                       const char *phase)
{
    const cJSON *corrected = json_get(view_phase(row, phase), "corrected");
    if (corrected)
        return json_get(corrected, "reason") ? NAN : json_get_number(corrected, "ns_per_op.median");
    double share = harness_share(group, row, phase);
    bool is_known = json_get(view_phase(row, phase), "ns_per_op") && share < 1 - MARGIN;
    return is_known ? json_get_number(interval_of(row, phase), "median") * (1 - share) : NAN;
}

/* Of both without the harness's time.  No count where that is not known, or leaves less of the fastest than tells
 * designs apart. */
static struct summary net_of_share(struct summary ratio, double share)
{
    if (!(share < 1 - MARGIN))
        return (struct summary){.count = 0};
    ratio.median = (ratio.median - share) / (1 - share);
    ratio.low = (ratio.low - share) / (1 - share);
    ratio.high = (ratio.high - share) / (1 - share);
    return ratio;
}

/* ---- A phase as JSON. ------------------------------------------------------------------------ */

static bool knows_all(const struct view_group *group, const struct view_row *fastest,
                      const char *phase)
{
    for (size_t i = 0; i < group->row_count; i++)
        if (takes_part(&group->rows[i], phase) &&
            standing_ratio(&group->rows[i], fastest, phase).count < SAMPLES_MIN)
            return false;
    return true;
}

/* A phase in which nobody stands behind the fastest yet; unless it is known, it leads in each sample so far. */
static cJSON *begin_phase(const char *name, const char *fastest, bool is_known, double share)
{
    cJSON *phase = cJSON_CreateObject();
    json_add_text(phase, "phase", name);
    json_add_text(phase, "fastest", is_known ? fastest : NULL);
    if (!is_known)
        json_add_text(phase, "leads", fastest);
    json_add_measure(phase, "harness_share", share);
    json_add(phase, "not_different", cJSON_CreateArray());
    json_add(phase, "behind", cJSON_CreateArray());
    return phase;
}

static void add_other(cJSON *phase, const char *label, struct summary ratio, double share)
{
    if (!json_get_text(phase, "fastest")[0]) {
        if (!(ratio.low > 1))
            cJSON_DeleteItemFromObjectCaseSensitive(phase, "leads");
        return;
    }
    if (ratio.low <= 1 + MARGIN) {
        cJSON_AddItemToArray(cJSON_GetObjectItemCaseSensitive(phase, "not_different"),
                             jsontext_string(label));
        return;
    }
    cJSON *other = cJSON_CreateObject();
    json_add_text(other, "design", label);
    json_add(other, "ratio", interval_of_summary(&ratio));
    struct summary net = net_of_share(ratio, share);
    json_add(other, "ratio_net", net.count > 0 ? interval_of_summary(&net) : cJSON_CreateNull());
    cJSON_AddItemToArray(cJSON_GetObjectItemCaseSensitive(phase, "behind"), other);
}

/* Of one design no more is known than that the harness's time hides it. */
static bool is_unclear(const struct view_group *group, const char *phase)
{
    for (size_t i = 0; i < group->row_count; i++)
        if (view_competes(&group->rows[i]) &&
            json_get(view_phase(&group->rows[i], phase), "corrected.reason"))
            return true;
    return false;
}

/* NULL when there is nothing to compare. */
static cJSON *make_phase(const struct view_group *group, const char *phase)
{
    const struct view_row *fastest = find_fastest(group, phase);
    if (!fastest || is_unclear(group, phase))
        return NULL;
    bool is_known = knows_all(group, fastest, phase);
    double share = is_known && !group->between[0] ? harness_share(group, fastest, phase) : NAN;
    cJSON *object = begin_phase(phase, fastest->label, is_known, share);
    for (size_t i = 0; i < group->row_count; i++) {
        const struct view_row *row = &group->rows[i];
        if (row != fastest && takes_part(row, phase))
            add_other(object, row->label, standing_ratio(row, fastest, phase), share);
    }
    return object;
}

/* ---- The sentence. --------------------------------------------------------------------------- */

/* How far a design is behind in the phases that are said together. */
struct behind {
    const char *design;
    double least, most, least_net, most_net; /* net: NaN where a phase does not tell */
    bool has_net;                            /* the harness was timed */
};

static bool is_same(const cJSON *left, const cJSON *right)
{
    return json_says(left, "fastest", json_get_text(right, "fastest")) &&
           json_says(left, "leads", json_get_text(right, "leads")) &&
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

static void put_range(struct text *line, double least, double most)
{
    char low[FIGURE_SIZE], high[FIGURE_SIZE];
    figure_number(low, least);
    figure_number(high, most);
    text_add(line, strcmp(low, high) == 0 ? "%s" : "%s to %s", low, high);
}

/* "1.60 to 2.00 times as fast as heap (3.10 to 4.00 without the harness)", or "heap 1.60 times as late" */
static void put_times(struct text *line, const struct behind *behind, bool late)
{
    text_add(line, "%s%s", late ? behind->design : "", late ? " " : "");
    put_range(line, behind->least, behind->most);
    text_add(line, " times as %s%s", late ? "late" : "fast as ", late ? "" : behind->design);
    if (!behind->has_net)
        return;
    text_add(line, " (");
    if (isnan(behind->least_net) || isnan(behind->most_net))
        text_add(line, "overhead too large to subtract");
    else {
        put_range(line, behind->least_net, behind->most_net);
        text_add(line, " without the harness");
    }
    text_add(line, ")");
}

/* Unlike fmin and fmax: what is not known stays so. */
static void widen(double *least, double *most, double value)
{
    *least = value < *least || isnan(value) ? value : *least;
    *most = value > *most || isnan(value) ? value : *most;
}

static double net_of(const cJSON *other)
{
    double low = json_get_number(other, "ratio_net.low");
    bool is_clear = low > 0 && json_get_number(other, "ratio_net.high") <= NET_SPREAD * low;
    return is_clear ? json_get_number(other, "ratio_net.median") : NAN;
}

static void add_behind(struct behind *all, size_t *count, const cJSON *other, bool has_net)
{
    const char *design = json_get_text(other, "design");
    double median = json_get_number(other, "ratio.median"), net = net_of(other);
    size_t i = 0;
    while (i < *count && strcmp(all[i].design, design) != 0)
        i++;
    if (i == *count)
        all[(*count)++] = (struct behind){design, median, median, net, net, false};
    all[i].has_net = all[i].has_net || has_net;
    widen(&all[i].least, &all[i].most, median);
    widen(&all[i].least_net, &all[i].most_net, net);
}

/* Of the phases that are said together with `first`. */
static size_t gather(const cJSON *first, struct behind *all)
{
    size_t count = 0;
    for (const cJSON *phase = first; phase; phase = phase->next) {
        bool has_net = json_get_number(phase, "harness_share") > 0;
        if (!is_same(first, phase))
            continue;
        json_each(other, phase, "behind")
            add_behind(all, &count, other, has_net);
    }
    qsort(all, count, sizeof *all, by_least);
    return count;
}

/* Where no net factor is clear it is said once, with the reason; then no factor says it again. */
static bool drop_unclear(struct behind *all, size_t count)
{
    bool has_net = false, is_clear = false;
    for (size_t i = 0; i < count; i++) {
        has_net = has_net || all[i].has_net;
        is_clear = is_clear || !isnan(all[i].least_net);
    }
    for (size_t i = 0; i < count && !is_clear; i++)
        all[i].has_net = false;
    return has_net && !is_clear;
}

static void say_behind(struct text *line, const cJSON *first, size_t rows, bool late)
{
    char others_name[32];
    struct behind *all = memory_take(rows, sizeof *all);
    size_t count = gather(first, all);
    bool is_unclear = drop_unclear(all, count);
    size_t named = count <= NAMED + 1 ? count : NAMED;
    for (size_t i = 0; i < named; i++) {
        text_add(line, i == 0 ? ": " : ", ");
        put_times(line, &all[i], late);
    }
    if (named < count) {
        struct behind others = all[named];
        for (size_t i = named + 1; i < count; i++) {
            widen(&others.least, &others.most, all[i].most);
            widen(&others.least_net, &others.most_net, all[i].least_net);
            widen(&others.least_net, &others.most_net, all[i].most_net);
        }
        snprintf(others_name, sizeof others_name, "%zu others", count - named);
        others.design = others_name;
        text_add(line, ", ");
        put_times(line, &others, late);
    }
    if (is_unclear)
        text_add(line, "; overhead too large to subtract, or samples too scattered");
    free(all);
}

static void say_same(struct text *line, const cJSON *same, const char *gap)
{
    json_each(design, same, "") {
        text_add(line, "%s%s", gap, design->valuestring);
        gap = ", ";
    }
}

/* "hashed is fastest in start and stop: 1.6 times as fast as heap, 2.1 to 3.3 times as fast as hier; not significantly .." */
static void say(struct text *line, const cJSON *phases, const cJSON *first, size_t rows)
{
    const char *fastest = json_get_text(first, "fastest"), *leads = json_get_text(first, "leads");
    size_t all = (size_t)cJSON_GetArraySize(phases), count = 0, left;
    for (const cJSON *phase = first; phase; phase = phase->next)
        count += is_same(first, phase);
    left = count;
    /* Of a load at its pace on the real clock the 99th percentile of lateness is compared. */
    bool late = json_says(first, "phase", "late p99"),
         is_tie = fastest[0] && !json_get(first, "behind")->child;
    const char *is = is_tie ? "no significant difference" : late ? "least late" : "fastest";
    text_add(line, "%s%s%s", is_tie ? "" : fastest, fastest[0] && !is_tie ? " is " : "", is);
    for (const cJSON *phase = first; phase && count < all; phase = phase->next)
        if (is_same(first, phase)) {
            const char *gap = left == count ? " in" : left == 1 ? " and" : ",";
            text_add(line, "%s %s", gap, json_get_text(phase, "phase"));
            left--;
        }
    if (!fastest[0]) {
        text_add(line, ": %s in each sample; fewer than six give no interval (--runs=7)",
                 leads[0] ? leads : "no design");
        return;
    }
    if (is_tie)
        text_add(line, ": %s", fastest);
    say_behind(line, first, rows, late);
    say_same(line, json_get(first, "not_different"),
             is_tie ? ", " : "; not significantly different from ");
}

/* Factors are read, and the harness's share in them is not known. */
static bool lacks_net(const cJSON *phases)
{
    json_each(phase, phases, "")
        if (json_get(phase, "behind")->child && !(json_get_number(phase, "harness_share") > 0))
            return true;
    return false;
}

/* ---- Figures that stand for a whole run. ----------------------------------------------------- */

void standing_contend(struct standing_contender *contender, const char *label)
{
    *contender = (struct standing_contender){.label = label};
}

void standing_sample(struct standing_contender *contender, double value)
{
    if (contender->count < STANDING_SAMPLES)
        contender->samples[contender->count++] = value;
}

static double median_of(const struct standing_contender *contender)
{
    return summary_of(contender->samples, contender->count).median;
}

static struct summary ratio_to(const struct standing_contender *one,
                               const struct standing_contender *best)
{
    double ratios[STANDING_SAMPLES];
    size_t count = one->count < best->count ? one->count : best->count;
    for (size_t i = 0; i < count; i++)
        ratios[i] = one->samples[i] / best->samples[i];
    return summary_of(ratios, count);
}

cJSON *standing_phase(const char *name, const struct standing_contender *all, size_t count)
{
    const struct standing_contender *best = NULL;
    bool is_known = true;
    for (size_t i = 0; i < count; i++) {
        is_known = is_known && all[i].count >= SAMPLES_MIN;
        if (all[i].count > 0 && (!best || median_of(&all[i]) < median_of(best)))
            best = &all[i];
    }
    if (!best || count < 2)
        return NULL;
    cJSON *phase = begin_phase(name, best->label, is_known, NAN);
    for (size_t i = 0; i < count; i++)
        if (&all[i] != best)
            add_other(phase, all[i].label, ratio_to(&all[i], best), NAN);
    return phase;
}

void standing_say(struct text *line, const cJSON *phase)
{
    cJSON *phases = cJSON_CreateArray();
    cJSON_AddItemToArray(phases, cJSON_Duplicate(phase, true));
    say(line, phases, phases->child, (size_t)cJSON_GetArraySize(json_get(phase, "behind")));
    cJSON_Delete(phases);
}

/* On the real clock each run is a sample: of a load at its pace how late its timers are, of one that runs as fast as it
 * can the time per operation.  NULL: an idle one has neither, or there is nothing to compare. */
static cJSON *make_clock_phase(const struct view_group *group)
{
    struct standing_contender *all = memory_take(group->row_count + 1, sizeof *all);
    const char *load = json_get_text(group->rows[0].cell, "clock.load");
    bool is_paced = strcmp(load, "paced") == 0;
    size_t count = 0;
    for (size_t i = 0; i < group->row_count; i++) {
        if (!group->rows[i].ok)
            continue;
        standing_contend(&all[count], group->rows[i].label);
        json_each(run, group->rows[i].cell, "clock.rounds") {
            double value = is_paced ? json_get_number(run, "times_ns.late.p99")
                                    : 1 / json_get_number(run, "operations_per_s");
            if (value > 0 && isfinite(value))
                standing_sample(&all[count], value);
        }
        count += all[count].count > 0;
    }
    cJSON *phase = strcmp(load, "idle") != 0
                       ? standing_phase(is_paced ? "late p99" : "operations", all, count)
                       : NULL;
    free(all);
    return phase;
}

/* ---- The whole. ------------------------------------------------------------------------------ */

static cJSON *make_phases(const struct view_group *group)
{
    cJSON *phases = cJSON_CreateArray(), *phase;
    for (size_t i = 0; i < group->phase_count; i++)
        if ((phase = make_phase(group, group->phases[i])) != NULL)
            cJSON_AddItemToArray(phases, phase);
    if (group->row_count > 0 && json_get(group->rows[0].cell, "clock") &&
        (phase = make_clock_phase(group)) != NULL)
        cJSON_AddItemToArray(phases, phase);
    return phases;
}

static cJSON *make_group(const struct view_group *group)
{
    cJSON *phases = make_phases(group), *says = cJSON_CreateArray();
    bool on_clock = group->row_count > 0 && json_get(group->rows[0].cell, "clock");
    for (const cJSON *phase = phases->child; phase; phase = phase->next) {
        char text[SAYS_SIZE] = "";
        struct text line = text_in(text, sizeof text);
        if (!is_first(phases, phase))
            continue;
        say(&line, phases, phase, group->row_count);
        cJSON_AddItemToArray(says, jsontext_string(text));
    }
    if (!on_clock && !group->between[0] && lacks_net(phases))
        cJSON_AddItemToArray(says, jsontext_string("these factors include the harness's overhead: "
                                                   "null was not timed"));
    cJSON *object = cJSON_CreateObject();
    json_put(object, group, workload, tasks, stream_hash);
    if (group->between[0])
        json_add_text(object, "between", group->between);
    json_add(object, "says", says);
    json_add(object, "phases", phases);
    return object;
}

cJSON *standing_make(const cJSON *document)
{
    struct view view = view_make(document);
    cJSON *list = cJSON_CreateArray();
    for (size_t i = 0; i < view.group_count; i++) {
        cJSON *group = make_group(&view.groups[i]);
        if (cJSON_GetArraySize(json_get(group, "phases")) > 0)
            cJSON_AddItemToArray(list, group);
        else
            cJSON_Delete(group);
    }
    view_free(&view);
    return list;
}
