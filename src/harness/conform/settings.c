/* settings.c - values within the declared limits of any parameter; describe compared with open's config. */
#include "harness/conform/settings.h"

#include "harness/conform/judge.h"
#include "harness/conform/model.h"

#include <inttypes.h>
#include <string.h>

/* ---- What describe says ---------------------------------------------------------------------- */

/* Without settings a design takes delays as long as the horizon, of these at most; with an unknown
 * horizon, as long as the other. */
#define REACH_MAX     (UINT64_C(1) << 24)
#define REACH_UNKNOWN UINT64_C(4096)

static const struct tw_param *param_find(const struct tw_backend *backend, const char *name)
{
    const struct tw_param *param = backend->params;
    while (param->name && strcmp(param->name, name) != 0)
        param++;
    return param->name ? param : NULL;
}

static const struct tw_setting *setting_find(const struct tw_setting *settings, size_t count,
                                             const char *name)
{
    for (size_t i = 0; i < count; i++)
        if (strcmp(settings[i].name, name) == 0)
            return &settings[i];
    return NULL;
}

/* One setting of the description, by the table of parameters alone. */
static void judge_described(const struct tw_backend *backend, const struct tw_setting *described,
                            struct conform_report *report)
{
    const struct tw_param *param = described->name ? param_find(backend, described->name) : NULL;
    if (!param) {
        report_broken(report, RULE_DESCRIBE, "%s is no parameter of the design",
                      described->name ? described->name : "a setting without a name");
        return;
    }
    if (described->count == 0 || described->count > param->values_max) {
        report_broken(report, RULE_DESCRIBE, "%s has %" PRIu32 " values; expected 1 .. %" PRIu32,
                      param->name, described->count, param->values_max);
        return;
    }
    for (uint32_t v = 0; v < described->count; v++)
        if (described->values[v] < param->min || described->values[v] > param->max)
            report_broken(report, RULE_DESCRIBE,
                          "%s is %" PRIu64 "; its limits are %" PRIu64 " .. %" PRIu64, param->name,
                          described->values[v], param->min, param->max);
}

/* A value that was given is described as it is, or rounded up: slots to a power of two.  A cap on
 * running timers is no size, and is not rounded. */
static bool is_resolved(const char *name, uint64_t given, uint64_t described)
{
    if (strcmp(name, MODEL_CAP_SETTING) == 0)
        return described == given;
    return described >= given && described / 2 <= given;
}

static void judge_given(const struct tw_setting *given, const struct tw_description *description,
                        struct conform_report *report)
{
    const struct tw_setting *described =
        setting_find(description->settings, description->setting_count, given->name);
    if (!described) {
        report_broken(report, RULE_DESCRIBE, "%s was given and is not described", given->name);
        return;
    }
    if (described->count != given->count)
        report_broken(report, RULE_DESCRIBE,
                      "%s: %" PRIu32 " values were given, %" PRIu32 " are described", given->name,
                      given->count, described->count);
    for (uint32_t v = 0; v < given->count && v < described->count; v++)
        if (!is_resolved(given->name, given->values[v], described->values[v]))
            report_broken(report, RULE_DESCRIBE,
                          "%s: %" PRIu64 " was given, %" PRIu64 " is described", given->name,
                          given->values[v], described->values[v]);
}

/* What nobody has asked for keeps no timer out. */
static void judge_defaults(const struct operations *given, const struct tw_description *description,
                           struct conform_report *report)
{
    const struct tw_setting *cap =
        setting_find(description->settings, description->setting_count, MODEL_CAP_SETTING);
    if (cap && !setting_find(given->settings, given->setting_count, MODEL_CAP_SETTING) &&
        cap->values[0] < given->capacity)
        report_broken(report, RULE_DESCRIBE,
                      "%s is %" PRIu64 " for a capacity of %" PRIu32 ", and was not given",
                      cap->name, cap->values[0], given->capacity);
    tw_tick reach = given->horizon == 0          ? REACH_UNKNOWN
                    : given->horizon > REACH_MAX ? REACH_MAX
                                                 : given->horizon;
    if (given->setting_count == 0 && description->span < reach)
        report_broken(report, RULE_DESCRIBE,
                      "without settings, the span is %" PRIu64 " ticks for a horizon of %" PRIu64
                      "; expected %" PRIu64 " or more",
                      description->span, given->horizon, reach);
}

void settings_judge(const struct tw_backend *backend, const struct operations *given,
                    const struct tw_description *description, struct conform_report *report)
{
    const size_t most = sizeof description->settings / sizeof description->settings[0];
    if (description->setting_count > most) {
        report_broken(report, RULE_DESCRIBE, "%zu settings; there is room for %zu",
                      description->setting_count, most);
        return;
    }
    if (description->span == 0 || description->span > TW_DEADLINE_MAX)
        report_broken(report, RULE_DESCRIBE, "a span of %" PRIu64 " ticks", description->span);
    for (size_t i = 0; i < description->setting_count; i++)
        judge_described(backend, &description->settings[i], report);
    if (report->rule)
        return;
    for (size_t i = 0; i < description->setting_count; i++)
        if (setting_find(description->settings, i, description->settings[i].name))
            report_broken(report, RULE_DESCRIBE, "%s is described twice",
                          description->settings[i].name);
    for (size_t i = 0; i < given->setting_count; i++)
        judge_given(&given->settings[i], description, report);
    judge_defaults(given, description, report);
}

static bool setting_equals(const struct tw_setting *a, const struct tw_setting *b)
{
    return strcmp(a->name, b->name) == 0 && a->count == b->count &&
           memcmp(a->values, b->values, a->count * sizeof a->values[0]) == 0;
}

void settings_compare(const struct tw_description *first, const struct tw_description *now,
                      struct conform_report *report)
{
    bool same = first->span == now->span && first->setting_count == now->setting_count;
    for (size_t i = 0; same && i < first->setting_count; i++)
        same = setting_equals(&first->settings[i], &now->settings[i]);
    if (!same)
        report_broken(report, RULE_DESCRIBE,
                      "it says something else before close than after open");
}
