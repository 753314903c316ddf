/* shape.c - checks a document by tables of paths, and a cell by the catalogue.  Keys that are in neither may be
 * there: a newer twbench may add some. */
#include "harness/tell/result/document.h"

#include "harness/base/json.h"
#include "harness/base/text.h"
#include "harness/tell/result/figures.h"

#define NUMBER   SHAPE_NUMBER
#define TEXT     SHAPE_TEXT
#define BOOL     SHAPE_BOOL
#define OBJECT   SHAPE_OBJECT
#define ARRAY    SHAPE_ARRAY
#define OR_NULL  SHAPE_OR_NULL
#define OPTIONAL SHAPE_OPTIONAL

static const struct shape_rule head_rules[] = {
    {"tool", OBJECT},
    {"tool.name", TEXT},
    {"tool.version", TEXT},
    {"tool.commit", TEXT | OR_NULL},
    {"tool.compiler", TEXT | OR_NULL},
    {"tool.flags", TEXT | OR_NULL},
    {"tool.allocator", TEXT | OR_NULL},
    {"tool.date_utc", TEXT},
    {"machine", OBJECT},
    {"machine.cpu_model", TEXT | OR_NULL},
    {"machine.architecture", TEXT | OR_NULL},
    {"machine.cores", NUMBER | OR_NULL},
    {"machine.memory_bytes", NUMBER | OR_NULL},
    {"machine.kernel", TEXT | OR_NULL},
    {"machine.distribution", TEXT | OR_NULL},
    {"machine.governor", TEXT | OR_NULL},
    {"machine.clocksource", TEXT | OR_NULL},
    {"machine.tsc", TEXT | OR_NULL},
    {"machine.virtualisation", TEXT | OR_NULL},
    {"machine.caches", ARRAY},
    {"machine.caches[]", OBJECT},
    {"machine.caches[].level", NUMBER},
    {"machine.caches[].type", TEXT | OR_NULL},
    {"machine.caches[].size_bytes", NUMBER},
    {"machine.caches[].line_bytes", NUMBER | OR_NULL},
    {"machine.checks", ARRAY | OPTIONAL}, /* not yet in the first results */
    {"machine.checks[]", OBJECT},
    {"machine.checks[].name", TEXT},
    {"machine.checks[].value", NUMBER | TEXT | OR_NULL},
    {"machine.checks[].warning", TEXT | OR_NULL},
    {"command", ARRAY},
    {"command[]", TEXT},
};

static const struct shape_rule result_rules[] = {
    {"harness", OBJECT},
    {"harness.timer", TEXT | OR_NULL},
    {"harness.timer_overhead_ns", NUMBER | OR_NULL},
    {"harness.timer_step_ns", NUMBER | OR_NULL | OPTIONAL},
    {"complete", BOOL},
    {"reference", TEXT | OPTIONAL},
    {"subject", OBJECT | OPTIONAL},
    {"subject.commit", TEXT},
    {"subject.date_utc", TEXT | OR_NULL},
    {"left_out", ARRAY | OPTIONAL},
    {"left_out[]", TEXT},
    {"standing", ARRAY | OPTIONAL},
    {"standing[]", OBJECT},
    {"standing[].workload", TEXT},
    {"standing[].tasks", NUMBER | OR_NULL},
    {"standing[].stream_hash", TEXT | OR_NULL},
    {"standing[].between", TEXT | OPTIONAL},
    {"standing[].says", ARRAY},
    {"standing[].says[]", TEXT},
    {"standing[].phases", ARRAY},
    {"standing[].phases[]", OBJECT},
    {"standing[].phases[].phase", TEXT},
    {"standing[].phases[].fastest", TEXT | OR_NULL},
    {"standing[].phases[].harness_share", NUMBER | OR_NULL | OPTIONAL},
    {"standing[].phases[].not_different", ARRAY},
    {"standing[].phases[].not_different[]", TEXT},
    {"standing[].phases[].behind", ARRAY},
    {"standing[].phases[].behind[]", OBJECT},
    {"standing[].phases[].behind[].design", TEXT},
    {"standing[].phases[].behind[].ratio", OBJECT},
    {"standing[].phases[].behind[].ratio_net", OBJECT | OR_NULL | OPTIONAL},
    {"cells", ARRAY},
};

/* What the catalogue does not say: what is in settings, lists and counters. */
static const struct shape_rule cell_rules[] = {
    {"params{}", NUMBER | TEXT | ARRAY},
    {"params{}[]", NUMBER},
    {"phases[]", OBJECT},
    {"phases[].ns_per_op.samples[]", NUMBER},
    {"phases[].corrected.ns_per_op.samples[]", NUMBER | SHAPE_SIGNED},
    {"phases[].corrected.ns_per_advance.samples[]", NUMBER | SHAPE_SIGNED},
    {"phases[].cpu_ns_per_op_interval.samples[]", NUMBER},
    {"phases[].counters{}", NUMBER | OR_NULL},
    {"schedules[]", OBJECT},
    {"clock.rounds[]", OBJECT},
    {"clock.rounds[].window_ns", NUMBER},
    {"clock.rounds[].stats", OBJECT},
    {"clock.rounds[].times_ns", OBJECT},
    {"requested{}", NUMBER | TEXT | ARRAY},
    {"requested{}[]", NUMBER},
};

/* The walk: where it is, in words, and what to say when it fails. */
struct walk {
    unsigned kinds; /* of the rule that is followed */
    const char *what;
    struct diag *diag;
    char trail[256];
};

static int refuse(const struct walk *walk, const char *problem)
{
    static const char *const names[] = {
        "a number of 0 or more", "text", "true or false", "an object", "an array", "null"};
    char expected[96];
    struct text list = text_in(expected, sizeof expected);
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (walk->kinds & (1u << i))
            text_add_item(&list, " or ", "%s", names[i]);
    return diag_usage(walk->diag, "%s: %s: %s; expected %s", walk->what, walk->trail, problem,
                      expected);
}

static unsigned kind_of(const cJSON *item)
{
    if (cJSON_IsNumber(item))
        return !isfinite(item->valuedouble) ? 0 : item->valuedouble >= 0 ? NUMBER : SHAPE_SIGNED;
    return cJSON_IsString(item)   ? TEXT
           : cJSON_IsBool(item)   ? BOOL
           : cJSON_IsObject(item) ? OBJECT
           : cJSON_IsArray(item)  ? ARRAY
                                  : OR_NULL;
}

static int follow(struct walk *walk, const cJSON *item, const char *path);

/* "[]" and "{}": the rest of the rule for every element. */
static int follow_each(struct walk *walk, const cJSON *parent, const char *path)
{
    size_t length = strlen(walk->trail), index = 0;
    json_each(item, parent, "") {
        if (cJSON_IsArray(parent))
            snprintf(walk->trail + length, sizeof walk->trail - length, "[%zu]", index++);
        else
            snprintf(walk->trail + length, sizeof walk->trail - length, "%s%s", length ? "." : "",
                     item->string);
        int status = follow(walk, item, path);
        if (status != DIAG_OK)
            return status;
    }
    walk->trail[length] = '\0';
    return DIAG_OK;
}

/* A parent that is missing has been judged by its own rule. */
static int follow_key(struct walk *walk, const cJSON *parent, const char *path)
{
    path += *path == '.';
    size_t key_length = strcspn(path, ".[{"), length = strlen(walk->trail);
    char key[64];
    snprintf(key, sizeof key, "%.*s", (int)key_length, path);
    snprintf(walk->trail + length, sizeof walk->trail - length, "%s%s", length ? "." : "", key);
    const cJSON *item = cJSON_GetObjectItemCaseSensitive(parent, key);
    bool may_lack = path[key_length] != '\0' || (walk->kinds & OPTIONAL);
    int status = item       ? follow(walk, item, path + key_length)
                 : may_lack ? DIAG_OK
                            : refuse(walk, "missing");
    if (status == DIAG_OK)
        walk->trail[length] = '\0';
    return status;
}

static int follow(struct walk *walk, const cJSON *item, const char *path)
{
    if (!*path)
        return kind_of(item) & walk->kinds ? DIAG_OK : refuse(walk, "of the wrong type");
    if (cJSON_IsNull(item))
        return DIAG_OK;
    if (*path == '[' || *path == '{')
        return follow_each(walk, item, path + 2);
    return follow_key(walk, item, path);
}

static int check_rules(const struct shape_rule *rules, size_t count, const cJSON *item,
                       struct walk *walk)
{
    for (size_t i = 0; i < count; i++) {
        walk->kinds = rules[i].kinds;
        int status = follow(walk, item, rules[i].path);
        if (status != DIAG_OK)
            return status;
    }
    return DIAG_OK;
}

/* The catalogue's rule for a figure. */
static unsigned kinds_of(const struct figure *figure)
{
    static const unsigned kinds[] = {
        [FIGURE_NUMBER] = NUMBER, [FIGURE_INTEGER] = NUMBER, [FIGURE_TEXT] = TEXT,
        [FIGURE_BOOL] = BOOL,     [FIGURE_OBJECT] = OBJECT,  [FIGURE_ARRAY] = ARRAY};
    return kinds[figure->type] | (figure->flags & FIGURE_OR_NULL ? OR_NULL : 0) |
           (figure->flags & FIGURE_SIGNED ? SHAPE_SIGNED : 0) |
           (figure->flags & (FIGURE_LATER | FIGURE_MAY_LACK) ? OPTIONAL : 0);
}

static int check_figures(const cJSON *cell, struct walk *walk)
{
    int status = DIAG_OK;
    for (size_t i = 0; i < figure_count() && status == DIAG_OK; i++) {
        char path[128];
        snprintf(path, sizeof path, "%s%s", figure_prefix(figure_at(i)), figure_at(i)->path);
        struct shape_rule rule = {path, kinds_of(figure_at(i))};
        status = check_rules(&rule, 1, cell, walk);
    }
    return status;
}

static int check_version(const cJSON *root, const char *kind, const char *what, struct diag *diag)
{
    const cJSON *version = cJSON_GetObjectItemCaseSensitive(root, "schema_version");
    if (!cJSON_IsObject(root) || !version)
        return diag_usage(diag, "%s: not a twbench %s: schema_version is missing", what, kind);
    if (!cJSON_IsNumber(version))
        return diag_usage(diag, "%s: schema_version: of the wrong type; expected %d", what,
                          RESULT_SCHEMA_VERSION);
    if (version->valuedouble != RESULT_SCHEMA_VERSION)
        return diag_usage(
            diag, "%s: schema_version: another version, %.15g; this twbench reads version %d", what,
            version->valuedouble, RESULT_SCHEMA_VERSION);
    return DIAG_OK;
}

int shape_check_version(const cJSON *root, const char *what, struct diag *diag)
{
    int status = check_version(root, "document", what, diag);
    return status == DIAG_OK ? agree_check_figures(root, what, diag) : status;
}

int shape_check_head(const cJSON *root, const char *what, struct diag *diag)
{
    struct walk walk = {.what = what, .diag = diag};
    int status = check_version(root, "result", what, diag);
    if (status == DIAG_OK)
        status = check_rules(head_rules, sizeof head_rules / sizeof *head_rules, root, &walk);
    if (status == DIAG_OK)
        status = check_rules(result_rules, sizeof result_rules / sizeof *result_rules, root, &walk);
    return status;
}

int shape_check_kind(const cJSON *root, const char *kind, const struct shape_rule *rules,
                     size_t count, const char *what, struct diag *diag)
{
    struct walk walk = {.what = what, .diag = diag};
    int status = check_version(root, kind, what, diag);
    if (status == DIAG_OK && !json_says(root, "kind", kind))
        status = diag_usage(diag, "%s: kind: \"%s\"; expected what 'twbench %s --json' wrote", what,
                            json_get_text(root, "kind"), kind);
    if (status == DIAG_OK)
        status = check_rules(head_rules, sizeof head_rules / sizeof *head_rules, root, &walk);
    status = status == DIAG_OK ? check_rules(rules, count, root, &walk) : status;
    return status == DIAG_OK ? agree_check_figures(root, what, diag) : status;
}

int shape_check_cell(const cJSON *cell, size_t index, const char *what, struct diag *diag)
{
    struct walk walk = {.what = what, .diag = diag};
    struct shape_rule whole = {"", OBJECT};
    snprintf(walk.trail, sizeof walk.trail, "cells[%zu]", index);
    int status = check_rules(&whole, 1, cell, &walk);
    if (status == DIAG_OK)
        status = check_figures(cell, &walk);
    return status == DIAG_OK
               ? check_rules(cell_rules, sizeof cell_rules / sizeof *cell_rules, cell, &walk)
               : status;
}
