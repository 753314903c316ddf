/* experiment_clock.c - reads the object "clock" of an experiment file, and writes it as flags. */
#include "harness/ask/claims/experiment_clock.h"

#include "harness/base/units.h"
#include "harness/measure/clock/clock_run.h"
#include "runners/runner_registry.h"

#include <string.h>

static void read_runner(struct reader *reader, const struct reader_place *place,
                        const cJSON *object, struct experiment_clock *out)
{
    struct reader_place member = reader_member(place, "runner");
    const char *name = reader_text(reader, place, object, "runner", out->runner == NULL);
    if (!name)
        return;
    out->runner = runner_registry_find(name);
    if (!out->runner)
        reader_refuse(reader, &member, "'%.40s' is no runner; see 'twbench list'", name);
}

static void read_time(struct reader *reader, const struct reader_place *place, const cJSON *object,
                      const char *key, uint64_t *out)
{
    struct reader_place member = reader_member(place, key);
    const char *text = reader_text(reader, place, object, key, false);
    struct diag diag;
    if (text && units_parse_time(text, key, out, &diag) != DIAG_OK)
        reader_refuse(reader, &member, "%.300s", diag.text);
}

static void read_load(struct reader *reader, const struct reader_place *place, const cJSON *object,
                      struct experiment_clock *out)
{
    const char *words[CLOCK_LOADS + 1] = {NULL};
    for (int i = 0; i < CLOCK_LOADS; i++)
        words[i] = clock_load_name((enum clock_load)i);
    if (cJSON_GetObjectItemCaseSensitive(object, "load"))
        out->wishes.load = (enum clock_load)reader_word(reader, place, object, "load", words, true);
    if (out->wishes.speed <= 0)
        out->wishes.speed = 1;
    out->wishes.speed = reader_number(reader, place, object, "speed", 1e-6, out->wishes.speed);
}

static void read_threads(struct reader *reader, const struct reader_place *place,
                         const cJSON *object, struct experiment_clock *out)
{
    struct reader_place member = reader_member(place, "threads");
    const cJSON *item = cJSON_GetObjectItemCaseSensitive(object, "threads");
    if (item)
        out->threads = reader_count(reader, &member, item);
    if (out->threads == 0)
        out->threads = 1;
    if (out->threads > CLOCK_THREADS_MAX)
        reader_refuse(reader, &member, "expected at most %d", CLOCK_THREADS_MAX);
}

/* The name is the runner's own text, which stays. */
static void read_setting(struct reader *reader, const struct reader_place *place, const cJSON *item,
                         struct experiment_clock *out)
{
    struct clock_wishes *wishes = &out->wishes;
    const struct tw_param *param = out->runner ? out->runner->timed->params : NULL;
    size_t at = 0;
    while (param && param->name && strcmp(param->name, item->string) != 0)
        param++;
    while (at < wishes->setting_count && strcmp(wishes->settings[at].name, item->string) != 0)
        at++;
    uint64_t value = reader_count(reader, place, item);
    if (!param || !param->name || at == CLOCK_SETTINGS_MAX)
        reader_refuse(reader, place, "no setting of this runner");
    else if (value < param->min || value > param->max)
        reader_refuse(reader, place, "expected %llu .. %llu", (unsigned long long)param->min,
                      (unsigned long long)param->max);
    else
        wishes->settings[at] =
            (struct tw_setting){.name = param->name, .count = 1, .values = {value}};
    if (param && param->name && at == wishes->setting_count && at < CLOCK_SETTINGS_MAX)
        wishes->setting_count++;
}

static void read_settings(struct reader *reader, const struct reader_place *outer,
                          const cJSON *object, struct experiment_clock *out)
{
    struct reader_place place = reader_member(outer, "settings");
    const cJSON *item;
    if (object && !cJSON_IsObject(object))
        reader_refuse(reader, &place, "expected an object");
    cJSON_ArrayForEach(item, object)
    {
        struct reader_place member = reader_member(&place, item->string);
        read_setting(reader, &member, item, out);
    }
}

void experiment_clock_read(struct reader *reader, const struct reader_place *place,
                           const cJSON *object, struct experiment_clock *out)
{
    static const char *const keys[] = {"runner",   "threads",   "load",     "speed",
                                       "duration", "slow_task", "settings", NULL};
    if (!object)
        return;
    reader_check_keys(reader, place, object, keys);
    out->wishes.on = true;
    if (out->wishes.duration_ns == 0)
        out->wishes.duration_ns = UINT64_C(2000000000);
    read_runner(reader, place, object, out);
    read_load(reader, place, object, out);
    read_threads(reader, place, object, out);
    read_time(reader, place, object, "duration", &out->wishes.duration_ns);
    read_time(reader, place, object, "slow_task", &out->wishes.slow_ns);
    read_settings(reader, place, cJSON_GetObjectItemCaseSensitive(object, "settings"), out);
}

void experiment_clock_command(struct text *line, const struct experiment_clock *clock)
{
    const struct clock_wishes *wishes = &clock->wishes;
    bool lasts = wishes->load == CLOCK_CLOSED || wishes->load == CLOCK_IDLE;
    if (!clock->runner)
        return;
    text_add(line, " --runner=%s --threads=%llu", clock->runner->timed->name,
             (unsigned long long)clock->threads);
    if (wishes->load != CLOCK_PACED)
        text_add(line, " --load=%s", clock_load_name(wishes->load));
    else if (wishes->speed < 1 || wishes->speed > 1)
        text_add(line, " --speed=%g", wishes->speed);
    if (lasts)
        text_add(line, " --duration=%lluns", (unsigned long long)wishes->duration_ns);
    if (wishes->slow_ns > 0)
        text_add(line, " --slow-task=%lluns", (unsigned long long)wishes->slow_ns);
    for (size_t i = 0; i < wishes->setting_count; i++)
        text_add(line, " --%s=%llu", wishes->settings[i].name,
                 (unsigned long long)wishes->settings[i].values[0]);
    text_add(line, " --runs=%d", EXPERIMENT_CLOCK_RUNS);
}
