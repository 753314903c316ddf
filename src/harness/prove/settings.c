/* settings.c - picks settings within the declared limits, and compares what describe says of them. */
#include "harness/prove/settings.h"

#include "harness/prove/guard.h"
#include "harness/prove/model.h"
#include "harness/prove/watch.h"

/* ---- Values to try --------------------------------------------------------------------------- */

/* Of a parameter with one value, how far above its lower limit: with a limit of 1 these are small ones,
 * powers of two, and others. */
static const uint64_t offsets[] = {0, 1, 2, 7, 20, 511, 999};
#define OFFSETS (sizeof offsets / sizeof offsets[0])
/* An upper limit up to here is tried as well. */
#define SMALL_MAX 4096u

/* Of a parameter that takes a list: short and long ones, even and uneven, falling and rising.  Behind
 * these come lists of as many values as it takes: all the least, and rising from there. */
static const struct sample {
    uint32_t count;
    uint64_t values[4];
} samples[] = {
    {1, {1}},           {1, {16}},
    {2, {512, 512}},    {3, {2, 2, 2}},
    {3, {3, 5, 7}},     {3, {1, 3, 7}},
    {3, {1, 2, 1024}},  {4, {60, 60, 24, 10}},
    {4, {9, 2, 31, 4}}, {4, {256, 256, 256, 256}}, /* all of 32 bits */
};
#define SAMPLES (sizeof samples / sizeof samples[0])

static bool is_within(const struct tw_param *param, const struct tw_setting *setting)
{
    bool within = setting->count <= param->values_max;
    for (uint32_t v = 0; v < setting->count; v++)
        within = within && setting->values[v] >= param->min && setting->values[v] <= param->max;
    return within;
}

/* One value, the `index`-th; false after the last. */
static bool value_of(const struct tw_param *param, size_t index, struct tw_setting *setting)
{
    *setting = (struct tw_setting){.name = param->name, .count = 1};
    bool is_limit = index >= OFFSETS || param->max - param->min < offsets[index];
    setting->values[0] = is_limit ? param->max : param->min + offsets[index];
    if (!is_limit)
        return true;
    bool is_new = index == 0 || (index <= OFFSETS && param->max - param->min > offsets[index - 1]);
    return is_new && (index < OFFSETS || param->max <= SMALL_MAX);
}

/* A list, the `index`-th, which may be beyond the limits; false after the last. */
static bool list_of(const struct tw_param *param, size_t index, struct tw_setting *setting)
{
    *setting = (struct tw_setting){.name = param->name, .count = param->values_max};
    if (index < SAMPLES) {
        setting->count = samples[index].count;
        memcpy(setting->values, samples[index].values, sizeof samples[index].values);
        return true;
    }
    for (uint32_t v = 0; v < param->values_max; v++)
        setting->values[v] = param->min + (index == SAMPLES ? 0 : v);
    return index < SAMPLES + 2;
}

int settings_try(const struct tw_backend *backend, const struct tw_config *config,
                 struct watch *watch, struct conform_report *report)
{
    struct tw_timers *timers;
    struct tw_error error;
    watch_enter(watch, "open");
    uint64_t failed = guard_counts().failed;
    int status = backend->open(&timers, config, &error);
    watch_enter(watch, "close");
    if (status == TW_OK)
        backend->close(timers);
    watch_leave(watch, NULL);
    if (report)
        guard_judge_refusal(status, failed, config->capacity, report);
    return status;
}

/* The `index`-th setting of a parameter that can be tried; false after the last. */
static bool setting_of(const struct tw_backend *backend, const struct tw_param *param, size_t index,
                       struct tw_setting *setting, struct watch *watch)
{
    if (param->values_max == 1)
        return value_of(param, index, setting);
    const struct tw_config config = {.capacity = 1, .settings = setting, .setting_count = 1};
    for (size_t i = 0; list_of(param, i, setting); i++)
        if (is_within(param, setting) &&
            settings_try(backend, &config, watch, NULL) != TW_BAD_SETTING && index-- == 0)
            return true;
    return false;
}

/* Every parameter with its `index`-th setting, or its last. */
static bool all_of(const struct tw_backend *backend, size_t index, struct tw_setting *settings,
                   size_t *count, struct watch *watch)
{
    *count = 0;
    for (const struct tw_param *param = backend->params;
         param->name && *count < OPERATIONS_SETTINGS_MAX; param++)
        for (size_t i = index + 1, before = *count; i > 0 && *count == before; i--)
            *count += setting_of(backend, param, i - 1, &settings[*count], watch);
    return *count > 1;
}

bool settings_variant(const struct tw_backend *backend, size_t index, struct tw_setting *settings,
                      size_t *count, struct watch *watch)
{
    static const size_t together[] = {2, 4, 6};
    *count = 0;
    if (index-- == 0)
        return true;
    for (const struct tw_param *param = backend->params; param->name; param++)
        for (size_t i = 0; setting_of(backend, param, i, settings, watch); i++)
            if (index-- == 0) {
                *count = 1;
                return true;
            }
    return index < sizeof together / sizeof together[0] &&
           all_of(backend, together[index], settings, count, watch);
}

void settings_judge_lists(const struct tw_backend *backend, struct conform_report *report)
{
    struct tw_setting setting;
    for (const struct tw_param *param = backend->params; param->name; param++)
        if (!setting_of(backend, param, 0, &setting, report->watch))
            report_broken(report, RULE_OPEN, "%s: no list of values within its limits is accepted",
                          param->name);
}

/* ---- What describe says ---------------------------------------------------------------------- */

/* Without settings a design takes delays as long as the horizon, of these at most; with an unknown
 * horizon, as long as the other. */
#define REACH_MAX     (UINT64_C(1) << 24)
#define REACH_UNKNOWN UINT64_C(4096)

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
    const struct tw_param *param =
        described->name ? param_find(backend->params, described->name) : NULL;
    if (!param) {
        report_broken(report, RULE_DESCRIBE, "%s is not a parameter of the design",
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
        report_broken(report, RULE_DESCRIBE, "it says something else before close than after open");
}
