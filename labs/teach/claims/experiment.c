/* experiment.c - parses an experiment file and checks it. */
#include "labs/teach/claims/claims.h"

#include "harness/base/json.h"
#include "harness/base/text.h"
#include "harness/base/units.h"
#include "harness/measure/stats/growth.h"
#include "labs/teach/claims/quantity.h"
#include "labs/teach/claims/reader.h"

#include <math.h>

static const char *const kind_words[] = {"growth", "compare", "order", "formula", NULL};
static const char *const relation_words[] = {"above",   "below", "equal", "rising",
                                             "falling", "flat",  NULL};
static const char *const measure_words[] = {"counts", "times", NULL};
static const char *const drive_words[] = {"ticks", "next", NULL};
static const char *const role_words[] = {"claim", "reading", NULL};
static const char *const lab_words[] = {"live", "durable", NULL};
static const char *const class_words[] = {"O(1)", "O(log n)", "O(n)", "O(n log n)", "O(n^2)", NULL};

const char *experiment_kind_name(enum experiment_kind kind)
{
    return kind_words[kind];
}

const char *experiment_relation_name(enum experiment_relation relation)
{
    return relation_words[relation];
}

struct loading {
    struct reader *reader;
    struct experiment *out;
};

static const cJSON *member_of(const cJSON *object, const char *key)
{
    return cJSON_GetObjectItemCaseSensitive(object, key);
}

/* ---- Designs and their settings. ------------------------------------------------------------- */

/* Does the file say that this is a library's, which may not be built? */
static bool may_lack(const struct experiment *experiment, const char *name)
{
    json_each(item, member_of(experiment->json, "libraries"), "")
        if (cJSON_IsString(item) && strcmp(item->valuestring, name) == 0)
            return true;
    return false;
}

/* Designs or stores. */
static void read_impls(struct loading *loading, const struct reader_place *place,
                       const cJSON *array, struct experiment_run *out)
{
    struct reader *reader = loading->reader;
    size_t count = reader_array(reader, place, array, EXPERIMENT_DESIGNS_MAX);
    for (size_t i = 0; i < count; i++) {
        struct reader_place element = reader_element(place, i);
        const cJSON *item = cJSON_GetArrayItem(array, (int)i);
        struct diag unused;
        out->impls[i] = cJSON_IsString(item) ? item->valuestring : "?";
        if (out->on_stores)
            continue;
        out->designs[i] = designs_find(out->impls[i], &unused);
        if (!out->designs[i] && !may_lack(loading->out, out->impls[i]))
            reader_refuse(reader, &element, "'%.40s' is not a design; see 'twbench list'",
                          out->impls[i]);
    }
    out->impl_count = count;
}

/* The parameter of that name of one of the run's designs. */
static const struct tw_param *find_param(const struct experiment_run *run, const char *name)
{
    const struct tw_param *param = NULL;
    for (size_t i = 0; i < run->impl_count && !param; i++)
        param = run->designs[i] ? param_find(run->designs[i]->timed->params, name) : NULL;
    return param;
}

/* Then a setting that nobody knows may be that design's. */
static bool lacks_design(const struct experiment_run *run)
{
    size_t i = 0;
    while (i < run->impl_count && run->designs[i])
        i++;
    return !run->on_stores && i < run->impl_count;
}

static void read_value(struct reader *reader, const struct reader_place *place, const cJSON *item,
                       const struct tw_param *param, struct tw_setting *out)
{
    uint64_t value = reader_count(reader, place, item);
    if (out->count == param->values_max)
        reader_refuse(reader, place, "expected at most %u values", param->values_max);
    else if (value < param->min || value > param->max)
        reader_refuse(reader, place, "expected %llu .. %llu", (unsigned long long)param->min,
                      (unsigned long long)param->max);
    else
        out->values[out->count++] = value;
}

static void read_setting(struct reader *reader, const struct reader_place *place, const cJSON *item,
                         const struct tw_param *param, struct tw_setting *out)
{
    *out = (struct tw_setting){.name = param->name};
    if (!cJSON_IsArray(item)) {
        read_value(reader, place, item, param, out);
        return;
    }
    size_t count = reader_array(reader, place, item, TW_VALUES_MAX);
    for (size_t i = 0; i < count; i++) {
        struct reader_place element = reader_element(place, i);
        read_value(reader, &element, cJSON_GetArrayItem(item, (int)i), param, out);
    }
}

/* { NAME: number or array of numbers, .. }.  One that is there already is replaced. */
static void read_settings(struct reader *reader, const struct reader_place *outer,
                          const cJSON *object, const struct experiment_run *run,
                          struct experiment_point *point)
{
    struct reader_place place = reader_member(outer, "settings");
    if (object && !cJSON_IsObject(object))
        reader_refuse(reader, &place, "expected an object");
    json_each(item, object, "") {
        struct reader_place member = reader_member(&place, item->string);
        const struct tw_param *param = find_param(run, item->string);
        size_t at = 0;
        while (at < point->setting_count && strcmp(point->settings[at].name, item->string) != 0)
            at++;
        if (!param && lacks_design(run))
            continue;
        if (!param || at == PLAN_SETTINGS_MAX) {
            reader_refuse(reader, &member, "%s",
                          param ? "too many settings" : "no parameter of a design of this run");
            return;
        }
        read_setting(reader, &member, item, param, &point->settings[at]);
        point->setting_count += at == point->setting_count;
    }
}

/* ---- Points. --------------------------------------------------------------------------------- */

/* The text of a number too: whoever reads parameters of workloads takes text. */
static const char *text_of(struct loading *loading, const cJSON *item)
{
    char digits[40];
    if (cJSON_IsString(item))
        return item->valuestring;
    if (!cJSON_IsNumber(item))
        return NULL;
    snprintf(digits, sizeof digits, "%.15g", item->valuedouble);
    cJSON *text = jsontext_string(digits);
    cJSON_AddItemToArray(loading->out->texts, text);
    return text ? text->valuestring : NULL;
}

static void read_sets(struct loading *loading, const struct reader_place *outer,
                      const cJSON *object, struct experiment_point *point)
{
    struct reader_place place = reader_member(outer, "set");
    if (object && !cJSON_IsObject(object))
        reader_refuse(loading->reader, &place, "expected an object");
    json_each(item, object, "") {
        struct reader_place member = reader_member(&place, item->string);
        const char *value = text_of(loading, item);
        size_t at = 0;
        while (at < point->set_count && strcmp(point->sets[at].name, item->string) != 0)
            at++;
        if (!value || at == EXPERIMENT_SETS_MAX) {
            reader_refuse(loading->reader, &member, "expected text or a number, and at most %d",
                          EXPERIMENT_SETS_MAX);
            return;
        }
        point->sets[at] = (struct workload_setting){.name = item->string, .value = value};
        point->set_count += at == point->set_count;
    }
}

static void read_flags(struct reader *reader, const struct reader_place *outer, const cJSON *array,
                       struct experiment_point *point)
{
    struct reader_place place = reader_member(outer, "flags");
    if (array)
        reader_array(reader, &place, array, EXPERIMENT_FLAGS_MAX - point->flag_count);
    json_each(item, array, "")
        if (!cJSON_IsString(item) || strncmp(item->valuestring, "--", 2) != 0)
            reader_refuse(reader, &place, "expected flags, as \"--threads=4\"");
        else if (point->flag_count < EXPERIMENT_FLAGS_MAX)
            point->flags[point->flag_count++] = item->valuestring;
}

/* What a run and each of its points can say; a point begins as a copy of what its run says. */
static void read_point(struct loading *loading, const struct reader_place *place,
                       const cJSON *object, const struct experiment_run *run,
                       struct experiment_point *point)
{
    struct reader *reader = loading->reader;
    struct diag diag;
    const char *workload = reader_text(reader, place, object, "workload", false);
    const char *tick = reader_text(reader, place, object, "tick", false);
    if (member_of(object, "drive"))
        point->drive =
            (enum plan_drive)reader_word(reader, place, object, "drive", drive_words, true);
    if (workload)
        point->workload = workload;
    if (tick && units_parse_time(tick, "tick", &point->tick_ns, &diag) != DIAG_OK)
        reader_refuse(reader, place, "%.300s", diag.text);
    read_settings(reader, place, member_of(object, "settings"), run, point);
    read_flags(reader, place, member_of(object, "flags"), point);
    read_sets(loading, place, member_of(object, "set"), point);
}

/* One point for each number of tasks. */
static void read_tasks(struct loading *loading, const struct reader_place *outer, const cJSON *item,
                       struct experiment_run *run)
{
    struct reader_place place = reader_member(outer, "tasks");
    struct experiment_point first = run->points[0];
    run->point_count = 1;
    if (!item)
        return;
    size_t count = 1;
    if (cJSON_IsArray(item))
        count = reader_array(loading->reader, &place, item, EXPERIMENT_POINTS_MAX);
    run->point_count = count;
    for (size_t i = 0; i < count; i++) {
        struct reader_place element = reader_element(&place, i);
        bool is_array = cJSON_IsArray(item);
        run->points[i] = first;
        run->points[i].tasks = reader_count(loading->reader, is_array ? &element : &place,
                                            is_array ? cJSON_GetArrayItem(item, (int)i) : item);
        run->points[i].x = (double)run->points[i].tasks;
    }
}

static void read_points(struct loading *loading, const struct reader_place *outer,
                        const cJSON *array, struct experiment_run *run)
{
    static const char *const keys[] = {"x",     "tasks",    "workload", "tick", "drive",
                                       "flags", "settings", "set",      NULL};
    struct reader *reader = loading->reader;
    struct reader_place place = reader_member(outer, "points");
    struct experiment_point common = run->points[0];
    if (run->point_count != 1)
        reader_refuse(reader, &place, "expected one number of tasks where there are points");
    run->point_count = reader_array(reader, &place, array, EXPERIMENT_POINTS_MAX);
    for (size_t i = 0; i < run->point_count; i++) {
        struct reader_place element = reader_element(&place, i);
        const cJSON *object = cJSON_GetArrayItem(array, (int)i), *tasks;
        struct experiment_point *point = &run->points[i];
        *point = common;
        reader_check_keys(reader, &element, object, keys);
        point->x = reader_number(reader, &element, object, "x", NAN);
        if (isnan(point->x))
            reader_refuse(reader, &element, "expected \"x\", the number of this point");
        if (i > 0 && point->x <= point[-1].x)
            reader_refuse(reader, &element, "expected x to rise from point to point");
        struct reader_place member = reader_member(&element, "tasks");
        if ((tasks = member_of(object, "tasks")))
            point->tasks = reader_count(reader, &member, tasks);
        read_point(loading, &element, object, run, point);
    }
}

/* ---- Runs. ----------------------------------------------------------------------------------- */

static void check_point(struct reader *reader, const struct reader_place *place,
                        const struct experiment_run *run, const struct experiment_point *point)
{
    bool has_load = point->workload || point->set_count || point->tick_ns || point->setting_count;
    if (run->on_stores && (has_load || point->tasks < 1))
        reader_refuse(reader, place,
                      "expected no load but \"tasks\" and \"flags\" with \"stores\"");
    if (!run->lab && point->flag_count > 0)
        reader_refuse(reader, place, "expected \"lab\" with \"flags\"");
    if (!run->lab && !point->workload)
        reader_refuse(reader, place, "expected \"workload\"");
    if (run->lab && point->drive != PLAN_DRIVE_TICKS)
        reader_refuse(reader, place, "expected no \"drive\" with \"lab\"");
}

static void read_lab(struct reader *reader, const struct reader_place *place, const cJSON *object,
                     struct experiment_run *run)
{
    struct reader_place member = reader_member(place, "lab");
    if (member_of(object, "lab"))
        run->lab = lab_words[reader_word(reader, place, object, "lab", lab_words, true)];
    if (run->on_stores != (run->lab && strcmp(run->lab, "durable") == 0))
        reader_refuse(reader, &member, "expected durable with \"stores\", and with them alone");
    if (run->lab && !run->on_stores && !run->timed)
        reader_refuse(reader, &member, "expected \"measure\": \"times\" on the real clock");
}

static void read_run(struct loading *loading, const struct reader_place *outer, const cJSON *object)
{
    static const char *const keys[] = {"designs", "workload", "tasks",   "tick",   "settings",
                                       "set",     "drive",    "measure", "points", "lab",
                                       "stores",  "flags",    NULL};
    struct reader *reader = loading->reader;
    struct reader_place place = reader_member(outer, object->string);
    const char *impls = member_of(object, "stores") ? "stores" : "designs";
    struct reader_place designs = reader_member(&place, impls);
    if (loading->out->run_count == EXPERIMENT_RUNS_MAX) {
        reader_refuse(reader, outer, "expected at most %d", EXPERIMENT_RUNS_MAX);
        return;
    }
    struct experiment_run *run = &loading->out->runs[loading->out->run_count++];
    run->name = object->string;
    reader_check_keys(reader, &place, object, keys);
    run->on_stores = member_of(object, "stores") != NULL;
    if (run->on_stores && member_of(object, "designs"))
        reader_refuse(reader, &place, "expected one of \"designs\" and \"stores\"");
    read_impls(loading, &designs, member_of(object, impls), run);
    run->timed = reader_word(reader, &place, object, "measure", measure_words, true) == 1;
    run->points[0] = (struct experiment_point){.x = 0};
    read_lab(reader, &place, object, run);
    read_point(loading, &place, object, run, &run->points[0]);
    read_tasks(loading, &place, member_of(object, "tasks"), run);
    if (member_of(object, "points"))
        read_points(loading, &place, member_of(object, "points"), run);
    for (size_t i = 0; i < run->point_count; i++)
        check_point(reader, &place, run, &run->points[i]);
}

static void read_runs(struct loading *loading, const cJSON *object)
{
    struct reader_place top = {""}, place = reader_member(&top, "runs");
    if (object && !cJSON_IsObject(object))
        reader_refuse(loading->reader, &place, "expected an object");
    json_each(item, object, "")
        read_run(loading, &place, item);
}

/* ---- Selectors. ------------------------------------------------------------------------------ */

static const struct experiment_run *find_run(const struct experiment *experiment, const char *name)
{
    for (size_t i = 0; name && i < experiment->run_count; i++)
        if (strcmp(experiment->runs[i].name, name) == 0)
            return &experiment->runs[i];
    return NULL;
}

/* One that the run has, by its key. */
static const char *read_impl(struct reader *reader, const struct reader_place *place,
                             const cJSON *item, const struct experiment_run *run)
{
    for (size_t i = 0; run && cJSON_IsString(item) && i < run->impl_count; i++)
        if (strcmp(run->impls[i], item->valuestring) == 0)
            return run->impls[i];
    reader_refuse(reader, place, "not among the %s of run '%.40s'",
                  run && run->on_stores ? "stores" : "designs", run ? run->name : "?");
    return "?";
}

static void read_selector_impls(struct reader *reader, const struct reader_place *outer,
                                const cJSON *item, struct experiment_selector *out)
{
    struct reader_place place = reader_member(outer, "impl");
    bool is_array = cJSON_IsArray(item);
    out->impl_count = is_array ? reader_array(reader, &place, item, EXPERIMENT_DESIGNS_MAX) : 1;
    for (size_t i = 0; i < out->impl_count; i++)
        out->impls[i] =
            read_impl(reader, &place, is_array ? cJSON_GetArrayItem(item, (int)i) : item, out->run);
}

static void read_at(struct reader *reader, const struct reader_place *outer, const cJSON *item,
                    struct experiment_selector *out)
{
    struct reader_place place = reader_member(outer, "at");
    out->at = (double)reader_count(reader, &place, item);
    for (size_t i = 0; out->run && i < out->run->point_count; i++)
        if (out->run->points[i].x >= out->at && out->run->points[i].x <= out->at)
            return;
    reader_refuse(reader, &place, "run '%.40s' has no such x", out->run ? out->run->name : "?");
}

void experiment_read_selector(struct reader *reader, const struct experiment *experiment,
                              const struct reader_place *place, const cJSON *object,
                              struct experiment_selector *out)
{
    static const char *const keys[] = {"run", "impl", "phase", "figure", "at", NULL};
    struct diag diag;
    reader_check_keys(reader, place, object, keys);
    const char *run = reader_text(reader, place, object, "run", out->run == NULL);
    const char *figure = reader_text(reader, place, object, "figure", out->figure == NULL);
    const char *phase = reader_text(reader, place, object, "phase", false);
    struct reader_place member = reader_member(place, run ? "run" : "figure");
    if (run)
        out->run = find_run(experiment, run);
    if (run && !out->run)
        reader_refuse(reader, &member, "there is no run '%.40s'", run);
    out->phase = phase ? phase : out->phase;
    out->figure = figure ? figure : out->figure;
    if (member_of(object, "impl"))
        read_selector_impls(reader, place, member_of(object, "impl"), out);
    if (member_of(object, "at"))
        read_at(reader, place, member_of(object, "at"), out);
    member = reader_member(place, "figure");
    if (out->figure && quantity_check(out->figure, member.text, &out->timed, &diag) != DIAG_OK &&
        reader->status == DIAG_OK)
        reader->status = diag_usage(reader->diag, "%s: %s", reader->path, diag.text);
    if (out->timed && out->run && !out->run->timed)
        reader_refuse(reader, &member, "rests on time, but run '%.40s' measures counts",
                      out->run->name);
}

/* ---- Predicates. ----------------------------------------------------------------------------- */

static void read_growth(struct loading *loading, const struct reader_place *place,
                        const cJSON *object, struct experiment_part *part)
{
    struct reader *reader = loading->reader;
    part->has_at_most = member_of(object, "at_most") != NULL;
    part->has_at_least = member_of(object, "at_least") != NULL;
    if (!part->has_at_most && !part->has_at_least)
        reader_refuse(reader, place, "expected \"at_most\" or \"at_least\", a class as O(log n)");
    part->at_most =
        (enum tw_growth)reader_word(reader, place, object, "at_most", class_words, false);
    part->at_least =
        (enum tw_growth)reader_word(reader, place, object, "at_least", class_words, false);
    if (part->of.run && part->of.run->point_count < GROWTH_SIZES_MIN)
        reader_refuse(reader, place, "expected a run of at least %d sizes", GROWTH_SIZES_MIN);
}

static void read_relation(struct loading *loading, const struct reader_place *place,
                          const cJSON *object, struct experiment_part *part)
{
    struct reader *reader = loading->reader;
    bool is_order = part->kind == KIND_ORDER;
    part->relation =
        (enum experiment_relation)reader_word(reader, place, object, "is", relation_words, true);
    struct reader_place member = reader_member(place, "is");
    if ((part->relation >= IS_RISING) != is_order)
        reader_refuse(reader, &member, "expected %s",
                      is_order ? "rising, falling or flat" : "above, below or equal");
    bool wants = part->relation == IS_EQUAL || part->relation == IS_FLAT;
    part->times = reader_number(reader, place, object, "times", 1);
    part->within = reader_number(reader, place, object, "within", NAN);
    if (wants != !isnan(part->within))
        reader_refuse(reader, place, "expected \"within\", a share, with equal and flat alone");
}

static void read_compare(struct loading *loading, const struct reader_place *place,
                         const cJSON *object, struct experiment_part *part)
{
    struct reader *reader = loading->reader;
    const cJSON *to = member_of(object, "to"), *predict = member_of(object, "predict");
    struct reader_place member = reader_member(place, to ? "to" : "predict");
    struct diag diag;
    bool timed;
    read_relation(loading, place, object, part);
    part->has_to = to != NULL;
    if (!to == !predict) {
        reader_refuse(reader, place, "expected one of \"to\" and \"predict\"");
        return;
    }
    if (to) {
        part->to = part->of;
        experiment_read_selector(reader, loading->out, &member, to, &part->to);
        return;
    }
    part->predict = text_of(loading, predict);
    if (!part->predict)
        reader_refuse(reader, &member, "expected an expression or a number");
    else if (quantity_check(part->predict, member.text, &timed, &diag) != DIAG_OK &&
             reader->status == DIAG_OK)
        reader->status = diag_usage(reader->diag, "%s: %s", reader->path, diag.text);
    else if (timed && part->of.run && !part->of.run->timed)
        reader_refuse(reader, &member, "rests on time, but the run measures counts");
}

static void read_formula(struct loading *loading, const struct reader_place *place,
                         const cJSON *object, struct experiment_part *part)
{
    struct reader_place member = reader_member(place, "name");
    part->formula = reader_text(loading->reader, place, object, "name", true);
    if (part->formula && !formula_find(part->formula))
        reader_refuse(loading->reader, &member, "there is no formula '%.40s'", part->formula);
}

/* ---- Parts. ---------------------------------------------------------------------------------- */

static void check_part_keys(struct loading *loading, const struct reader_place *place,
                            const cJSON *object, enum experiment_kind kind)
{
    static const char *const growth[] = {"id", "statement", "role",     "kind",
                                         "of", "at_most",   "at_least", NULL};
    static const char *const compare[] = {"id",    "statement", "role",    "kind",   "of", "is",
                                          "times", "to",        "predict", "within", NULL};
    static const char *const order[] = {"id", "statement", "role",   "kind",
                                        "of", "is",        "within", NULL};
    static const char *const formula[] = {"id", "statement", "role", "kind", "name", NULL};
    static const char *const *const keys[] = {[KIND_GROWTH] = growth,
                                              [KIND_COMPARE] = compare,
                                              [KIND_ORDER] = order,
                                              [KIND_FORMULA] = formula};
    reader_check_keys(loading->reader, place, object, keys[kind]);
}

static void read_part(struct loading *loading, const struct reader_place *place,
                      const cJSON *object, struct experiment_part *part)
{
    struct reader *reader = loading->reader;
    struct reader_place of = reader_member(place, "of");
    part->of.at = NAN;
    part->id = reader_text(reader, place, object, "id", true);
    part->statement = reader_text(reader, place, object, "statement", true);
    part->is_reading = reader_word(reader, place, object, "role", role_words, false) == 1;
    part->kind = (enum experiment_kind)reader_word(reader, place, object, "kind", kind_words, true);
    check_part_keys(loading, place, object, part->kind);
    if (part->kind == KIND_FORMULA) {
        read_formula(loading, place, object, part);
        return;
    }
    experiment_read_selector(reader, loading->out, &of, member_of(object, "of"), &part->of);
    if (part->kind == KIND_GROWTH)
        read_growth(loading, place, object, part);
    else if (part->kind == KIND_COMPARE)
        read_compare(loading, place, object, part);
    else
        read_relation(loading, place, object, part);
}

static void read_parts(struct loading *loading, const cJSON *array)
{
    struct reader_place top = {""}, place = reader_member(&top, "parts");
    struct experiment *out = loading->out;
    size_t count = reader_array(loading->reader, &place, array, EXPERIMENT_PARTS_MAX);
    for (size_t i = 0; i < count && loading->reader->status == DIAG_OK; i++) {
        struct reader_place element = reader_element(&place, i);
        read_part(loading, &element, cJSON_GetArrayItem(array, (int)i), &out->parts[i]);
        for (size_t before = 0; before < i && loading->reader->status == DIAG_OK; before++)
            if (strcmp(out->parts[before].id, out->parts[i].id) == 0)
                reader_refuse(loading->reader, &element, "a second part '%.40s'", out->parts[i].id);
        out->part_count++;
    }
}

/* ---- Labels. --------------------------------------------------------------------------------- */

static bool has_impl(const struct experiment_selector *selector, const char *impl)
{
    size_t count;
    const char *const *impls = experiment_impls(selector, &count);
    for (size_t i = 0; i < count; i++)
        if (strcmp(impls[i], impl) == 0)
            return true;
    return false;
}

static bool share_impl(const struct experiment_selector *a, const struct experiment_selector *b)
{
    for (size_t i = 0; i < a->run->impl_count; i++)
        if (has_impl(a, a->run->impls[i]) && has_impl(b, a->run->impls[i]))
            return true;
    return false;
}

const char *const *experiment_impls(const struct experiment_selector *selector, size_t *count)
{
    bool selects = selector->impl_count > 0;
    *count = selects ? selector->impl_count : selector->run->impl_count;
    return selects ? selector->impls : selector->run->impls;
}

/* Two selectors of one figure of one design, which would have one label. */
static void distinguish(struct experiment_selector *a, struct experiment_selector *b)
{
    bool same_phase = !a->phase == !b->phase && (!a->phase || strcmp(a->phase, b->phase) == 0);
    if (strcmp(a->figure, b->figure) != 0 || !share_impl(a, b))
        return;
    if (a->run != b->run)
        a->names_run = b->names_run = true;
    else if (!same_phase)
        a->names_phase = b->names_phase = true;
}

/* Each selector against each before it. */
static void distinguish_all(struct experiment *out)
{
    struct experiment_selector *all[2 * EXPERIMENT_PARTS_MAX];
    size_t count = 0;
    for (size_t i = 0; i < out->part_count; i++) {
        struct experiment_part *part = &out->parts[i];
        if (part->kind != KIND_FORMULA)
            all[count++] = &part->of;
        if (part->kind == KIND_COMPARE && part->has_to)
            all[count++] = &part->to;
    }
    for (size_t i = 0; i < count; i++)
        for (size_t before = 0; before < i; before++)
            distinguish(all[before], all[i]);
}

void experiment_label(char out[EXPERIMENT_LABEL_SIZE], const struct experiment_selector *selector,
                      const char *impl)
{
    const char *phase = selector->phase;
    struct text label = text_in(out, EXPERIMENT_LABEL_SIZE);
    text_add(&label, "%.50s of %.30s", selector->figure, impl);
    if (selector->names_run)
        text_add(&label, " (run %.40s", selector->run->name);
    if (selector->names_phase)
        text_add(&label, "%s%s%.40s", selector->names_run ? ", " : " (", phase ? "phase " : "",
                 phase ? phase : "all phases");
    if (selector->names_run || selector->names_phase)
        text_add(&label, ")");
}

/* ---- The file. ------------------------------------------------------------------------------- */

static void check_documents(struct loading *loading, const cJSON *array)
{
    struct reader_place top = {""}, place = reader_member(&top, "documents");
    reader_array(loading->reader, &place, array, 8);
    json_each(item, array, "")
        if (!cJSON_IsString(item))
            reader_refuse(loading->reader, &place, "expected letters of documents, as text");
}

static void check_peers(struct loading *loading, const cJSON *array)
{
    static const char *const keys[] = {"system", "machine", "figures", "says", NULL};
    struct reader_place top = {""}, place = reader_member(&top, "peers");
    size_t index = 0;
    if (array)
        reader_array(loading->reader, &place, array, 32);
    json_each(item, array, "") {
        struct reader_place element = reader_element(&place, index++);
        reader_check_keys(loading->reader, &element, item, keys);
        reader_text(loading->reader, &element, item, "system", true);
        reader_text(loading->reader, &element, item, "machine", true);
        reader_text(loading->reader, &element, item, "says", true);
    }
}

static void check_meaning(struct loading *loading, const cJSON *object)
{
    static const char *const keys[] = {"holds", "does-not-hold", "inconclusive", NULL};
    struct reader_place top = {""}, place = reader_member(&top, "meaning");
    if (object)
        reader_check_keys(loading->reader, &place, object, keys);
    for (size_t i = 0; object && keys[i]; i++)
        reader_text(loading->reader, &place, object, keys[i], false);
}

int experiment_read(struct reader *reader, struct experiment *out)
{
    static const char *const keys[] = {"id",        "statement", "documents", "test",
                                       "runs",      "parts",     "peers",     "meaning",
                                       "waits_for", "pictures",  "libraries", NULL};
    struct loading loading = {reader, out};
    struct reader_place top = {""};
    reader_check_keys(reader, &top, out->json, keys);
    out->id = reader_text(reader, &top, out->json, "id", true);
    out->statement = reader_text(reader, &top, out->json, "statement", true);
    out->waits_for = reader_text(reader, &top, out->json, "waits_for", false);
    check_documents(&loading, member_of(out->json, "documents"));
    if (out->waits_for)
        return reader->status;
    reader_text(reader, &top, out->json, "test", true);
    check_peers(&loading, member_of(out->json, "peers"));
    check_meaning(&loading, member_of(out->json, "meaning"));
    read_runs(&loading, member_of(out->json, "runs"));
    read_parts(&loading, member_of(out->json, "parts"));
    if (reader->status == DIAG_OK)
        distinguish_all(out);
    return reader->status;
}
